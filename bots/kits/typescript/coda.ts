// {{name}} plays Coda. Make it stronger here: protocol.ts does the talking.
import type { Action, CodaView, Event, Legal } from "./protocol.js";
import type { Option, Start, Turn } from "./protocol.js";
import { Chance, play, randomAction } from "./protocol.js";

/** One match. Each match has its own Bot, so memory of a match is a field. */
class Bot {
  // All random numbers come from it, so that matches can be repeated.
  chance: Chance;
  // Failed attacks: for each seat, the panels named at each position.
  missed: Set<string>[][] = [];

  constructor(start: Start, chance: Chance) {
    this.chance = chance;
  }

  learn({ set_up, attacked, inserted }: Event) {
    if (set_up) {
      this.missed[set_up.seat] = set_up.code.map(() => new Set());
    }
    if (attacked?.hit === false) {
      this.missed[attacked.target][attacked.position].add(attacked.panel);
    }
    if (inserted) {
      // Later positions move up.
      this.missed[inserted.seat].splice(inserted.position, 0, new Set());
    }
  }

  act({ prompt, view }: Turn<CodaView>): Action {
    const [{ set_up, draw, attack, expose }] = prompt;
    if (set_up) return this.setUp(set_up);
    if (draw) return this.draw(draw);
    if (attack) return this.attack(prompt, view);
    if (expose) return this.expose(expose);
    return randomAction(prompt[0], this.chance); // the places of dashes
  }

  /** An even split of the colours leaves opponents the most codes to choose from. */
  setUp({ dark }: Legal): Action {
    return { set_up: { dark: dark[Math.floor(dark.length / 2)] } };
  }

  /** Try: the colour that others hide most of. */
  draw({ colour }: Legal): Action {
    return { draw: { colour: this.chance.pick(colour) } };
  }

  attack(prompt: Option[], view: CodaView): Action {
    const places = prompt.flatMap(({ attack }) => {
      if (!attack) return [];
      const [seat] = attack.seat;
      return attack.position.map((position) => {
        const fits = (face: string) => this.fits(view, seat, position, face);
        return { seat, position, faces: attack.face.filter(fits) };
      });
    });
    const fewest = Math.min(...places.map(({ faces }) => faces.length));
    const best = places.filter(({ faces }) => faces.length === fewest);
    const { seat, position, faces } = this.chance.pick(best);
    if (prompt.some(({ stop }) => stop) && fewest > 2) {
      return { stop: {} }; // a miss exposes the panel that you drew. Try: 1 or 3.
    }
    return { attack: { seat, position, face: this.chance.pick(faces) } };
  }

  /** Returns whether the panel may stand there: in order, not missed before, not seen elsewhere. Try: count the gaps. */
  fits(view: CodaView, seat: number, position: number, face: string): boolean {
    const { panels } = view.codes[seat];
    const panel = panels[position][0] + face; // such as D7 or L11; the colour, D or L, is visible
    const inOrder = (other: string, at: number) => {
      if (face === "-" || !/[0-9]/.test(other)) return true;
      return at < position === order(other) < order(panel);
    };
    const seen =
      view.aside?.panel === panel ||
      view.codes.some(({ panels }) => panels.includes(panel));
    const missed = this.missed[seat][position].has(panel);
    return panels.every(inOrder) && !seen && !missed;
  }

  /** Exposes the lowest panel, which is worth least. */
  expose({ position }: Legal): Action {
    return { expose: { position: position[0] } };
  }
}

/** Sort key: by number, then dark (D) before light (L). */
function order(panel: string): number {
  return 2 * Number(panel.slice(1)) + (panel[0] === "L" ? 1 : 0);
}

play("{{name}}", ["{{game}}"], Bot);

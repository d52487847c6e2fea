// {{name}} plays Coda. Make it stronger here: protocol.mjs does the talking.
import { play, randomAction } from "./protocol.mjs";

/** One match. Each match has its own Bot, so memory of a match is a field. */
class Bot {
  missed = []; // failed attacks: for each seat, the panels named at each position

  constructor(start, chance) {
    this.chance = chance; // draw all random numbers from it, so that matches can be repeated
  }

  learn({ set_up, attacked, inserted }) {
    if (set_up) this.missed[set_up.seat] = set_up.code.map(() => new Set());
    if (attacked?.hit === false) this.missed[attacked.target][attacked.position].add(attacked.panel);
    if (inserted) this.missed[inserted.seat].splice(inserted.position, 0, new Set()); // others move up by one
  }

  act({ prompt, view }) {
    const [{ set_up, draw, attack, expose }] = prompt;
    if (set_up) return this.setUp(set_up);
    if (draw) return this.draw(draw);
    if (attack) return this.attack(prompt, view);
    if (expose) return this.expose(expose);
    return randomAction(prompt[0], this.chance); // the places of dashes
  }

  setUp({ dark }) {
    return { set_up: { dark: dark[Math.floor(dark.length / 2)] } }; // an even split leaves the most codes possible
  }

  draw({ colour }) {
    return { draw: { colour: this.chance.pick(colour) } }; // Try: the colour that others hide most of.
  }

  attack(prompt, view) {
    const attacks = prompt.filter(({ attack }) => attack).map(({ attack }) => attack); // one for each opponent
    const places = attacks.flatMap(({ seat: [seat], position, face }) =>
      position.map((at) => ({ seat, position: at, faces: face.filter((name) => this.fits(view, seat, at, name)) })));
    const fewest = Math.min(...places.map(({ faces }) => faces.length));
    const { seat, position, faces } = this.chance.pick(places.filter(({ faces }) => faces.length === fewest));
    if (prompt.some(({ stop }) => stop) && fewest > 2) return { stop: {} }; // a miss would cost a panel. Try: 1 or 3.
    return { attack: { seat, position, face: this.chance.pick(faces) } };
  }

  /** Returns whether the panel may stand there: in order, not missed, not seen elsewhere. Try: count the gaps. */
  fits({ codes, aside }, seat, position, face) {
    const panel = codes[seat].panels[position][0] + face; // such as D7 or L11; the colour, D or L, is visible
    const order = (panel) => 2 * Number(panel.slice(1)) + (panel[0] === "L" ? 1 : 0); // by number, then D before L
    const inOrder = (other, at) =>
      face === "-" || !/[0-9]/.test(other) || (at < position) === (order(other) < order(panel));
    const seen = aside?.panel === panel || codes.some(({ panels }) => panels.includes(panel));
    return codes[seat].panels.every(inOrder) && !seen && !this.missed[seat][position].has(panel);
  }

  expose({ position }) {
    return { expose: { position: position[0] } }; // the lowest, which is worth least
  }
}

play("{{name}}", ["{{game}}"], Bot);

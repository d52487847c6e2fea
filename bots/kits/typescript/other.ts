// {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.ts does the talking.
import type { Action, Event, Legal, Start, Turn } from "./protocol.js";
import { Chance, play, randomAction } from "./protocol.js";

/** One match. Each match has its own Bot, so memory of a match is a field. */
class Bot {
  // The rules of the match, your seat, and how many seats there are.
  start: Start;
  // Draw all random numbers from it, so that matches can be repeated.
  chance: Chance;

  constructor(start: Start, chance: Chance) {
    this.start = start;
    this.chance = chance;
  }

  learn(event: Event) {
    // Receives each event once, as you see it: remember what matters.
  }

  act({ prompt, view }: Turn<any>): Action {
    const option = this.chance.pick(prompt); // Try: decide by the view, the table as you see it.
    // {{each}}
    if (option.{{kind}}) return this.answer{{Kind}}(option.{{kind}});
    // {{end}}
    return randomAction(option, this.chance);
  }
  // {{each}}

  /** {{help}} */
  answer{{Kind}}(legal: Legal): Action {
    return randomAction({ {{kind}}: legal }, this.chance);
  }
  // {{end}}
}

play("{{name}}", ["{{game}}"], Bot);

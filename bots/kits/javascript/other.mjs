// {{name}} plays {{game}}, at random so far. Make it stronger here: protocol.mjs does the talking.
import { play, randomAction } from "./protocol.mjs";

/** One match. Each match has its own Bot, so memory of a match is a field. */
class Bot {
  constructor(start, chance) {
    this.start = start; // its rules, your seat, and how many seats there are
    this.chance = chance; // draw all random numbers from it, so that matches can be repeated
  }

  learn(event) {
    // Receives each event once, as you see it: remember what matters.
  }

  act({ prompt, view }) {
    const option = this.chance.pick(prompt); // Try: decide by the view, the table as you see it.
    // {{each}}
    if (option.{{kind}}) return this.answer{{Kind}}(option.{{kind}});
    // {{end}}
    return randomAction(option, this.chance);
  }
  // {{each}}

  /** {{help}} */
  answer{{Kind}}(legal) {
    return randomAction({ {{kind}}: legal }, this.chance);
  }
  // {{end}}
}

play("{{name}}", ["{{game}}"], Bot);

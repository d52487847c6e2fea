// The protocol of the arena. Do not edit: your bot is in bot.mjs.

/**
 * Plays until the arena says quit. For each match it makes a `new Bot(start, chance)`, for each event it calls
 * `bot.learn(event)`, and for each turn `bot.act(turn)`, which returns an action.
 */
export function play(name, games, Bot) {
  const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");
  console.log = console.info = console.debug = console.error; // standard output is for messages only

  const bots = new Map(); // by match
  function take(line) {
    const [[kind, body]] = Object.entries(JSON.parse(line)); // each message is an object with a single key
    const bot = bots.get(body.match);
    if (kind === "hello") {
      send({ ready: { name, games } });
    } else if (kind === "start") {
      bots.set(body.match, new Bot(body, new Chance(body.seed)));
    } else if (kind === "turn") {
      body.events.forEach((event) => bot.learn(event));
      send({ id: body.id, action: bot.act(body) });
    } else if (kind === "end") {
      body.events.forEach((event) => bot.learn(event));
      bots.delete(body.match);
    } else if (kind === "error") {
      console.error(body.message);
    } else if (kind === "quit") {
      process.exit();
    } // ignore other kinds of messages: they come from a later version
  }

  let pieces = []; // pieces of a line that is not complete yet
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const [first, ...others] = chunk.split("\n");
    pieces.push(first);
    for (const next of others) {
      const line = pieces.join("");
      pieces = [next];
      if (line.trim()) take(line);
    }
  });
}

/** Returns a random legal action of this option, which lists the legal values of each field. */
export function randomAction(option, chance) {
  const pick = (legal) =>
    Array.isArray(legal[0]) ? legal.map(pick) : chance.pick(legal); // from a list of lists, one value each
  const [[kind, fields]] = Object.entries(option);
  const values = Object.entries(fields).map(([field, legal]) => [field, pick(legal)]);
  return { [kind]: Object.fromEntries(values) };
}

/** A random number generator with a seed, unlike Math.random(): equal seeds give equal numbers (SplitMix32). */
export class Chance {
  constructor(seed) {
    this.state = (seed ^ (seed / 2 ** 32)) | 0;
  }

  /** Returns a whole number from 0 to limit - 1. */
  below(limit) {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  }

  /** Returns a random item; the list must not be empty. */
  pick(values) {
    return values[this.below(values.length)];
  }
}

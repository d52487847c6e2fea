// Talks to the arena for a game: reads its lines, and answers each with what has happened and who must act.

/** A request that breaks the rules, such as rules that contradict themselves, with the reason for its author. */
export class Illegal extends Error {}

/** Plays all matches that the arena asks for, each as a `new Game(chance, seats, rules, say)`. */
export function play(Game) {
  console.log = console.info = console.debug = console.error; // standard output is for messages only
  const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");
  const matches = new Map();
  const take = (line) => {
    const [[kind, ask]] = Object.entries(JSON.parse(line)); // each message is an object with a single key
    if (kind === "hello") {
      send({ game: Game.facts });
    } else if (kind === "drop") {
      matches.delete(ask.match);
    } else if (["deal", "act", "late", "withdraw"].includes(kind)) {
      send(answerTo(kind, ask, Game, matches));
    } // messages of any other kind are from a later version: no answer
  };

  let pieces = []; // of a line that has not ended: a long one arrives piece by piece
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    const [first, ...others] = chunk.split("\n");
    pieces.push(first);
    for (const next of others) {
      take(pieces.join(""));
      pieces = [next];
    }
  });
}

function answerTo(kind, { id, match: number, seat, seats, ...ask }, Game, matches) {
  const events = [];
  /** Adds an event. `seen` maps seats that see less to what they see: an event, or null for nothing. */
  const say = (event, sentence = null, seen = {}) => events.push({ event, sentence, seen });

  let match = matches.get(number);
  try {
    if (kind === "deal") {
      match = new Game(new Chance(ask.seed), seats, ask.rules, say);
      matches.set(number, match);
    }
    match.say = say;
    if (kind === "act") {
      check(ask.action, match.act()[seat] ?? []);
      match.play(seat, ask.action);
    } else if (kind === "late") {
      if (!match.late) throw new Illegal("no answer in time");
      match.late(seat);
    } else if (kind === "withdraw") {
      match.withdraw(seats);
    }
  } catch (error) {
    if (!(error instanceof Illegal)) throw error;
    return { illegal: { id, why: error.message } };
  }
  const act = match.act();
  const views = match.views && { ...match.views() }; // by seat
  if (Object.keys(act).length > 0) return { state: { id, events, views, act } };
  return { over: { id, events, views, ...match.end() } };
}

/** Throws Illegal unless the prompt offers this action: bots may send anything. */
function check(action, prompt) {
  const isOffered = (option) => {
    const [[kind, fields]] = Object.entries(option);
    if (!isObject(action) || Object.keys(action).join() !== kind || !isObject(action[kind])) return false;
    return Object.entries(fields).every(([name, legal]) => offers(legal, action[kind][name]));
  };
  if (prompt.some(isOffered)) return;
  throw new Illegal(`${JSON.stringify(action)} is not legal here; choose from ${JSON.stringify(prompt)}`);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns true if the value is one of the legal ones; for a list of lists, if it is a list with one of each. */
function offers(legal, value) {
  if (!Array.isArray(legal[0])) return legal.includes(value);
  return Array.isArray(value) && value.length === legal.length && legal.every((each, at) => offers(each, value[at]));
}

/** Random numbers from a seed, which Math.random() cannot give: the same seed, the same numbers (sfc32). */
class Chance {
  constructor(seed) {
    this.state = [0, seed | 0, (seed / 2 ** 32) | 0, 1]; // both halves of a seed below 2^53
    for (let round = 0; round < 12; round++) this.next();
  }

  /** Returns the next whole number from 0 to below 2^32. */
  next() {
    const [a, b, c, count] = this.state;
    const sum = (a + b + count) | 0;
    this.state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + sum) | 0, (count + 1) | 0];
    return sum >>> 0;
  }

  /** Returns a whole number from 0 to below the limit. */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** Returns any of the values. */
  pick(values) {
    return values[this.below(values.length)];
  }

  /** Returns the values in random order. */
  shuffle(values) {
    return this.sample(values, values.length);
  }

  /** Returns so many of the values, each at most once, in random order. */
  sample(values, count) {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]);
  }
}

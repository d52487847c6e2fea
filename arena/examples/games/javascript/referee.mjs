// Talks to the arena for a game: reads each request, and answers with the new events and the seats to act.

/** A request that is not allowed, such as contradictory rules, with the reason for its author. */
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
    } // ignore other kinds of messages: they come from a later version
  };

  let pieces = []; // pieces of a line that is not complete yet
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
  /** Adds an event. For seats that see less, `seen` has what they see: another event, or null for none. */
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

/** A random number generator with a seed, unlike Math.random(): equal seeds give equal numbers (sfc32). */
class Chance {
  constructor(seed) {
    this.state = [0, seed | 0, (seed / 2 ** 32) | 0, 1]; // both halves of a seed below 2^53
    for (let round = 0; round < 12; round++) this.next();
  }

  /** Returns the next whole number from 0 to 2^32 - 1. */
  next() {
    const [a, b, c, count] = this.state;
    const sum = (a + b + count) | 0;
    this.state = [b ^ (b >>> 9), (c + (c << 3)) | 0, (((c << 21) | (c >>> 11)) + sum) | 0, (count + 1) | 0];
    return sum >>> 0;
  }

  /** Returns a whole number from 0 to limit - 1. */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** Returns a random value. */
  pick(values) {
    return values[this.below(values.length)];
  }

  /** Returns the values in random order. */
  shuffle(values) {
    return this.sample(values, values.length);
  }

  /** Returns `count` of the values, each at most once, in random order. */
  sample(values, count) {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)[0]);
  }
}

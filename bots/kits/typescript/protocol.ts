// The protocol of the arena. Do not edit: your bot is in bot.ts.

/** An option of a prompt: the kind of action, and the legal values of each of its fields. */
export type Option = Record<string, Legal>;
export type Legal = Record<string, any[]>;
/** Your choice: an option with one value for each field. */
export type Action = Record<string, Record<string, unknown>>;
/** An event: its kind, and its fields. */
export type Event = Record<string, any>;

export interface Clock {
  move_ms: number | null;
  bank_ms?: number;
  increment_ms?: number;
}

export interface Start {
  match: number;
  game: string;
  rules: Record<string, any>;
  seat: number;
  seats: number;
  seed: number;
  clock: Clock;
}

export interface Turn<View> {
  id: number;
  match: number;
  events: Event[];
  prompt: Option[];
  view: View;
  clock: Clock;
}

export interface End {
  match: number;
  events: Event[];
  outcome: {
    seats: {
      place: number;
      points: number;
      breakdown: Record<string, number>;
    }[];
  };
  ended: "played" | "forfeit";
}

/** What a seat of Coda sees. Panels are like D7 or L11; D? is hidden, D- a dash. */
export interface CodaView {
  seat: number;
  round: number;
  rounds: number;
  dashes: boolean;
  numbers?: number;
  codes: { panels: string[]; standing: number[] }[];
  taken: string[];
  aside: { seat: number; panel: string } | null;
  pool: { dark: number; light: number };
  points: number[];
}

/** The methods a bot must have. */
export interface MatchBot<View> {
  learn(event: Event): void;
  act(turn: Turn<View>): Action;
}

// The parts of Node.js used here; its own types would need a package from npm.
declare global {
  const console: Record<
    "log" | "info" | "debug" | "error",
    (...values: unknown[]) => void
  >;
  const process: {
    stdin: {
      setEncoding(name: string): void;
      on(event: "data", take: (chunk: string) => void): void;
    };
    stdout: { write(text: string): void };
    exit(): never;
  };
}

/**
 * Plays until the arena says quit. For each match it makes a `new Bot(start, chance)`, for each event it calls
 * `bot.learn(event)`, and for each turn `bot.act(turn)`, which returns an action.
 */
export function play<View>(
  name: string,
  games: string[],
  Bot: new (start: Start, chance: Chance) => MatchBot<View>,
) {
  const send = (message: object) =>
    process.stdout.write(JSON.stringify(message) + "\n");
  console.log = console.info = console.debug = console.error; // standard output is for messages only

  const bots = new Map<number, MatchBot<View>>(); // by match
  function take(line: string) {
    const message = JSON.parse(line); // an object with a single key: the kind of message
    if (message.hello) {
      send({ ready: { name, games } });
    } else if (message.start) {
      const start: Start = message.start;
      bots.set(start.match, new Bot(start, new Chance(start.seed)));
    } else if (message.turn) {
      const turn: Turn<View> = message.turn;
      const bot = bots.get(turn.match)!;
      turn.events.forEach((event) => bot.learn(event));
      send({ id: turn.id, action: bot.act(turn) });
    } else if (message.end) {
      const end: End = message.end;
      end.events.forEach((event) => bots.get(end.match)!.learn(event));
      bots.delete(end.match);
    } else if (message.error) {
      console.error(message.error.message);
    } else if (message.quit) {
      process.exit();
    } // ignore other kinds of messages: they come from a later version
  }

  let pieces: string[] = []; // pieces of a line that is not complete yet
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
export function randomAction(option: Option, chance: Chance): Action {
  const pick = (legal: any[]): unknown =>
    Array.isArray(legal[0]) ? legal.map(pick) : chance.pick(legal); // from a list of lists, one value each
  const [[kind, fields]] = Object.entries(option);
  const values = Object.entries(fields).map(([field, legal]) => [
    field,
    pick(legal),
  ]);
  return { [kind]: Object.fromEntries(values) };
}

/** A random number generator with a seed, unlike Math.random(): equal seeds give equal numbers (SplitMix32). */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = (seed ^ (seed / 2 ** 32)) | 0;
  }

  /** Returns a whole number from 0 to limit - 1. */
  below(limit: number): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit);
  }

  /** Returns a random item; the list must not be empty. */
  pick<Value>(values: Value[]): Value {
    return values[this.below(values.length)];
  }
}

// The output of `arena show DIR MATCH --json`, which is also the data of pages.
export interface Replay {
  version: number;
  game: string;
  title: string;
  rules: unknown;
  tournament: string;
  match: string;
  bots: string[];
  seat: number | null;
  frames: Step[];
  outcome: { seats: { place: number; points: number; breakdown: Record<string, number> }[] };
  ended: 'played' | 'forfeit';
  forfeits: Failure[];
}
export interface Step {
  moves: Reaction[];
  all: Sight | null;
  seats: (SeatSight | null)[];
}
export interface Reaction {
  turn: number;
  seat: number;
  prompt: any;
  reply: { act: any } | 'late' | { failed: { cause: string; detail: string } };
  known: Known | null;
  judged: any;
  lesson?: string;
  note: string | null;
  log: string | null;
  wall_us: number | null;
  cpu_us: number | null;
}
export interface Guess { action: any; chance: number }
export interface Counted { worlds: number | null; likeliest: Guess[] }
export interface Known extends Counted {
  chance: number | null;
  learned: { expected: number; gained: number; right: boolean | null } | null;
}
export interface Sight { event: any; words: string | null }
export interface SeatSight extends Sight {
  view: Record<string, any>;
  known: Counted | null;
  /** On pages: paths of lists in the view, each with the items added at its end. */
  grown?: [(string | number)[], any[]][];
}
export interface Failure {
  bot: string;
  match: string;
  turn: number;
  seat: number;
  opponents: string[];
  cause: string;
  detail: string;
  prompt: any;
  sent: string[];
  received: string[];
  log: string;
  exit: string | null;
  wall_us: number | null;
  cpu_us: number | null;
  help: string | null;
}

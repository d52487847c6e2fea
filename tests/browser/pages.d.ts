// What the scripts of pages share: the data of a page, and what a game's table is made of. `game` is made from the schema of its messages.
import type * as game from './game';
import type * as replay from './replay';

declare global {
  type Replay = Omit<replay.Replay, 'rules'> & { rules: Rules };
  type Step = replay.Step;
  type Reaction = replay.Reaction;
  type Known = replay.Known;
  /** Pages are sent all fields. */
  type View = Required<game.View>;
  type GameEvent = game.Event;
  type Rules = Required<game.Rules>;
  /** Names with values; what begins with `on` is called. */
  type Attributes = Record<string, any>;
  type Child = Node | string | null | undefined | Child[];

  /** What a table shows: nothing is hidden if nobody's eyes are used. */
  interface Look {
    bots: string[];
    eyes: number | null;
    /** The views of all seats that are seen; where nothing is hidden, of each. */
    views: View[];
    before: View[];
    event: GameEvent | null;
    events: GameEvent[];
    /** The events in words, where the seat is played here. */
    sentences?: string[];
    rules: Rules;
    /** True if the seat whose eyes are used is played here. */
    isPlaying?: boolean;
    /** What is being chosen for lists of values, null where nothing is chosen yet, and the place that is filled next. */
    draft?: { slot: number, [field: string]: any } | null;
  }
  type Draw = (look: Look) => Element;
  /** Where a value that may be chosen stands in a form. */
  type Cell = { value: unknown; text: string; element: Element };

  /** What a game's table is made with. */
  interface Tools {
    choice: (values: object) => Attributes;
    count: (number: number, one: string, many?: string) => string;
    el: {
      <K extends keyof HTMLElementTagNameMap>(tag: K, attributes?: Attributes, ...children: Child[]): HTMLElementTagNameMap[K];
      (tag: string, attributes?: Attributes, ...children: Child[]): SVGElement;
    };
    parts: (event: object | null) => [string, any];
    picture: (label: string, width: number, height: number, ...children: Child[]) => Element;
    place: (name: string, facts: string, isActing: boolean, ...content: Child[]) => Element;
    sheet: (field: string, labels: string[], values: (number | string)[]) => Element;
    style: (rules: string) => void;
  }
  /** The fields of views that name seats, and those that are lists by seat. */
  const PLAYERS: { seat: string[]; by_seat: string[] };
}

// Types shared by the scripts of pages: the data of a page, and the tools of a game's table. `game` is generated from its message schema.
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
  /** Attributes by name; those that begin with `on` are functions. */
  type Attributes = Record<string, any>;
  type Child = Node | string | null | undefined | Child[];

  /** What a table shows. Without `eyes`, nothing is hidden. */
  interface Look {
    bots: string[];
    eyes: number | null;
    /** The visible views by seat; all of them if nothing is hidden. */
    views: View[];
    before: View[];
    event: GameEvent | null;
    events: GameEvent[];
    /** The events in words, if the seat is played here. */
    sentences?: string[];
    rules: Rules;
    /** True if the viewing seat is played here. */
    isPlaying?: boolean;
    /** The choices so far for lists of values, null for those not chosen yet, and the place to fill next. */
    draft?: { slot: number, [field: string]: any } | null;
  }
  type Draw = (look: Look) => Element;
  /** The place of a value in a form. */
  type Cell = { value: unknown; text: string; element: Element };

  /** The tools that draw a game's table. */
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

// Bids: everybody bids a card in secret, and the highest card that nobody else bid wins the prize.
import { Illegal, play } from "./referee.mjs";

const CARDS = 10;
const PRIZES = 5;

class Bids {
  static facts = {
    name: "bids",
    title: "Bids",
    seats: [2, 4],
    points: [0, 15],
    rules: { rounds: { default: 5, about: "number of prizes, 1 to 5" } },
    forms: [{ action: "bid", help: "Bid a card in secret.", fields: [{ name: "card" }] }],
    players: { seat: ["winner"], by_seat: ["hands", "cards", "points"] },
  };

  /** Deals a match. All randomness comes from `chance`, so that the same seed gives the same match. */
  constructor(chance, seats, { rounds }, say) {
    if (rounds < 1 || rounds > PRIZES) throw new Illegal(`rounds must be 1 to ${PRIZES}, not ${rounds}`);
    this.say = say;
    this.prizes = chance.sample(upTo(PRIZES), rounds);
    this.hands = Array.from({ length: seats }, () => chance.sample(upTo(CARDS), rounds).sort((a, b) => a - b));
    this.points = this.hands.map(() => 0);
    this.playing = new Set(this.hands.keys());
    this.bids = new Map(); // by seat
    // Each seat sees its own hand, and that the others have one.
    const own = this.hands.map((hand) => ({ event: { deal: { hand } } }));
    say({ deal: { hands: this.hands } }, "The cards are dealt.", { ...own });
    this.reveal();
  }

  /** Shows the next prize. */
  reveal() {
    this.say({ prize: { worth: this.prizes[0] } }, `The prize is worth ${this.prizes[0]}.`);
  }

  /** Returns the prompt of each seat that has to act: its options, with the legal values of each field. */
  act() {
    if (this.prizes.length === 0) return {};
    const waiting = [...this.playing].filter((seat) => !this.bids.has(seat));
    return Object.fromEntries(waiting.map((seat) => [seat, [{ bid: { card: this.hands[seat] } }]]));
  }

  /** Returns the table as each seat sees it now. Without this method, seats only see events. */
  views() {
    return this.hands.map((hand) => ({ prize: this.prizes[0] ?? null, points: this.points, hand }));
  }

  /** Takes an action that the seat's prompt offers. Others do not see it until all have bid. */
  play(seat, action) {
    this.bids.set(seat, action.bid.card);
    this.open();
  }

  /** Bids the lowest card of a seat that is late. Without this method, the seat would forfeit. */
  late(seat) {
    this.bids.set(seat, Math.min(...this.hands[seat]));
    this.open();
  }

  /** Excludes seats that forfeit from bidding. If only one seat remains, it wins the remaining prizes. */
  withdraw(seats) {
    seats.forEach((seat) => this.playing.delete(seat));
    if (this.playing.size > 1) return this.open();
    for (const seat of this.playing) {
      const worth = this.prizes.reduce((sum, prize) => sum + prize);
      this.points[seat] += worth;
      this.say({ walkover: { winner: seat, worth } }, `@${seat} is alone, and wins ${worth}.`);
    }
    this.prizes = [];
  }

  /** Opens the bids once all seats have bid. */
  open() {
    if (this.bids.size < this.playing.size) return;
    const cards = this.hands.map((_, seat) => this.bids.get(seat) ?? null);
    const alone = cards.filter((card) => card !== null && cards.indexOf(card) === cards.lastIndexOf(card));
    const winner = alone.length > 0 ? cards.indexOf(Math.max(...alone)) : null;
    const said = cards.flatMap((card, seat) => (card === null ? [] : `@${seat} ${card}`)).join(", ");
    if (winner !== null) this.points[winner] += this.prizes[0];
    const won = winner === null ? "" : `; @${winner} wins the prize`;
    this.say({ opened: { cards, winner } }, `Bids: ${said}${won}.`);
    this.hands = this.hands.map((hand, seat) => hand.filter((card) => card !== cards[seat]));
    this.bids.clear();
    this.prizes.shift();
    if (this.prizes.length > 0) this.reveal();
  }

  /** Returns the points of all seats at the end of the match. */
  end() {
    return { points: this.points };
  }
}

/** Returns the whole numbers from 1 to this one. */
function upTo(last) {
  return Array.from({ length: last }, (_, index) => index + 1);
}

play(Bids);

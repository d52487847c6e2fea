"""Bids: everybody bids a card in secret, and the highest card that nobody else bid wins the prize."""

import referee
from referee import Illegal

CARDS = 10
PRIZES = 5


class Bids:
    FACTS = {
        "name": "bids",
        "title": "Bids",
        "seats": [2, 4],
        "points": [0, 15],
        "rules": {"rounds": {"default": 5, "about": "number of prizes, 1 to 5"}},
        "forms": [{"action": "bid", "help": "Bid a card in secret.", "fields": [{"name": "card"}]}],
        "players": {"seat": ["winner"], "by_seat": ["hands", "cards", "points"]},
    }

    def __init__(self, chance, seats, rules, say):
        """Deals a match. All randomness comes from `chance`, so that the same seed gives the same match."""
        rounds = rules["rounds"]
        if not 1 <= rounds <= PRIZES:
            raise Illegal(f"rounds must be 1 to {PRIZES}, not {rounds}")
        self.say = say
        self.prizes = chance.sample(range(1, PRIZES + 1), rounds)
        self.hands = [sorted(chance.sample(range(1, CARDS + 1), rounds)) for _ in range(seats)]
        self.points = [0] * seats
        self.playing = set(range(seats))
        self.bids = {}
        # Each seat sees its own hand, and only that the others have one.
        own = {seat: {"event": {"deal": {"hand": hand}}} for seat, hand in enumerate(self.hands)}
        say({"deal": {"hands": self.hands}}, "The cards are dealt.", own)
        self.reveal()

    def reveal(self):
        """Shows the next prize."""
        self.say({"prize": {"worth": self.prizes[0]}}, f"The prize is worth {self.prizes[0]}.")

    def act(self):
        """Returns the prompt of each seat that has to act: its options, with the legal values of each field."""
        if not self.prizes:
            return {}
        waiting = sorted(self.playing - self.bids.keys())
        return {seat: [{"bid": {"card": self.hands[seat]}}] for seat in waiting}

    def views(self):
        """Returns the table as each seat sees it now. Without this method, seats only see events."""
        prize = self.prizes[0] if self.prizes else None
        return [{"prize": prize, "points": self.points, "hand": hand} for hand in self.hands]

    def play(self, seat, action):
        """Takes an action that the seat's prompt offers. Others do not see it until all have bid."""
        self.bids[seat] = action["bid"]["card"]
        self.open()

    def late(self, seat):
        """Bids the lowest card of a seat that is late. Without this method, the seat would forfeit."""
        self.bids[seat] = self.hands[seat][0]
        self.open()

    def withdraw(self, seats):
        """Excludes seats that forfeit from bidding. If only one seat remains, it wins the remaining prizes."""
        self.playing -= set(seats)
        if len(self.playing) > 1:
            self.open()
            return
        for seat in self.playing:
            worth = sum(self.prizes)
            self.points[seat] += worth
            self.say({"walkover": {"winner": seat, "worth": worth}}, f"@{seat} is alone, and wins {worth}.")
        self.prizes = []

    def open(self):
        """Opens the bids once all seats have bid."""
        if self.playing - self.bids.keys():
            return
        cards = [self.bids.get(seat) for seat in range(len(self.hands))]
        alone = [card for card in cards if card and cards.count(card) == 1]
        winner = cards.index(max(alone)) if alone else None
        said = ", ".join(f"@{seat} {card}" for seat, card in enumerate(cards) if card)
        if winner is not None:
            self.points[winner] += self.prizes[0]
            said += f"; @{winner} wins the prize"
        self.say({"opened": {"cards": cards, "winner": winner}}, f"Bids: {said}.")
        for seat, card in self.bids.items():
            self.hands[seat].remove(card)
        self.bids = {}
        del self.prizes[0]
        if self.prizes:
            self.reveal()

    def end(self):
        """Returns the points of all seats at the end of the match."""
        return {"points": self.points}


referee.play(Bids)

"""{{name}} plays {{game}}, at random so far. Make it stronger here: protocol.py does the talking."""
from protocol import play, random_action


class Bot:
    """One match. Each match has its own Bot, so memory of a match is a field."""

    def __init__(self, start, chance):
        self.start = start          # its "rules", your "seat", and how many "seats" there are
        self.chance = chance        # draw all random numbers from it, so that matches can be repeated

    def learn(self, event):
        pass                        # it receives each event once, as you see it: remember what matters

    def act(self, turn):
        option = self.chance.choice(turn["prompt"])     # Try: decide by turn["view"], the table as you see it.
        (kind, legal), = option.items()
        # {{each}}
        if kind == "{{kind}}": return self.answer_{{kind}}(legal)
        # {{end}}
        return random_action(option, self.chance)
    # {{each}}

    def answer_{{kind}}(self, legal):
        """{{help}}"""
        return random_action({"{{kind}}": legal}, self.chance)
    # {{end}}


play("{{name}}", ["{{game}}"], Bot)

"""A bot for Crack the code: it guesses codes that fit all answers, and of those one whose answer will tell it much."""
import itertools
import json
import random
import sys
from collections import Counter


def pins(guess, hidden):
    """The black and white pins of a guess: every peg counts once, black goes before white."""
    black = sum(a == b for a, b in zip(guess, hidden))
    both = Counter(guess) & Counter(hidden)                 # of each colour, the smaller count
    return black, sum(both.values()) - black


def fitting(option, board, chance):
    """Codes that would have earned each guess on the board the pins that it did earn."""
    def fits(code):
        return all(pins(guess["code"], code) == (guess["pins"]["black"], guess["pins"]["white"]) for guess in board)
    size = 1
    for colours in option:
        size *= len(colours)
    if size <= 50_000:                                      # few enough to go through them all
        codes = itertools.product(*option)
    else:                                                   # else only some, drawn at random
        codes = (tuple(chance.choice(colours) for colours in option) for _ in range(20_000))
    return [code for code in codes if fits(code)] or [tuple(chance.choice(colours) for colours in option)]


def best(candidates, chance):
    """Of a few candidates the one with the most different answers: the more there are, the fewer codes each leaves."""
    some = chance.sample(candidates, min(len(candidates), 100))
    return max(some[:30], key=lambda guess: len({pins(guess, hidden) for hidden in some}))


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "keen", "games": ["crack-the-code"], "wants": ["view"]}}), flush=True)
    elif kind == "start":
        chance = random.Random(body["seed"])
    elif kind == "turn":
        (name, option), = body["prompt"][0].items()         # the only option: hide a code, or guess one
        board = body["view"]["guesses"][body["view"]["seat"]]
        if name == "hide" or not board:                     # nothing is known: any code will do
            code = [chance.choice(colours) for colours in option["code"]]
        else:
            code = best(fitting(option["code"], board, chance), chance)
        print(json.dumps({"id": body["id"], "action": {name: {"code": code}}}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)

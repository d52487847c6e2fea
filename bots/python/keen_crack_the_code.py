"""A bot for Crack the code: of the codes that fit all answers, it guesses one whose answer reveals much."""
import itertools
import json
import random
import sys
from collections import Counter


def pins(guess, hidden):
    """Returns the black and white pins of a guess: each peg counts once, as black if possible."""
    black = sum(a == b for a, b in zip(guess, hidden))
    both = Counter(guess) & Counter(hidden)                 # for each colour, the smaller count
    return black, sum(both.values()) - black


def fitting(option, board, chance):
    """Returns codes that explain the pins of all guesses on the board."""
    def fits(code):
        return all(pins(guess["code"], code) == (guess["pins"]["black"], guess["pins"]["white"]) for guess in board)
    size = 1
    for colours in option:
        size *= len(colours)
    if size <= 50_000:                                      # few enough to test them all
        codes = itertools.product(*option)
    else:                                                   # otherwise only a random sample
        codes = (tuple(chance.choice(colours) for colours in option) for _ in range(20_000))
    return [code for code in codes if fits(code)] or [tuple(chance.choice(colours) for colours in option)]


def best(candidates, chance):
    """Returns the candidate with the most different answers, from a sample: more answers leave fewer codes each."""
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
        if name == "hide" or not board:                     # nothing is known yet: any code will do
            code = [chance.choice(colours) for colours in option["code"]]
        else:
            code = best(fitting(option["code"], board, chance), chance)
        print(json.dumps({"id": body["id"], "action": {name: {"code": code}}}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)

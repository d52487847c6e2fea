"""A Digit Code bot with a sieve: it keeps the codes that fit all answers, and asks the question that splits them best."""
import collections
import itertools
import json
import random
import sys

SHAPES = "abcdef bc abdeg abcdg bcfg acdfg acdefg abc abcdefg abcdfg".split()             # the segments of 0 to 9
PLACES = {"a": (1, 0), "f": (0, 1), "b": (2, 1), "g": (1, 2), "e": (0, 3), "c": (2, 3), "d": (1, 4)}
FILLED = [{PLACES[segment] for segment in shape} for shape in SHAPES]                   # (column, row) in the digit
COLUMN = [[sum(x == at for x, _ in digit) for at in range(3)] for digit in FILLED]
ROW = [[sum(y == at for _, y in digit) for at in range(5)] for digit in FILLED]
PAIRS = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]                        # neighbours among T U V W X Y
CODES = [code for code in itertools.product(range(10), repeat=6)
         if all(code[i] != code[j] for i, j in PAIRS) and max(map(code.count, code)) < 3]


def answer(kind, values):
    """Returns a function from a code to the answer to this question, in the form of events."""
    if kind == "line" and values["line"] < "J":
        at, of = divmod("ABCDEFGHI".index(values["line"]), 3)
        return lambda code: COLUMN[code[at]][of] + COLUMN[code[at + 3]][of]
    if kind == "line":
        half, of = divmod("JKLMNOPQRS".index(values["line"]), 5)
        return lambda code: sum(ROW[digit][of] for digit in code[half * 3:half * 3 + 3])
    if kind == "parity":
        at = "TUVWXY".index(values["digit"])
        return lambda code: ("even", "odd")[code[at] % 2]
    if kind == "larger":
        i, j = ("TUVWXY".index(letter) for letter in values["pair"])
        return lambda code: values["pair"][code[j] > code[i]]
    (at, x), (half, y) = divmod("ABCDEFGHI".index(values["column"]), 3), divmod("JKLMNOPQRS".index(values["row"]), 5)
    return lambda code: (x, y) in FILLED[code[half * 3 + at]]


def sieve(codes, event, seat, seats):
    """Returns the codes left after an event. With two seats, each solves the other's code."""
    (name, values), = event.items()
    if name == "game_started":
        return CODES
    if not name.startswith(("asked", "declared")) or seats == 2 and values["seat"] != seat:
        return codes
    if name == "declared":
        return [code for code in codes if ("".join(map(str, code)) == values["code"]) == values["right"]]
    given = next(values[key] for key in ("filled", "parity", "larger") if key in values)
    fits = answer(name[len("asked_"):], values)
    return [code for code in codes if fits(code) == given]


def choose(prompt, codes, seats, chance):
    """Declares if few codes are left; otherwise asks the best of some random questions, tested on a sample of the codes."""
    few = 2 if seats == 2 else 5         # where all hear the answers, another question may reveal the code to the next seat
    if "hide" in prompt[0] or "declare" in prompt[-1] and (len(codes) <= few or len(prompt) == 1):
        return {next(iter(prompt[-1])): {"code": "".join(map(str, chance.choice(codes)))}}
    asks, some = [], codes if len(codes) < 200 else chance.sample(codes, 200)
    for _ in range(30):
        (name, values), = chance.choice([option for option in prompt if "declare" not in option]).items()
        values = {key: chance.choice(legal) for key, legal in values.items()}
        parts = collections.Counter(map(answer(name[len("ask_"):], values), some))
        asks.append((max(parts.values()), len(asks), {name: values}))
    return min(asks)[2]


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        print(json.dumps({"ready": {"name": "sieve", "games": ["digit-code"], "wants": ["events"]}}), flush=True)
    elif kind == "start":
        chance, codes, seat, seats = random.Random(body["seed"]), CODES, body["seat"], body["seats"]
    elif kind == "turn":
        for event in body["events"]:
            codes = sieve(codes, event, seat, seats)
        print(json.dumps({"id": body["id"], "action": choose(body["prompt"], codes, seats, chance)}), flush=True)

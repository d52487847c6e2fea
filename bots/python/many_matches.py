"""A bot that plays up to 64 matches at the same time in one process: random moves, with all waiting turns answered together.

A neural network would process the waiting turns as one batch in `decide`.
"""
import json
import os
import random
import sys

MATCHES = 64


def arrived():
    """Yields the complete lines of the input, as a list each time some have arrived."""
    rest = b""
    while block := os.read(0, 1 << 16):
        *lines, rest = (rest + block).split(b"\n")
        yield [json.loads(line) for line in lines if line.strip()]


def choose(legal, chance):
    """Returns a random legal value; from a list of lists, one from each."""
    return [choose(values, chance) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)


def decide(turns):
    """Yields an action for each turn."""
    for turn in turns:
        chance = chances[turn["match"]]
        (name, values), = chance.choice(turn["prompt"]).items()
        yield {name: {key: choose(legal, chance) for key, legal in values.items()}}


chances = {}                                                # the bot's memory of each match, by its number
for messages in arrived():
    turns, answers = [], []
    for message in messages:
        (kind, body), = message.items()
        if kind == "hello":
            answers.append({"ready": {"name": "many matches", "matches": MATCHES, "wants": []}})
        elif kind == "start":
            chances[body["match"]] = random.Random(body["seed"])
        elif kind == "turn":
            turns.append(body)
        elif kind == "end" or kind == "error":
            chances.pop(body.get("match"), None)
            if kind == "error":
                print(body["message"], file=sys.stderr)
    answers += ({"id": turn["id"], "action": action} for turn, action in zip(turns, decide(turns)))
    sys.stdout.write("".join(json.dumps(answer) + "\n" for answer in answers))
    sys.stdout.flush()

"""The shortest complete bot: it plays every game by choosing legal actions at random."""
import json
import random
import sys


def choose(legal):
    """Pick one legal value; from a list of lists (the places of a code), one value each."""
    return [choose(values) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)


for line in sys.stdin:                                      # one message per line, until the arena closes the pipe
    (kind, body), = json.loads(line).items()                # each message is an object with a single key
    if kind == "hello":
        print(json.dumps({"ready": {"name": "first bot"}}), flush=True)     # flush, or the arena never sees it
    elif kind == "start":
        chance = random.Random(body["seed"])                # the same seed gives the same match
    elif kind == "turn":
        option = chance.choice(body["prompt"])              # an option lists the legal values of each field
        (name, values), = option.items()
        action = {name: {key: choose(legal) for key, legal in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)             # stderr is the bot's log; the arena keeps it

"""The shortest complete bot: it plays any game by choosing at random among what it is offered."""
import json
import random
import sys


def choose(legal):
    """One of the legal values; of a list of lists, such as the places of a code, one from each."""
    return [choose(values) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)


for line in sys.stdin:                                      # one message a line, until the arena closes the pipe
    (kind, body), = json.loads(line).items()                # each message is an object with a single key
    if kind == "hello":
        print(json.dumps({"ready": {"name": "first bot"}}), flush=True)     # flush, or the arena waits in vain
    elif kind == "start":
        chance = random.Random(body["seed"])                # the arena's seed makes the match repeatable
    elif kind == "turn":
        option = chance.choice(body["prompt"])              # an option is an action with lists of legal values
        (name, values), = option.items()
        action = {name: {key: choose(legal) for key, legal in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
    elif kind == "error":
        print(body["message"], file=sys.stderr)             # stderr is yours: the arena keeps it as the bot's log

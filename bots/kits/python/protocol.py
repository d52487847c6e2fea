"""The protocol of the arena. Do not edit: your bot is in bot.py."""
import json
import random
import sys


def play(name, games, new_bot):
    """Plays until the arena says quit.

    For each match it calls new_bot(start, chance), for each event bot.learn(event), and for each turn bot.act(turn),
    which returns an action."""
    out, sys.stdout = sys.stdout, sys.stderr    # only messages go to standard output: print() writes to the bot's log

    def send(message):
        print(json.dumps(message), file=out, flush=True)    # without a flush, it would not arrive

    bots = {}                                   # by match
    for line in sys.stdin.buffer:               # each line is one message, an object with a single key
        if not line.strip():
            continue
        (kind, body), = json.loads(line).items()
        bot = bots.get(body.get("match"))
        if kind == "hello":
            send({"ready": {"name": name, "games": games}})
        elif kind == "start":
            bots[body["match"]] = new_bot(body, random.Random(body["seed"]))
        elif kind == "turn":
            learn(bot, body["events"])
            send({"id": body["id"], "action": bot.act(body)})
        elif kind == "end":
            learn(bot, body["events"])
            del bots[body["match"]]
        elif kind == "error":
            print(body["message"], file=sys.stderr)
        elif kind == "quit":
            break                               # ignore other kinds of messages: they come from a later version


def learn(bot, events):
    for event in events:
        bot.learn(event)


def random_action(option, chance):
    """Returns a random legal action of this option, which lists the legal values of each field."""
    def pick(legal):                            # for a list of lists, such as the places of a code: one value each
        return [pick(values) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)

    (kind, fields), = option.items()
    return {kind: {field: pick(legal) for field, legal in fields.items()}}

"""Talks to the arena for a game: reads each request, and answers with the new events and the seats to act."""

import json
import random
import sys


class Illegal(Exception):
    """A request that is not allowed, such as contradictory rules, with the reason for its author."""


def play(game):
    """Plays all matches that the arena asks for, each as an object of this class."""
    out, sys.stdout = sys.stdout, sys.stderr  # only messages go to standard output: print() writes to the log

    def send(message):
        print(json.dumps(message), file=out, flush=True)  # without a flush, it would not arrive

    matches = {}
    for line in sys.stdin.buffer:
        (kind, ask), = json.loads(line).items()  # each message is an object with a single key
        if kind == "hello":
            send({"game": game.FACTS})
        elif kind == "drop":
            matches.pop(ask["match"], None)
        elif kind in ("deal", "act", "late", "withdraw"):
            send(answer_to(kind, ask, game, matches))
        # ignore other kinds of messages: they come from a later version


def answer_to(kind, ask, game, matches):
    number, events = ask["match"], []

    def say(event, sentence=None, seen=None):
        """Adds an event. For seats that see less, `seen` has what they see: another event, or None for none."""
        events.append({"event": event, "sentence": sentence, "seen": seen or {}})

    try:
        if kind == "deal":
            match = game(random.Random(ask["seed"]), ask["seats"], ask["rules"], say)
            matches[number] = match
        else:
            match = matches[number]
            match.say = say
        if kind == "act":
            check(ask["action"], match.act().get(ask["seat"], []))
            match.play(ask["seat"], ask["action"])
        elif kind == "late":
            if not hasattr(match, "late"):
                raise Illegal("no answer in time")
            match.late(ask["seat"])
        elif kind == "withdraw":
            match.withdraw(ask["seats"])
    except Illegal as why:
        return {"illegal": {"id": ask["id"], "why": str(why)}}
    act, told = match.act(), {"id": ask["id"], "events": events}
    if hasattr(match, "views"):
        told["views"] = dict(enumerate(match.views()))
    if act:
        return {"state": {**told, "act": act}}
    return {"over": {**told, **match.end()}}


def check(action, prompt):
    """Raises Illegal unless the prompt offers this action: bots may send anything."""
    for option in prompt:
        (kind, fields), = option.items()
        values = action[kind] if isinstance(action, dict) and list(action) == [kind] else None
        if isinstance(values, dict) and all(offers(legal, values.get(name)) for name, legal in fields.items()):
            return
    raise Illegal(f"{json.dumps(action)} is not legal here; choose from {json.dumps(prompt)}")


def offers(legal, value):
    """Returns True if the value is one of the legal ones; for a list of lists, if it is a list with one of each."""
    if isinstance(legal[0], list):
        return isinstance(value, list) and len(value) == len(legal) and all(map(offers, legal, value))
    return any(type(value) is type(one) and value == one for one in legal)  # in Python, True == 1

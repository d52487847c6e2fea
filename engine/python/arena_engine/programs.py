"""Runs a learned policy as a bot program, which answers many matches at once."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._native import Observer

#: Maps observations [n, length] and masks [n, actions] to the indices of n actions.
Policy = Callable[[NDArray[np.int16], NDArray[np.int8]], NDArray[np.int32]]


def arrived() -> Iterator[list[dict[str, Any]]]:
    """Yields the complete messages of the input, as a list each time some have arrived."""
    rest = b""
    while block := os.read(0, 1 << 16):
        *lines, rest = (rest + block).split(b"\n")
        yield [json.loads(line) for line in lines if line.strip()]


def serve(policy: Policy, name: str, variant: str = "private", matches: int = 64) -> None:
    """Plays on standard input and output until the arena quits; turns that arrive together form one batch."""
    seats: dict[int, Observer] = {}
    for messages in arrived():
        turns, answers = [], []
        for message in messages:
            (kind, body), = message.items()
            if kind == "hello":
                answers.append({"ready": {"name": name, "matches": matches, "wants": ["events"]}})
            elif kind == "start":
                seats[body["match"]] = Observer(body, variant)
            elif kind == "turn":
                turns.append(body)
            elif kind in ("end", "error"):
                seats.pop(body.get("match"), None)
                if kind == "error":
                    print(body["message"], file=sys.stderr)
            elif kind == "quit":
                return
        answers += answer(policy, [(turn, seats[turn["match"]]) for turn in turns])
        sys.stdout.write("".join(json.dumps(line) + "\n" for line in answers))
        sys.stdout.flush()


def answer(policy: Policy, turns: list[tuple[dict[str, Any], Observer]]) -> list[dict[str, Any]]:
    """Returns the answers to turns that have arrived together."""
    if not turns:
        return []
    first = turns[0][1]
    obs = np.zeros((len(turns), first.length), np.int16)
    mask = np.zeros((len(turns), first.actions), np.int8)
    for row, (turn, seat) in enumerate(turns):
        seat.see(turn["events"])
        seat.write(turn["prompt"], obs[row], mask[row])
    chosen = policy(obs, mask)
    return [{"id": turn["id"], "action": seat.action(int(index))} for (turn, seat), index in zip(turns, chosen)]

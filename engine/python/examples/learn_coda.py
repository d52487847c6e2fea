"""Learns Coda for two, with numpy alone: `learn_coda.py learn weights.json`, then `learn_coda.py play weights.json` is a bot.

The policy is linear: the score of an action is a sum of a few features of the seat's view, and the best action is chosen. The
weights are found by the cross-entropy method (Rubinstein 1999, "The Cross-Entropy Method for Combinatorial and Continuous
Optimization"): in each generation, weights drawn around the mean play the same deals, and the mean of the best is the next mean.
"""

import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import arena_engine as arena

Floats = NDArray[np.float64]

PLACES, FACES, KEYS = 26, 13, 26
#: Index of the first action of each kind.
SET_UP, DRAW, STOP, EXPOSE, ATTACK = 0, 41, 43, 70, 96
#: Attacks: few candidates, a middle one, one named by the opponent. Stop: always, by candidates, by standing panels on both sides.
#: Dark instead of light: at the set-up, by the pool, by the own code. Exposures: by place, by its square.
WEIGHTS = 12
DEALS, DRAWN, KEPT, GENERATIONS = 256, 24, 6, 12
FIELDS = {field["name"]: field for field in arena.schema("coda", variant="recall")}


def part(obs: NDArray[np.int16], name: str) -> NDArray[np.int16]:
    """Returns a slice of all observations."""
    start, shape = FIELDS[name]["start"], FIELDS[name]["shape"]
    return obs[:, start:start + int(np.prod(shape))].reshape(len(obs), *shape)


def candidates(obs: NDArray[np.int16]) -> tuple[NDArray[np.bool_], Floats]:
    """Returns the possible panels at each place of the opponent's code, by number and colour, with their distance from the middle."""
    colours, faces, standing = (part(obs, name) for name in ("colours", "faces", "standing"))
    n, rows = len(obs), np.arange(len(obs))
    keys = (faces - 1) * 2 + colours - 1
    used = np.zeros((n, KEYS), bool)
    for seat, place in np.argwhere((faces > 0).any(axis=0)):
        known = faces[:, seat, place] > 0
        used[rows[known], keys[known, seat, place]] = True
    aside = part(obs, "aside")
    mine = aside[:, 2] > 0
    used[rows[mine], ((aside[:, 2] - 1) * 2 + aside[:, 1] - 1)[mine]] = True
    key = np.arange(KEYS)
    missed = part(obs, "missed")[:, 1, :, None] >> (key // 2) & 1
    hidden = standing[:, 1] > 0
    fits = hidden[:, :, None] & ((key % 2) + 1 == colours[:, 1, :, None]) & (key < 24) & ~used[:, None, :] & (missed == 0)
    there = colours[:, 1] > 0
    low, high = np.full(n, -1), np.full(n, KEYS)
    last = int(there.sum(axis=1).max(initial=0))
    for place in range(last):                                # each panel is above the minimum of the one before
        fits[:, place] &= key > low[:, None]
        least = np.where(hidden[:, place], fits[:, place].argmax(axis=1), keys[:, 1, place])
        low = np.where(there[:, place], least, low)
    for place in reversed(range(last)):                      # and below the maximum of the next one
        fits[:, place] &= key < high[:, None]
        most = np.where(hidden[:, place], KEYS - 1 - fits[:, place, ::-1].argmax(axis=1), keys[:, 1, place])
        high = np.where(there[:, place], most, high)
    count = np.maximum(fits.sum(axis=2), 1)
    middle = (fits * key).sum(axis=2) / count
    return fits, np.abs(key - middle[:, :, None]) / count[:, :, None]


def scores(weights: Floats, obs: NDArray[np.int16]) -> Floats:
    """Returns the score of each action."""
    n = len(obs)
    result = np.zeros((n, ATTACK + PLACES * FACES))
    fits, off = candidates(obs)
    count = np.maximum(fits.sum(axis=2), 1)
    named = part(obs, "named")[:, 1, None, :]
    attacks = np.where(fits, 5 + weights[0] * -np.log(count)[:, :, None] + weights[1] * off + weights[2] * named, -50.0)
    colour = np.maximum(part(obs, "colours")[:, 1] - 1, 0).astype(np.intp)
    by_face = attacks.reshape(n, PLACES, FACES, 2)
    result[:, ATTACK:] = np.take_along_axis(by_face, colour[:, :, None, None], axis=3).reshape(n, -1)
    surest = np.where(fits.any(axis=2), count, KEYS).min(axis=1)
    stands = part(obs, "standing").sum(axis=2)
    result[:, STOP] = attacks.max(axis=(1, 2)) + weights[3] + weights[4] * np.log(surest) + weights[5] * stands[:, 0] + weights[6] * stands[:, 1]
    result[:, SET_UP:SET_UP + 5] = -np.abs(np.arange(5) - 2 - weights[7])
    pool, colours = part(obs, "pool"), part(obs, "colours")[:, 0]
    more_dark = (colours == 1).sum(axis=1) - (colours == 2).sum(axis=1)
    result[:, DRAW] = weights[8] * (pool[:, 0] - pool[:, 1]) + weights[9] * more_dark
    place = np.linspace(-1, 1, PLACES)
    result[:, EXPOSE:ATTACK] = weights[10] * place + weights[11] * place**2
    return result


def policy(weights: Floats, obs: NDArray[np.int16], mask: NDArray[np.int8]) -> NDArray[np.int32]:
    """Returns the legal action with the best score, for each observation."""
    legal = np.where(mask > 0, scores(weights, obs), -np.inf)
    best: NDArray[np.int32] = np.argmax(legal, axis=1).astype(np.int32)
    return best


def wins(weights: Floats, opponent: str, deals: int, seed: int) -> float:
    """Returns the share of matches won; a draw counts half."""
    table = arena.trial("coda", partial(policy, weights), opponent, deals, seed, variant="recall")
    return float(np.mean(np.array(table["reward"]) / 2 + 0.5))


def learn(path: Path) -> None:
    """Finds weights against `excluding`, prints the curve, and writes them."""
    chance, began = np.random.default_rng(1), time.monotonic()
    mean, spread = np.zeros(WEIGHTS), np.ones(WEIGHTS)
    print("generation  won against excluding  seconds")
    for generation in range(GENERATIONS + 1):
        print(f"{generation:10}  {wins(mean, 'excluding', 500, 1_000_000):21.3f}  {time.monotonic() - began:7.0f}", flush=True)
        if generation < GENERATIONS:
            drawn = mean + spread * chance.standard_normal((DRAWN, WEIGHTS))
            shares = [wins(one, "excluding", DEALS, generation * DEALS) for one in drawn]
            best = drawn[np.argsort(shares, kind="stable")[-KEPT:]]
            mean, spread = best.mean(axis=0), best.std(axis=0) + 0.3 * 0.8**generation
    path.write_text(json.dumps(mean.tolist()))


if __name__ == "__main__":
    command, file = sys.argv[1], Path(sys.argv[2])
    if command == "learn":
        learn(file)
    else:
        arena.serve(partial(policy, np.array(json.loads(file.read_text()))), "learned", "recall")

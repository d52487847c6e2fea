"""Shared by the tests: the games with their numbers of seats and some rules, and random play."""

import numpy as np

import arena_engine as arena

SEATS = {"coda": (2, 3, 4), "code-777": (2, 3, 4), "crack-the-code": (2,), "digit-code": (2, 3, 4, 5)}
TABLES = [(game, seats) for game in arena.GAMES for seats in SEATS[game]]
VARIANTS = [
    ("coda", 2, {"dashes": True, "rounds": 2}), ("coda", 4, {"dashes": True}), ("coda", 3, {"numbers": 6, "panels": 2}),
    ("code-777", 3, {"colours": True}), ("code-777", 2, {"dummy_racks": True}),
    ("crack-the-code", 2, {"positions": 3, "colours": 4, "attempts": 4}),
    ("digit-code", 2, {"turn_limit": 6}), ("digit-code", 4, {"master": "seats", "turn_limit": 9}),
]
ALL = [(game, seats, {}) for game, seats in TABLES] + VARIANTS


def choose(chance, mask):
    """Returns a random legal action for each row of the mask; 0 if there is none."""
    return (chance.random(mask.shape, dtype=np.float32) * mask).argmax(axis=1).astype(np.int32)


def play(batch, rows, chance, steps):
    """Yields after a reset, and after each of this number of random steps."""
    yield
    for _ in range(steps):
        batch.step(choose(chance, rows.mask))
        yield


def observed(batch, at, seat):
    """Returns the observation and the mask of a seat."""
    obs, mask = np.zeros(batch.length, np.int16), np.zeros(batch.actions, np.int8)
    batch.observe(at, seat, obs, mask)
    return obs, mask

"""Copies continue like the original. Resampled deals look the same to the seat to act, and depend on nothing else."""

import copy
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import arena_engine as arena
from arena_engine import coda_v0
from arena_engine.environments import Single
from common import ALL, TABLES, choose, observed, play

RIGHT = {"coda": ": hit.", "code-777": ": right, it is", "crack-the-code": ": cracked.", "digit-code": ": correct."}


def on(batch, rows, steps):
    """Returns all observations of this number of random steps."""
    chance, seen = np.random.default_rng(8), []
    for _ in range(steps):
        batch.step(choose(chance, rows.mask))
        seen.append((batch.last, *(bytes(part) for part in rows)))
    return seen


@pytest.mark.parametrize("game, seats, rules", ALL)
@pytest.mark.parametrize("variant", ["recall", "counted"])
def test_copies_and_pickles_play_on_as_the_original(game, seats, rules, variant):
    opponents = {seats - 1: arena.BOTS[game][1]} if seats < 4 else {}
    batch = arena.Batch(game, rules, seats, 4, seed=3, opponents=opponents, variant=variant)
    rows, chance = arena.arrays(batch), np.random.default_rng(7)
    batch.reset()
    for step, _ in enumerate(play(batch, rows, chance, 60)):
        if step % 7:
            continue
        for other in (batch.copy(), pickle.loads(pickle.dumps(batch))):
            others = arena.arrays(other)
            assert all((one == two).all() for one, two in zip(rows, others)) and other.last == batch.last
            assert [other.text(at) for at in range(4)] == [batch.text(at) for at in range(4)]
    others = arena.arrays(other := copy.deepcopy(batch))
    assert on(batch, rows, 40) == on(other, others, 40)


def test_a_batch_that_has_not_begun_is_copied_too():
    batch = arena.Batch("coda", {"rounds": 1}, n=3, seed=5)
    other = batch.copy()
    rows, others = arena.arrays(batch), arena.arrays(other)
    with pytest.raises(RuntimeError, match="reset"):
        other.step(np.zeros(3, np.int32))
    batch.reset()
    other.reset()
    assert on(batch, rows, 30) == on(other, others, 30)


def test_environments_are_copied_and_pickled():
    table = coda_v0.env(seats=3)
    table.reset(seed=1)
    other = pickle.loads(pickle.dumps(table))
    single = Single("coda", opponents="exact")
    single.reset(seed=2)
    twin = copy.deepcopy(single)
    for env in (table, other, single, twin):
        for _ in range(20):
            env.step(int(env.action_masks().argmax()))
    assert table.batch.text(0) == other.batch.text(0) and single.batch.text(0) == twin.batch.text(0)


@pytest.mark.parametrize("game, seats, rules", ALL)
def test_other_deals_look_the_same_and_depend_on_nothing_unseen(game, seats, rules):
    batch = arena.Batch(game, rules, seats, seed=4, auto_reset=False)
    rows, apart, looked = arena.arrays(batch), 0, 0
    batch.reset()
    for step, _ in enumerate(play(batch, rows, np.random.default_rng(5), 60)):
        if rows.seat[0] < 0:
            batch.reset()
        if step % 4:
            continue
        seat = int(rows.seat[0])
        one = batch.resample(0, step)
        assert one.state_key(0) == batch.state_key(0) and one.n == 1
        assert all((left == right).all() for left, right in zip(observed(batch, 0, seat), observed(one, 0, seat)))
        # Both matches look the same to the seat, so they are resampled alike and continue alike.
        again, same = batch.resample(0, 99), one.resample(0, 99)
        assert again.text(0) == same.text(0)
        assert on(again, arena.arrays(again), 30) == on(same, arena.arrays(same), 30)
        apart += one.text(0) != batch.text(0)
        looked += 1
        copied = pickle.loads(pickle.dumps(one))
        assert copied.text(0) == one.text(0)
        assert on(one, arena.arrays(one), 10) == on(copied, arena.arrays(copied), 10)
    assert apart * 4 > looked


@pytest.mark.parametrize("game, seats, steps", [("coda", 2, 12), ("coda", 3, 20), ("code-777", 3, 12), ("digit-code", 2, 22),
                                                ("digit-code", 4, 31), ("crack-the-code", 2, 9)])
def test_deals_are_drawn_as_often_as_counting_says(game, seats, steps):
    # Resampling takes longest for Digit Code.
    n, off = (500, 0.08) if game == "digit-code" else (3000, 0.035)
    rules = {"positions": 3, "colours": 4} if game == "crack-the-code" else None
    batch = arena.Batch(game, rules, seats, seed=6, variant="counted", auto_reset=False)
    rows = arena.arrays(batch)
    batch.reset()
    chance = np.random.default_rng(4)
    questions = slice(186 if game == "digit-code" else None)
    for _ in range(steps):
        batch.step(choose(chance, rows.mask[:, questions]))
    while not (chances := rows.obs[0, -batch.actions:] / 32767).any():
        batch.step(choose(chance, rows.mask))
    for action in np.argsort(chances)[-3:]:
        deals = batch.resample(0, list(range(n)))
        arena.arrays(deals)
        before = len(deals.text(0))
        deals.step(np.full(n, action))
        while len(deals.text(0)) == before:                  # the other seats pass
            deals.step(np.zeros(n, np.int64))
        right = np.mean([RIGHT[game] in deals.text(at)[before] for at in range(n)])
        assert abs(right - chances[action]) < off, (action, right, chances[action])


def test_what_a_seat_has_seen_is_its_key():
    batch = arena.Batch("crack-the-code", n=3, auto_reset=False)
    rows = arena.arrays(batch)
    batch.reset([1, 2, 3])
    batch.step(np.array([5, 5, 6]))                          # seat 0 hides a code,
    keys = [batch.state_key(at) for at in range(3)]          # which seat 1 does not see
    assert keys[0] == keys[1] == keys[2] and (rows.seat == 1).all()
    batch.step(np.array([7, 8, 7]))
    keys = [batch.state_key(at) for at in range(3)]
    assert keys[0] == keys[1] != keys[2]
    while (rows.seat >= 0).any():
        batch.step(np.full(3, -1))
    for call in (lambda: batch.state_key(0), lambda: batch.resample(0, 1), lambda: batch.state_key(3)):
        with pytest.raises(ValueError):
            call()


def test_resampling_needs_seeds():
    batch = arena.Batch("coda")
    arena.arrays(batch)
    with pytest.raises(ValueError, match="reset"):
        batch.resample(0, 1)
    batch.reset()
    for seed in ([], 1 << 53, [1, 1 << 53]):
        with pytest.raises(ValueError):
            batch.resample(0, seed)
    with pytest.raises(TypeError):
        batch.resample(0, "one")


def test_the_search_of_the_examples_beats_simple_bots():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))
    import search_coda
    assert search_coda.wins("random", 10) >= 0.9
    assert search_coda.wins("excluding", 20) >= 0.7

"""Batches: determinism, forfeits, opponents, arrays, interruption."""

import _xxsubinterpreters as interpreters
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import arena_engine as arena
from common import ALL, TABLES, choose, play


@pytest.mark.parametrize("game, seats, rules", ALL)
def test_threads_and_neighbours_change_nothing(game, seats, rules):
    def records(n, threads):
        batch = arena.Batch(game, rules, seats, n, seed=9, threads=threads)
        rows, found = arena.arrays(batch), []
        chances = [np.random.default_rng(at) for at in range(n)]
        batch.reset()
        for _ in range(150):
            batch.step(np.array([choose(chance, rows.mask[at:at + 1])[0] for at, chance in enumerate(chances)], np.int32))
            found += [(at, end) for at, end in batch.last.items() if at < 3]
        return found, bytes(rows.obs[:3])
    assert records(3, 1) == records(40, 2)


@pytest.mark.parametrize("game", arena.GAMES)
def test_every_bot_is_an_opponent(game):
    for name in arena.BOTS[game]:
        slow = name in ("rollouts", "concealing", "bayesian")
        batch = arena.Batch(game, {"rounds": 1} if game == "coda" else None, 2, 2, seed=1, opponents={1: name})
        rows = arena.arrays(batch)
        batch.reset()
        for _ in play(batch, rows, np.random.default_rng(0), 3 if slow else 30):
            assert (rows.seat == 0).all()


@pytest.mark.parametrize("game, seats", TABLES)
def test_a_seat_that_forfeits_is_out_and_last(game, seats):
    batch = arena.Batch(game, None, seats, 16, seed=2)
    rows, chance = arena.arrays(batch), np.random.default_rng(0)
    batch.reset()
    out = rows.seat.copy()
    actions = choose(chance, rows.mask)
    actions[::2] = -1
    batch.step(actions)
    ended = dict(batch.last)
    for _ in play(batch, rows, chance, 3000):
        ended = {**batch.last, **ended}
        if set(range(0, 16, 2)) <= set(ended):
            break
    for at in range(0, 16, 2):
        verdict = ended[at]["verdict"]
        assert verdict["faults"][out[at]] and sum(fault is not None for fault in verdict["faults"]) == 1
        assert verdict["outcome"]["seats"][out[at]]["place"] == seats


def test_rewards_add_up_to_nothing():
    batch = arena.Batch("coda", {"rounds": 1}, 4, 64, seed=3)
    rows, ends = arena.arrays(batch), 0
    batch.reset()
    for _ in play(batch, rows, np.random.default_rng(0), 400):
        assert np.allclose(rows.reward.sum(axis=1), 0, atol=1e-6) and (rows.reward[rows.done == 0] == 0).all()
        assert set(batch.last) == set(np.flatnonzero(rows.done))
        ends += rows.done.sum()
    assert ends > 64


def test_arrays_that_cannot_be_written_are_refused():
    batch = arena.Batch("coda", n=4)
    good = list(arena.arrays(batch))
    read_only = good[0].copy()
    read_only.flags.writeable = False
    bad = [read_only, np.zeros((4, 2 * batch.length), np.int16)[:, ::2], np.zeros((3, batch.length), np.int16), good[0].astype(np.int64)]
    for array, reason in zip(bad, ("read-only", "not contiguous", "items", "not compatible")):
        with pytest.raises((ValueError, BufferError, TypeError), match=reason):
            batch.bind(array, *good[1:])
    # Arrays of other types than numpy's are accepted.
    raw = [memoryview(bytearray(array.nbytes)).cast(code, array.shape) for array, code in zip(good, "hbifb")]
    batch.bind(*raw)
    batch.reset()
    assert raw[2].tolist() == [0] * 4


@pytest.mark.parametrize("game, seats", TABLES)
def test_masks_that_stay_as_they_are_stand_in_new_arrays_and_after_a_reset(game, seats):
    batch = arena.Batch(game, None, seats, 4, seed=3, auto_reset=False)
    rows, chance = arena.arrays(batch), np.random.default_rng(0)
    batch.reset()
    for _ in play(batch, rows, chance, 20):
        assert (rows.mask.any(axis=1) == (rows.seat >= 0)).all()
        others = arena.arrays(batch)
        assert all((one == other).all() for one, other in zip(rows, others))
        rows = others
    while (rows.seat >= 0).any():
        batch.step(np.full(4, -1, np.int32))
    assert not rows.mask.any()
    batch.reset()
    assert rows.mask.any(axis=1).all() and not rows.done.any()


@pytest.mark.parametrize("arguments", [{"n": 0}, {"seats": 5}, {"rules": {"rounds": 0}}, {"rules": {"round": 1}}, {"variant": "all"},
                                       {"opponents": {1: "nobody"}}, {"opponents": {2: "exact"}}, {"opponents": {0: "exact", 1: "exact"}},
                                       {"seed": 1 << 53}, {"threads": 0}, {"game": "chess"}])
def test_what_makes_no_sense_is_refused(arguments):
    with pytest.raises(ValueError):
        arena.Batch(**{"game": "coda", **arguments})


def test_calls_out_of_order_and_wrong_actions():
    batch = arena.Batch("coda", n=2)
    with pytest.raises(RuntimeError, match="bind"):
        batch.reset()
    arena.arrays(batch)
    with pytest.raises(RuntimeError, match="reset"):
        batch.step(np.zeros(2, np.int32))
    batch.reset()
    for wrong in ([0], [0, 434], [0, -2], [0, 0, 0]):
        with pytest.raises(ValueError, match="each from -1"):
            batch.step(np.array(wrong, np.int32))
    batch.step(np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="seeds?"):
        batch.reset([1])
    with pytest.raises(ValueError, match="too many"):
        arena.Batch("crack-the-code", {"positions": 8, "colours": 10})


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int64, np.uint64])
def test_actions_are_integers_of_any_sign_and_32_or_64_bits(kind):
    batch = arena.Batch("coda", n=2)
    arena.arrays(batch)
    batch.reset()
    batch.step(np.array([1, 2], kind))
    with pytest.raises(ValueError, match="each from -1"):
        batch.step(np.array([0, np.iinfo(kind).max], kind))
    for wrong in (np.zeros(2), np.zeros(2, np.int8), np.zeros(2, bool), ["1", "2"]):
        with pytest.raises(TypeError):
            batch.step(wrong)
    one = arena.Batch("coda")
    arena.arrays(one)
    one.reset()
    one.step(kind(3))


@pytest.mark.parametrize("n", [10**12, 2**60, 2**64 - 1])
def test_too_many_matches_are_a_memory_error(n):
    with pytest.raises(MemoryError, match=str(n)):
        arena.Batch("coda", n=n)


@pytest.mark.parametrize("game", arena.GAMES)
def test_masks_are_booleans_for_maskable_agents(game):
    batch = arena.Batch(game, n=3)
    rows = arena.arrays(batch)
    batch.reset()
    masks = rows.action_masks()
    assert masks.dtype == bool and (masks == (rows.mask == 1)).all() and masks.any(axis=1).all()


def test_a_forked_child_plays_on():
    batch = arena.Batch("coda", n=512, opponents={1: "exact"}, seed=1)
    rows, chance = arena.arrays(batch), np.random.default_rng(0)
    batch.reset()
    batch.step(choose(chance, rows.mask))
    if (child := os.fork()) == 0:
        batch.step(choose(chance, rows.mask))
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_a_long_step_can_be_interrupted():
    batch = arena.Batch("coda", n=4096, opponents={1: "rollouts"}, seed=1)
    rows, chance = arena.arrays(batch), np.random.default_rng(0)
    batch.reset()
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        while True:
            batch.step(choose(chance, rows.mask))
    with pytest.raises(RuntimeError, match="reset"):
        batch.step(np.zeros(4096, np.int32))


def test_a_batch_in_use_is_refused_to_other_threads():
    batch = arena.Batch("coda", n=4096, opponents={1: "exact"}, seed=1)
    rows, chance = arena.arrays(batch), np.random.default_rng(0)
    batch.reset()
    stop, refused = threading.Event(), []

    def disturb():
        while not stop.is_set():
            try:
                batch.text(0)
            except RuntimeError as error:
                refused.append(str(error))
    other = threading.Thread(target=disturb)
    other.start()
    done = 0
    while not refused and done < 200:
        try:
            batch.step(choose(chance, rows.mask))
        except RuntimeError as error:
            refused.append(str(error))
        done += 1
    stop.set()
    other.join()
    assert refused and all("another thread" in text for text in refused)


def test_a_second_interpreter_is_refused_cleanly():
    second = interpreters.create()
    with pytest.raises(interpreters.RunFailedError, match="ImportError"):
        interpreters.run_string(second, "import arena_engine._native")
    interpreters.destroy(second)


def test_a_panic_is_a_runtime_error():
    code = "import arena_engine._native as native\ntry: native._panic()\nexcept RuntimeError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "the engine panicked: on purpose\n"

"""A seat observes its whole view and nothing else."""

import numpy as np
import pytest

import arena_engine as arena
import decoding
from common import ALL, TABLES, choose, observed, play


@pytest.mark.parametrize("game, seats, rules", ALL)
@pytest.mark.parametrize("variant", ["private", "recall", "counted"])
def test_an_observation_decodes_to_the_view(game, seats, rules, variant):
    batch = arena.Batch(game, rules, seats, n=8, seed=3, variant=variant)
    rows, fields = arena.arrays(batch), batch.schema()
    high = np.concatenate([np.full(int(np.prod(field["shape"])), field["high"]) for field in fields])
    batch.reset()
    for _ in play(batch, rows, np.random.default_rng(0), 60):
        assert (rows.obs >= 0).all() and (rows.obs <= high).all()
        for at in range(8):
            for seat in range(seats):
                obs, mask = observed(batch, at, seat)
                assert decoding.view(game, obs, fields, rules) == batch.view(at, seat)
                if seat == rows.seat[at]:
                    assert (obs == rows.obs[at]).all() and (mask == rows.mask[at]).all()


@pytest.mark.parametrize("game, seats, rules", ALL)
def test_actions_go_both_ways(game, seats, rules):
    batch = arena.Batch(game, rules, seats, n=2, seed=4)
    rows = arena.arrays(batch)
    batch.reset()
    for _ in play(batch, rows, np.random.default_rng(1), 60):
        for at in range(2):
            legal = np.flatnonzero(rows.mask[at])[:: max(1, int(rows.mask[at].sum()) // 40)]
            assert all(batch.index(at, batch.action(at, int(index))) == index for index in legal)


@pytest.mark.parametrize("game, seats, rules", ALL)
def test_what_the_mask_allows_is_legal_and_what_it_does_not_forfeits(game, seats, rules):
    batch = arena.Batch(game, rules, seats, n=64, seed=5)
    rows, chance = arena.arrays(batch), np.random.default_rng(2)
    batch.reset()
    for _ in play(batch, rows, chance, 150):
        assert all(end["verdict"]["faults"] == [None] * seats for end in batch.last.values())
    if (rows.mask == 0).any():
        acting = rows.seat.copy()
        wrong = choose(chance, 1 - rows.mask)
        batch.step(np.where((rows.mask == 0).any(axis=1), wrong, -1).astype(np.int32))
        if seats == 2:
            assert len(batch.last) + (rows.done == 0).sum() == 64
            assert all(end["verdict"]["faults"][acting[at]] for at, end in batch.last.items())


# Positions that look the same to a seat occur in many deals; the fewer ways the position can differ, the more deals are needed. For each
# table: the number of deals, the rules, and the number of steps. Code 777 with four seats is missing: three racks are visible, so too few
# positions look the same.
ALIKE = {
    ("coda", 2): (600, {"numbers": 4, "panels": 2}, 12), ("coda", 3): (3000, {"numbers": 4, "panels": 2}, 8),
    ("coda", 4): (3000, {"numbers": 4, "panels": 1}, 8), ("code-777", 2): (4000, {}, 1), ("code-777", 3): (20_000, {}, 1),
    ("crack-the-code", 2): (600, {}, 12), ("digit-code", 2): (600, {}, 14), ("digit-code", 3): (600, {}, 8),
    ("digit-code", 4): (600, {}, 8), ("digit-code", 5): (600, {}, 8),
}


@pytest.mark.parametrize("game, seats", ALIKE)
def test_positions_that_a_seat_cannot_tell_apart_look_the_same(game, seats):
    """Deals and chooses again what a seat must not know, and keeps all other choices: if the views of a seat have always
    been the same, its observations are the same to the byte, with their memory and counts."""
    n, rules, steps = ALIKE[game, seats]
    chance, apart = np.random.default_rng(3), 0
    variant = "recall" if game == "digit-code" else "counted"
    batch = arena.Batch(game, rules, seats, n=n, seed=6, variant=variant, auto_reset=False)
    rows = arena.arrays(batch)
    # Where seats hide codes, the codes offered depend on the seed, so the seed is the same in all matches, and each of two seats hides one
    # of eight codes.
    hides = seats == 2 and game in ("crack-the-code", "digit-code")
    batch.reset([6] * n if hides else None)
    histories = [[0] * seats for _ in range(n)]
    for step in range(steps):
        truth = [hash(str(batch.text(at))) for at in range(n)]
        for seat in range(seats):
            groups = {}
            for at in np.flatnonzero(rows.seat >= 0):
                histories[at][seat] = hash((histories[at][seat], str(batch.view(at, seat))))
                groups.setdefault((histories[at][seat], rows.seat[at] == seat), []).append(at)
            for first, *others in groups.values():
                seen = [bytes(part) for part in observed(batch, first, seat)]
                for at in others:
                    assert [bytes(part) for part in observed(batch, at, seat)] == seen, batch.view(at, seat)
                    apart += truth[at] != truth[first]
        # Make the same choice in all matches in which it is legal, so that many matches stay alike.
        preference = chance.random(batch.actions, dtype=np.float32)
        chosen = np.arange(n) // 8 ** step % 8 if hides and step < 2 else (preference * rows.mask).argmax(axis=1)
        batch.step(chosen.astype(np.int32))
    assert apart > (900 if (game, seats) == ("code-777", 3) else 2000)

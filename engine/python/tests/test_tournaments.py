"""Records equal the arena's, programs play in it, and its tables come back as columns."""

import json
import os
import re
import shutil
import sys

import numpy as np
import pytest

import arena_engine as arena
from arena_engine.tournaments import arena as command
from common import choose

needs_arena = pytest.mark.skipif(not (os.environ.get("ARENA_BIN") or shutil.which("arena")), reason="the program arena is not here")

PROGRAM = """
import numpy as np
import arena_engine
chance = np.random.default_rng(1)
arena_engine.serve(lambda obs, mask: (chance.random(mask.shape) * mask).argmax(axis=1), "served", "recall")
"""


COUNTING = """
import sys
import numpy as np
import arena_engine
chance = np.random.default_rng(1)

def choose(obs, mask):
    chosen = (chance.random(mask.shape) * mask).argmax(axis=1)
    counted = obs[:, -mask.shape[1]:][np.arange(len(obs)), chosen]
    with open(sys.argv[1], "a") as file:
        file.writelines(f"{number}\\n" for number in counted)
    return chosen

arena_engine.serve(choose, "counting", "counted", matches=1)
"""


@needs_arena
@pytest.mark.parametrize("game", arena.GAMES)
def test_counted_chances_are_those_of_the_analysis(game, tmp_path):
    program, log = tmp_path / "counting.py", tmp_path / "chances"
    program.write_text(COUNTING)
    bots = [{"name": name, "command": f"{sys.executable} {program} {log}"} for name in ("one", "other")]
    # Isolation is off because these bots write a file.
    plan = {"game": game, "deals": 3, "seed": 5, "isolation": "off", "clock": {"move_ms": 60_000}, "bots": bots}
    played = arena.run(plan, tmp_path / "out")
    analysed = sorted(int((chance or 0) * 32767 + 0.5) for chance in played.table("decisions")["chance"])
    assert sorted(map(int, log.read_text().split())) == analysed and analysed[-1] > 0


@needs_arena
@pytest.mark.parametrize("game, deals", [("coda", 200), ("code-777", 200), ("crack-the-code", 700), ("digit-code", 800)])
def test_random_actions_of_a_program_are_accepted(game, deals, tmp_path):
    program = tmp_path / "served.py"
    program.write_text(PROGRAM)
    bots = [{"name": name, "command": f"{sys.executable} {program}"} for name in ("one", "other")]
    played = arena.run({"game": game, "deals": deals, "seed": 3, "clock": {"move_ms": 60_000}, "bots": bots}, tmp_path / "out")
    command("verify", str(played.folder))
    seats = played.table("seats")
    assert set(seats["fault"]) == {None} and sum(seats["moves"]) > 25_000
    assert len(played.standings()["bot"]) == 2


def normal(replies):
    """Declarations of Code 777 are sets; those of the action space are sorted."""
    text = json.dumps(replies, sort_keys=True)
    return re.sub(r'"numbers": \[(\d), (\d), (\d)\]', lambda found: str(sorted(found.groups())), text)


@needs_arena
@pytest.mark.parametrize("game", arena.GAMES)
def test_a_batch_plays_what_the_arena_plays_for_that_seed(game, tmp_path):
    names = arena.BOTS[game][:2]
    played = arena.run({"game": game, "deals": 20, "seed": 4, "bots": [{"name": name, "builtin": name} for name in names]}, tmp_path)
    moves = played.table("moves")
    for line in command("export", str(played.folder)).splitlines():
        match = json.loads(line)
        replies = [(seat, action) for name, seat, action in zip(moves["id"], moves["seat"], moves["action"]) if name == match["id"]]
        batch = arena.Batch(game, opponents={1: match["seats"][1]}, auto_reset=False)
        arena.arrays(batch)
        batch.reset([match["seed"]])
        for seat, action in replies:
            if seat == 0:
                index = batch.index(0, action)
                if index is None:                           # here codes are offered from a list; in the arena, any code
                    break
                batch.step(np.array([index], np.int32))
        else:
            end = batch.last[0]
            assert end["verdict"]["outcome"]["seats"] == match["outcome"]["seats"]
            assert normal([[seat, {"act": action}] for seat, action in replies]) == normal(end["record"]["replies"])
            continue
        assert game in ("digit-code", "code-777")


@needs_arena
def test_bots_keep_their_names(tmp_path):
    names = ["7", "null", "true", "1e5"]
    played = arena.run({"game": "coda", "deals": 1, "seed": 4, "bots": [{"name": name, "builtin": "excluding"} for name in names]}, tmp_path)
    seats, standings = played.table("seats"), played.standings()
    assert set(seats["bot"]) == set(seats["opponents"]) == set(standings["bot"]) == set(names)
    assert set(seats["fault"]) == {None} and all(isinstance(points, int) for points in seats["points"] + standings["points"])
    assert all(isinstance(action, dict) for action in played.table("moves")["action"])


def test_a_missing_arena_is_named(monkeypatch):
    monkeypatch.delenv("ARENA_BIN", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="cargo build --release"):
        arena.run({"game": "coda"})


def test_trials_count_both_seats():
    chance = np.random.default_rng(0)
    table = arena.trial("coda", lambda obs, mask: choose(chance, mask), "excluding", 50)
    assert len(table["deal"]) == 100 and np.mean(table["reward"]) < -0.5
    both = arena.trial("coda", lambda obs, mask: choose(chance, mask), lambda obs, mask: choose(chance, mask), 50)
    assert len(both["deal"]) == 100

"""Tournaments with the installed program `arena`, and quick trials in this process."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ._native import Batch
from .programs import Policy

Columns = dict[str, list[Any]]

#: The columns of exported tables that hold JSON as text.
NESTED = {"action", "view", "prompt"}


def arena(*words: str) -> str:
    """Returns the output of the program for this command."""
    program = os.environ.get("ARENA_BIN") or shutil.which("arena")
    if not program:
        raise FileNotFoundError("there is no program `arena` on the PATH: build it with `cargo build --release`, and set ARENA_BIN to target/release/arena")
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"arena {words[0]} failed:\n{done.stderr.strip()}")
    return done.stdout


class Tournament:
    """The folder of a tournament."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def show(self) -> dict[str, Any]:
        """Returns all output of `arena show --json`."""
        shown: dict[str, Any] = json.loads(arena("show", str(self.folder), "--json"))
        return shown

    def standings(self) -> Columns:
        """Returns the standings, one list for each key of `arena show --json`."""
        return columns(self.show()["standings"])

    def table(self, name: str) -> Columns:
        """Returns an exported table, `matches`, `seats`, `moves` or `decisions`, one list for each column. Actions, views and prompts are as on
        the wire."""
        lines = arena("export", str(self.folder), "--table", name, "--as", "jsonl").split("\n")
        table = columns([json.loads(line) for line in lines if line])
        for head in NESTED & table.keys():
            table[head] = [None if cell is None else json.loads(cell) for cell in table[head]]
        return table


def run(tournament: str | Path | dict[str, Any], out: str | Path | None = None, trust: bool = False) -> Tournament:
    """Plays a tournament to its end, given as a file or as a dictionary with the same keys. Its folder is `out`; by default, a new one.

    A file needs `trust` to lower the protection against its bots; a dictionary does not, because it comes from the caller.
    """
    folder = Path(out or tempfile.mkdtemp(prefix="arena-"), "played")
    path = tournament
    if isinstance(tournament, dict):
        trust = True
        folder.parent.mkdir(parents=True, exist_ok=True)
        path = folder.parent / "tournament.toml"
        path.write_text(toml(tournament))
    arena("run", str(path), "--out", str(folder), "--quiet", *(["--trust"] if trust else []))
    return Tournament(folder)


def toml(tables: dict[str, Any], at: str = "") -> str:
    """Returns a dictionary as a tournament file."""
    plain = [f"{key} = {json.dumps(value)}" for key, value in tables.items() if not nested(value)]
    for key, value in tables.items():
        if isinstance(value, dict):
            plain += [f"[{at}{key}]", toml(value, f"{at}{key}.")]
        elif nested(value):
            plain += [f"[[{at}{key}]]\n{toml(entry, f'{at}{key}.')}" for entry in value]
    return "\n".join(plain)


def nested(value: object) -> bool:
    return isinstance(value, dict) or isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def columns(rows: list[dict[str, Any]]) -> Columns:
    """Returns rows as one list for each key, with None where a row lacks the key."""
    heads = dict.fromkeys(head for row in rows for head in row)
    return {head: [row.get(head) for row in rows] for head in heads}


def trial(game: str, policy: Policy, opponent: str | Policy, deals: int = 1000, seed: int = 0,
          rules: dict[str, object] | None = None, variant: str = "private") -> Columns:
    """Plays deals of two seats, each in both seatings, in this process. Policies are not isolated and have no clock, so
    the results of a tournament may differ."""
    table: Columns = {"deal": [], "seat": [], "reward": [], "points": [], "points_against": []}
    for seat in (0, 1):
        opponents = {1 - seat: opponent} if isinstance(opponent, str) else None
        batch = Batch(game, rules, 2, deals, opponents=opponents, variant=variant, auto_reset=False)
        obs, mask = np.zeros((deals, batch.length), np.int16), np.zeros((deals, batch.actions), np.int8)
        acting, reward, done = np.zeros(deals, np.int32), np.zeros((deals, 2), np.float32), np.zeros(deals, np.int8)
        batch.bind(obs, mask, acting, reward, done)
        batch.reset([seed + deal for deal in range(deals)])
        players = {seat: policy} if isinstance(opponent, str) else {seat: policy, 1 - seat: opponent}
        while (acting >= 0).any():
            chosen = np.zeros(deals, np.int32)
            for place, player in players.items():
                if (turns := acting == place).any():
                    chosen[turns] = player(obs[turns], mask[turns])
            batch.step(chosen)
            for deal, end in batch.last.items():
                mine, theirs = (end["verdict"]["outcome"]["seats"][place]["points"] for place in (seat, 1 - seat))
                row = (deal, seat, float(reward[deal, seat]), mine, theirs)
                for column, cell in zip(table.values(), row):
                    column.append(cell)
    return table

"""Searches a small Coda by continuing from possible deals: `search_coda.py` plays it against two built-in bots.

This is information set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012, "Information Set Monte Carlo Tree Search"), with a
node for each history that the seat to act may have seen.
"""

import sys
from math import log, sqrt

import numpy as np

import arena_engine as arena

RULES: dict[str, object] = {"rounds": 1, "numbers": 6, "panels": 3}
#: Number of deals sampled per decision, number of playouts of each, and the weight of exploration against exploitation.
DEALS, TIMES, EXPLORATION = 30, 12, 0.7

#: For each action of a node: how often it was legal, how often it was chosen, and the sum of the rewards that followed.
Node = dict[int, list[float]]


def select(node: Node, legal: list[int]) -> int:
    """Returns the legal action to try next: a new one, or the one with the highest upper bound of its reward."""
    for action in legal:
        node.setdefault(action, [0, 0, 0.0])[0] += 1
        if node[action][1] == 0:
            return action
    return max(legal, key=lambda a: node[a][2] / node[a][1] + EXPLORATION * sqrt(log(node[a][0]) / node[a][1]))


def playout(game: arena.Batch, tree: dict[bytes, Node], chance: np.random.Generator) -> None:
    """Plays one match to its end, inside the tree by its statistics, then at random, and records the rewards."""
    rows, path, inside = arena.arrays(game), list[tuple[int, list[float]]](), True
    while (seat := int(rows.seat[0])) >= 0:
        legal = chance.permutation(np.flatnonzero(rows.mask[0]))
        action = int(legal[0])
        if inside:
            key = game.state_key(0)
            inside = key in tree
            node = tree.setdefault(key, {})
            action = select(node, legal.tolist())
            path.append((seat, node[action]))
        game.step(action)
    for seat, counts in path:
        counts[1] += 1
        counts[2] += float(rows.reward[0, seat])


def search(batch: arena.Batch, index: int, seed: int) -> int:
    """Returns the most tried action of the seat that must act."""
    tree: dict[bytes, Node] = {}
    chance = np.random.default_rng(seed)
    for deal in range(DEALS):
        game = batch.resample(index, seed * DEALS + deal)
        for _ in range(TIMES):
            playout(game.copy(), tree, chance)
    root = tree[batch.state_key(index)]
    return max(root, key=lambda action: root[action][1])


def wins(opponent: str, matches: int) -> float:
    """Returns the share of matches that the search wins; a draw counts half."""
    won = 0.0
    for match in range(matches):
        seat = match % 2
        batch = arena.Batch("coda", RULES, opponents={1 - seat: opponent}, auto_reset=False)
        rows, turn = arena.arrays(batch), 0
        batch.reset([match // 2])
        while rows.seat[0] >= 0:
            batch.step(search(batch, 0, match * 1000 + turn))
            turn += 1
        won += float(rows.reward[0, seat]) / 2 + 0.5
    return won / matches


if __name__ == "__main__":
    for name in sys.argv[1:] or ["random", "excluding"]:
        print(f"{name}: {wins(name, 20):.0%} won")

"""Time per step, random legal actions: `python tests/speed.py`. Actions are recorded first and replayed in the timed runs, with new
matches, for all libraries: choosing actions between steps would empty the caches, since 256 masks of Crack the code take 2 MB. For comparison,
it also runs OpenSpiel, RLCard and PettingZoo's card games, if installed: their steps with the observation and legal actions of the seat that
acts next."""

import importlib.util
import itertools
import time

import numpy as np

import arena_engine as arena

STEPS = 20_000


class Chance(int):
    """An outcome of chance that the caller draws; it does not count as a step."""


def report(name, table, rounds=5):
    """Returns the best of some rounds, in nanoseconds per step."""
    chance, recorded = np.random.default_rng(0), []
    now = table.begin()

    def note():
        for _ in range(max(STEPS // table.n, 200)):
            recorded.append(table.choose(chance, now))
            yield recorded[-1]

    table.play(now, note())
    steps = table.n * sum(type(action) is not Chance for action in recorded)
    best = float("inf")
    for _ in range(rounds):
        now = table.begin()
        began = time.perf_counter_ns()
        table.play(now, recorded)
        best = min(best, (time.perf_counter_ns() - began) / steps)
    print(f"{name:36} {best:8.0f} ns a step {1e9 / best:12,.0f} steps/s", flush=True)


class Batch:
    def __init__(self, game, n, variant="private"):
        self.game, self.n, self.variant = game, n, variant

    def begin(self):
        made = arena.Batch(self.game, n=self.n, seed=1, variant=self.variant, threads=1)
        rows = arena.arrays(made)
        made.reset()
        return made, rows

    def choose(self, chance, now):
        """Returns a random legal action for each row: a guessed one, or another one if that is illegal."""
        mask = now[1].mask
        chosen = chance.integers(mask.shape[1], size=len(mask), dtype=np.int32)
        rest = np.flatnonzero(mask[np.arange(len(mask)), chosen] == 0)
        chosen[rest] = (chance.random((len(rest), mask.shape[1]), dtype=np.float32) * mask[rest]).argmax(axis=1)
        return int(chosen[0]) if self.n == 1 else chosen

    def play(self, now, actions):
        made, _ = now
        for action in actions:
            made.step(action)


class OpenSpiel:
    n = 1

    def __init__(self, name):
        self.game = importlib.import_module("pyspiel").load_game(name)
        self.informed = self.game.get_type().provides_information_state_tensor

    def begin(self):
        return [self.game.new_initial_state()]

    def choose(self, chance, now):
        if now[0].is_chance_node():
            outcomes, weights = zip(*now[0].chance_outcomes())
            return Chance(chance.choice(outcomes, p=weights))
        return int(chance.choice(now[0].legal_actions()))

    def play(self, now, actions):
        state = now[0]
        for action in actions:
            state.apply_action(action)
            if state.is_terminal():
                state = now[0] = self.game.new_initial_state()
            elif not state.is_chance_node():
                state.legal_actions_mask()
                state.information_state_tensor() if self.informed else state.observation_tensor()


class RLCard:
    n = 1

    def __init__(self, name):
        self.name = name

    def begin(self):
        env = importlib.import_module("rlcard").make(self.name, config={"seed": 1})
        return [env, env.reset()[0]]

    def choose(self, chance, now):
        return int(chance.choice(list(now[1]["legal_actions"])))

    def play(self, now, actions):
        env = now[0]
        for action in actions:
            now[1], _ = env.step(action)
            if env.is_over():
                now[1], _ = env.reset()


class PettingZoo:
    n = 1

    def __init__(self, env):
        self.env = env

    def begin(self):
        self.env.reset(seed=1)
        return [self.env.last()]

    def choose(self, chance, now):
        obs, _, over, cut, info = now[0]
        mask = info["action_mask"] if "action_mask" in info else obs["action_mask"]
        return None if over or cut else int((chance.random(mask.shape) * mask).argmax())

    def play(self, now, actions):
        env, seeds = self.env, itertools.count(2)
        for action in actions:
            env.step(action)
            if not env.agents:
                env.reset(seed=next(seeds))
            now[0] = env.last()


if __name__ == "__main__":
    for game, n in itertools.product(arena.GAMES, (1, 256)):
        report(f"{game}, batch of {n}", Batch(game, n))
    for module, table, names in (("pyspiel", OpenSpiel, ["leduc_poker", "hanabi", "phantom_ttt", "liars_dice"]),
                                 ("rlcard", RLCard, ["leduc-holdem", "limit-holdem", "uno", "gin-rummy"])):
        if importlib.util.find_spec(module):
            for name in names:
                try:
                    report(f"{module} {name}", table(name))
                except Exception as error:
                    print(f"{module} {name}: {type(error).__name__}")
    if importlib.util.find_spec("pettingzoo"):
        from arena_engine import coda_v0
        report("coda_v0 of this package", PettingZoo(coda_v0.env()))
    if importlib.util.find_spec("rlcard") and importlib.util.find_spec("pygame"):
        for name in ("leduc_holdem_v4", "texas_holdem_v4"):
            report(f"pettingzoo {name}", PettingZoo(importlib.import_module(f"pettingzoo.classic.{name}").env()))

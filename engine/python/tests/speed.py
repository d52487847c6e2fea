"""Time per step, random legal actions, which are chosen outside of the time: `python tests/speed.py`. Beside it run what is installed of
OpenSpiel, RLCard and PettingZoo's card games: their steps with the observation and legal actions of the seat that acts next.

Whoever reads 256 masks of Crack the code between two steps, 2 MB, and makes a number of each, empties the caches: a step then takes
three times as long. Here it is mostly spared that."""

import importlib.util
import time

import numpy as np

import arena_engine as arena


def report(name, run, rounds=3):
    """The best of some rounds, in nanoseconds a step."""
    best = min(spent / steps for spent, steps in (run() for _ in range(rounds)))
    print(f"{name:36} {best:8.0f} ns a step {1e9 / best:12,.0f} steps/s", flush=True)


def choose(chance, mask):
    """A legal action for each row, all equally likely: one that is guessed, or where that is not legal another one."""
    chosen = chance.integers(mask.shape[1], size=len(mask), dtype=np.int32)
    rest = np.flatnonzero(mask[np.arange(len(mask)), chosen] == 0)
    chosen[rest] = (chance.random((len(rest), mask.shape[1]), dtype=np.float32) * mask[rest]).argmax(axis=1)
    return chosen


def batch(game, n, variant="private", seconds=0.3):
    rows = arena.arrays(made := arena.Batch(game, n=n, seed=1, variant=variant, threads=1))
    made.reset()
    chance, spent, steps = np.random.default_rng(0), 0, 0
    while spent < seconds * 1e9:
        actions = choose(chance, rows.mask)
        began = time.perf_counter_ns()
        made.step(actions)
        spent += time.perf_counter_ns() - began
        steps += n
    return spent, steps


def open_spiel(name, seconds=1.0):
    pyspiel = importlib.import_module("pyspiel")
    game, chance, spent, steps = pyspiel.load_game(name), np.random.default_rng(0), 0, 0
    while spent < seconds * 1e9:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes())
                action = chance.choice(outcomes, p=weights)
            else:
                action = int(chance.choice(state.legal_actions()))
                steps += 1
            began = time.perf_counter_ns()
            state.apply_action(action)
            if not state.is_terminal() and not state.is_chance_node():
                state.legal_actions_mask()
                state.information_state_tensor() if game.get_type().provides_information_state_tensor else state.observation_tensor()
            spent += time.perf_counter_ns() - began
    return spent, steps


def rlcard(name, seconds=1.0):
    env, spent, steps = importlib.import_module("rlcard").make(name), 0, 0
    chance = np.random.default_rng(0)
    while spent < seconds * 1e9:
        state, _ = env.reset()
        while not env.is_over():
            action = int(chance.choice(list(state["legal_actions"])))
            began = time.perf_counter_ns()
            state, _ = env.step(action)
            spent += time.perf_counter_ns() - began
            steps += 1
    return spent, steps


def pettingzoo(env, seconds=1.0):
    spent, steps, chance = 0, 0, np.random.default_rng(0)
    while spent < seconds * 1e9:
        env.reset(seed=steps)
        for agent in env.agent_iter():
            obs, _, over, cut, info = env.last()
            mask = info["action_mask"] if "action_mask" in info else obs["action_mask"]
            action = None if over or cut else int((chance.random(mask.shape) * mask).argmax())
            began = time.perf_counter_ns()
            env.step(action)
            if env.agents:
                env.last()
            spent += time.perf_counter_ns() - began
            steps += 1
    return spent, steps


if __name__ == "__main__":
    for game in arena.GAMES:
        report(f"{game}, batch of 1", lambda: batch(game, 1))
        report(f"{game}, batch of 256", lambda: batch(game, 256))
    for module, run, names in (("pyspiel", open_spiel, ["leduc_poker", "hanabi", "phantom_ttt", "liars_dice"]),
                               ("rlcard", rlcard, ["leduc-holdem", "limit-holdem", "uno", "gin-rummy"])):
        if importlib.util.find_spec(module):
            for name in names:
                try:
                    report(f"{module} {name}", lambda: run(name))
                except Exception as error:
                    print(f"{module} {name}: {type(error).__name__}")
    if importlib.util.find_spec("pettingzoo"):
        from arena_engine import coda_v0
        report("coda_v0 of this package", lambda: pettingzoo(coda_v0.env()))
    if importlib.util.find_spec("rlcard") and importlib.util.find_spec("pettingzoo"):
        for name in ("leduc_holdem_v4", "texas_holdem_v4"):
            module = importlib.import_module(f"pettingzoo.classic.{name}")
            report(f"pettingzoo {name}", lambda: pettingzoo(module.env()))

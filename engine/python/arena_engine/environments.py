"""The games as environments: of PettingZoo, one agent per seat, and of Gymnasium, one seat against built-in bots."""

from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ._native import GAMES, Batch
from .shapes import Arrays, Field, arrays

MODES = ["human", "ansi"]
Observation = NDArray[np.int16] | dict[str, NDArray[Any]]


def box(fields: list[Field]) -> spaces.Box:
    """Returns the space of observations with these slices."""
    high = np.concatenate([np.full(int(np.prod(field["shape"])), field["high"], np.int16) for field in fields])
    return spaces.Box(np.zeros_like(high), high, dtype=np.int16)


def seed_from(chance: np.random.Generator, seed: int | None) -> list[int]:
    """Returns the seed of the next match: the given one, or a random one."""
    return [int(chance.integers(1 << 53)) if seed is None else seed % (1 << 53)]


def show(batch: Batch, mode: str | None) -> str | None:
    """Returns the match so far, with a sentence for each event."""
    if mode is None:
        gymnasium.logger.warn("without a render_mode there is nothing to render")
        return None
    text = "\n".join(batch.text(0))
    if mode == "human":
        print(text)
        return None
    return text


class Pickled:
    """An environment with one batch. Copying or unpickling it binds the arrays again."""

    batch: Batch
    arrays: Arrays

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "arrays"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.arrays = arrays(self.batch)


class Table(Pickled, AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo has no types
    """A table where every seat is an agent. Seats that choose at the same time act in turn, each in secret. An agent
    that forfeits is not selected any more, and terminates with the others. With `mask="observation"` observations are dictionaries with the mask, else it is in the infos."""

    def __init__(self, game: str, seats: int = 2, rules: dict[str, object] | None = None, variant: str = "private",
                 mask: str = "info", render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"name": f"{game.replace('-', '_')}_v0", "render_modes": MODES, "is_parallelizable": False}
        self.render_mode = render_mode
        self.batch = Batch(game, rules, seats, variant=variant, auto_reset=False)
        self.arrays = arrays(self.batch)
        self.in_observation = mask == "observation"
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        space: spaces.Space[Any] = box(self.batch.schema())
        if self.in_observation:
            legal = spaces.Box(0, 1, (self.batch.actions,), np.int8)
            space = spaces.Dict({"observation": space, "action_mask": legal})
        # One copy of the space for each agent, because the spaces are seeded separately.
        self.observation_spaces = {agent: deepcopy(space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.batch.actions) for agent in self.possible_agents}
        self.chance = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self.chance = np.random.default_rng(seed)
        self.batch.reset(seed_from(self.chance, seed))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        assert action is not None, "a seat that must act needs an action"
        self.batch.step(int(action))
        over = bool(self.arrays.done[0])
        for agent, reward in zip(self.possible_agents, self.arrays.reward[0]):
            self.rewards[agent] = float(reward)
            self.terminations[agent] = over
        self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        """Passes the turn to the seat that must act; after the match, to the first agent."""
        self.agent_selection = self.possible_agents[max(int(self.arrays.seat[0]), 0)]
        if not self.in_observation:
            for agent in self.agents:
                self.infos[agent] = {"action_mask": self._look(agent)[1]}

    def _look(self, agent: str) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
        if agent == self.agent_selection and not self.terminations[agent]:
            return self.arrays.obs[0].copy(), self.arrays.mask[0].copy()
        obs, mask = np.zeros(self.batch.length, np.int16), np.zeros(self.batch.actions, np.int8)
        self.batch.observe(0, self.possible_agents.index(agent), obs, mask)
        return obs, mask

    def observe(self, agent: str) -> Observation:
        obs, mask = self._look(agent)
        return {"observation": obs, "action_mask": mask} if self.in_observation else obs

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns true for each legal action of the agent to act."""
        return self._look(self.agent_selection)[1].astype(np.bool_)

    def render(self) -> str | None:
        return show(self.batch, self.render_mode)

    def close(self) -> None:
        pass


class Single(Pickled, gymnasium.Env[NDArray[np.int16], np.int64]):
    """One seat against built-in bots: `opponents` is a bot's name, or names by seat."""

    metadata = {"render_modes": MODES, "render_fps": 4}

    def __init__(self, game: str, seat: int = 0, seats: int = 2, opponents: str | dict[int, str] = "random",
                 rules: dict[str, object] | None = None, variant: str = "private", render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        others = [other for other in range(seats) if other != seat]
        named = dict.fromkeys(others, opponents) if isinstance(opponents, str) else opponents
        self.batch = Batch(game, rules, seats, opponents=named, variant=variant, auto_reset=False)
        self.arrays = arrays(self.batch)
        self.seat = seat
        self.observation_space: spaces.Space[Any] = box(self.batch.schema())
        self.action_space = spaces.Discrete(self.batch.actions)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.int16], dict[str, Any]]:
        super().reset(seed=seed)
        self.batch.reset(seed_from(self.np_random, seed))
        return self._look()

    def step(self, action: np.int64) -> tuple[NDArray[np.int16], float, bool, bool, dict[str, Any]]:
        self.batch.step(int(action))
        obs, info = self._look()
        return obs, float(self.arrays.reward[0, self.seat]), bool(self.arrays.done[0]), False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns true for each legal action, in the form that sb3-contrib uses."""
        masks: NDArray[np.bool_] = self.arrays.action_masks()[0]
        return masks

    def _look(self) -> tuple[NDArray[np.int16], dict[str, Any]]:
        obs, mask = np.zeros(self.batch.length, np.int16), np.zeros(self.batch.actions, np.int8)
        self.batch.observe(0, self.seat, obs, mask)
        return obs, {"action_mask": mask}

    def render(self) -> str | None:
        return show(self.batch, self.render_mode)


for name in GAMES:
    gymnasium.register(f"arena/{name}-v0", "arena_engine.environments:Single", kwargs={"game": name})

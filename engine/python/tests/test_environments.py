"""PettingZoo's and Gymnasium's own tests."""

import warnings

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

import arena_engine as arena
from arena_engine import coda_v0, code_777_v0, crack_the_code_v0, digit_code_v0
from common import TABLES

MODULES = dict(zip(arena.GAMES, (coda_v0, code_777_v0, crack_the_code_v0, digit_code_v0)))


@pytest.fixture(autouse=True)
def warnings_are_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("game, seats", TABLES)
def test_two_hundred_environments_keep_to_the_api(game, seats, capsys):
    for number in range(200):
        # Counting takes long, so it is tested less often.
        variant = "counted" if number % 20 == 19 else ("public", "private", "recall")[number % 3]
        env = MODULES[game].env(seats=seats, variant=variant)
        env.reset(seed=number)
        api_test(env, num_cycles=20 if number else 1000)


@pytest.mark.parametrize("game, seats", TABLES)
def test_the_form_with_the_mask_in_the_observation(game, seats, capsys):
    # The checker warns about this form of observation, and about agents that have no legal action because it is not their turn. Both are
    # intended.
    warnings.filterwarnings("ignore", "Observation space for each agent probably|Action mask numpy array is all zeros")
    warnings.filterwarnings("ignore", "Observation is not a NumPy array")
    api_test(MODULES[game].env(seats=seats, mask="observation"), num_cycles=200)


@pytest.mark.parametrize("game, seats", TABLES)
def test_seeds_decide(game, seats):
    seed_test(lambda: MODULES[game].env(seats=seats), num_cycles=300)


@pytest.mark.parametrize("game", arena.GAMES)
def test_rendering(game, capsys):
    render_test(MODULES[game].env)


@pytest.mark.parametrize("game", arena.GAMES)
def test_gymnasium_finds_nothing(game, capsys):
    for seat in (0, 1):
        check_env(gymnasium.make(f"arena/{game}-v0", render_mode="ansi", seat=seat).unwrapped)


@pytest.mark.parametrize("game", arena.GAMES)
def test_environments_offer_masks_for_maskable_agents(game):
    single = gymnasium.make(f"arena/{game}-v0")
    _, info = single.reset(seed=1)
    mask = single.unwrapped.action_masks()
    assert mask.shape == (single.action_space.n,) and mask.dtype == bool and (mask == info["action_mask"]).all()
    table = MODULES[game].env()
    table.reset(seed=1)
    assert table.action_masks().dtype == bool and (table.action_masks() == table.last()[4]["action_mask"]).all()


def test_an_agent_that_forfeits_leaves_the_others_playing():
    env = coda_v0.env(seats=4)
    env.reset(seed=1)
    env.step(-1)
    acted = set()
    for agent in env.agent_iter():
        _, reward, over, _, info = env.last()
        acted.add(agent)
        if over:
            assert env.terminations == dict.fromkeys(env.agents, True)
            break
        env.step(int(info["action_mask"].argmax()))
    assert env.rewards["seat_0"] == -1 and {"seat_1", "seat_2", "seat_3"} <= acted

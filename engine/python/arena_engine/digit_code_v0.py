"""digit-code for PettingZoo: `env()`."""

from functools import partial

from .environments import Table

env = raw_env = partial(Table, "digit-code")

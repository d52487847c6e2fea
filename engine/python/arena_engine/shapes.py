"""The arrays of a batch, and the slices of its observations."""

from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from ._native import Batch


class Field(TypedDict):
    """A slice of an observation: values from 0 to `high`."""

    name: str
    start: int
    shape: list[int]
    high: int
    dtype: str


class Arrays(NamedTuple):
    """The arrays that a batch fills, with one row for each match. Do not write to them: a batch writes only what has changed."""

    obs: NDArray[np.int16]
    mask: NDArray[np.int8]
    seat: NDArray[np.int32]
    reward: NDArray[np.float32]
    done: NDArray[np.int8]

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns a copy of the masks, true for legal actions, in the form that sb3-contrib uses."""
        return self.mask.astype(np.bool_)


def arrays(batch: Batch) -> Arrays:
    """Creates the arrays of a batch, and binds them."""
    n = batch.n
    made = Arrays(np.zeros((n, batch.length), np.int16), np.zeros((n, batch.actions), np.int8), np.zeros(n, np.int32),
                  np.zeros((n, batch.seats), np.float32), np.zeros(n, np.int8))
    batch.bind(*made)
    return made


def schema(game: str, rules: dict[str, object] | None = None, seats: int = 2, variant: str = "private") -> list[Field]:
    """Returns the slices of an observation: name, start, shape, maximum (the minimum is 0), dtype."""
    return Batch(game, rules, seats, variant=variant).schema()


def expand(obs: NDArray[np.int16], fields: list[Field], most: int = 32) -> NDArray[np.float32]:
    """Returns observations for a network: numbers with up to `most` values one-hot, without the 0, others divided by their maximum."""
    parts = []
    for field in fields:
        part = obs[:, field["start"]:][:, :int(np.prod(field["shape"]))]
        if field["high"] < most:
            one_hot = part[:, :, None] == np.arange(1, field["high"] + 1, dtype=np.int16)
            parts.append(one_hot.reshape(len(obs), -1).astype(np.float32))
        else:
            parts.append(part.astype(np.float32) / field["high"])
    return np.concatenate(parts, axis=1)

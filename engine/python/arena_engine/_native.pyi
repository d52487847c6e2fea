"""The compiled part: see the README for the spaces."""

from array import array
from typing import Any, final

from numpy.typing import NDArray

from .shapes import Field

Buffer = NDArray[Any] | memoryview | bytearray | array[Any]

GAMES: list[str]
BOTS: dict[str, list[str]]

@final
class Batch:
    """Matches of one game, played side by side."""

    game: str
    seats: int
    n: int
    actions: int
    length: int
    last: dict[int, dict[str, Any]]
    def __new__(
        cls,
        game: str,
        rules: dict[str, object] | None = None,
        seats: int = 2,
        n: int = 1,
        seed: int = 0,
        opponents: dict[int, str] | None = None,
        variant: str = "private",
        auto_reset: bool = True,
        threads: int | None = None,
    ) -> Batch: ...
    def schema(self) -> list[Field]: ...
    def bind(self, obs: Buffer, mask: Buffer, seat: Buffer, reward: Buffer, done: Buffer) -> None: ...
    def reset(self, seeds: list[int] | None = None) -> None: ...
    def step(self, actions: Buffer | int) -> None: ...
    def observe(self, at: int, seat: int, obs: Buffer, mask: Buffer) -> None: ...
    def action(self, at: int, index: int) -> dict[str, Any] | None: ...
    def index(self, at: int, action: dict[str, Any]) -> int | None: ...
    def view(self, at: int, seat: int) -> dict[str, Any]: ...
    def text(self, at: int) -> list[str]: ...

@final
class Observer:
    """One seat of a match that is played elsewhere, from the messages of the protocol."""

    actions: int
    length: int
    def __new__(cls, start: dict[str, Any], variant: str = "private") -> Observer: ...
    def see(self, events: list[dict[str, Any]]) -> None: ...
    def write(self, prompt: list[dict[str, Any]], obs: Buffer, mask: Buffer) -> None: ...
    def action(self, index: int) -> dict[str, Any]: ...

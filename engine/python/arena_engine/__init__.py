"""Four games of hidden codes: batches of matches, environments, tournaments, and learned bots as programs."""

from ._native import BOTS, GAMES, Batch, Observer
from .programs import serve
from .shapes import Arrays, Field, arrays, expand, schema
from .tournaments import Tournament, run, trial

__all__ = ["BOTS", "GAMES", "Arrays", "Batch", "Field", "Observer", "Tournament", "arrays", "expand", "run", "schema", "serve", "trial"]

"""Models of many shards added up as a tree, on the workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treekernels.learners.models.model import ModelSnapshot

__all__ = ["add_models", "sum_of_models"]


def add_models(first: ModelSnapshot, second: ModelSnapshot) -> ModelSnapshot:
    """Return the sum of two models."""
    model = first.restored()
    model.merge(second.restored())
    return model.snapshot()


def sum_of_models(client: Any, futures: Sequence[Any]) -> Any:
    """Return a future of the sum of models, added up in pairs.

    The pairs depend on the number of models alone, so that the sum has the same bits wherever and
    whenever they are computed.
    """
    level = list(futures)
    while len(level) > 1:
        pairs = [
            client.submit(add_models, *level[place : place + 2], pure=False)
            for place in range(0, len(level) - 1, 2)
        ]
        level = pairs + level[2 * len(pairs) :]
    return level[0]

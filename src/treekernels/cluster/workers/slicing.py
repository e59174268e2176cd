"""Cutting and joining rows of what partitions hold: forests, tables, arrays, data frames, lists."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treekernels.common.arrays import object_array
from treekernels.data.columns import length
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.data.tree_sets import TreeSets
from treekernels.io.reading.input.joining import joined


def as_partition(data: Any) -> Any:
    """Return what came from elsewhere as it is kept: texts and tuples of trees as a forest."""
    if isinstance(data, Mapping) and not hasattr(data, "shape"):
        return Table(data)
    if isinstance(data, list | tuple):
        if all(isinstance(item, int | float | bool | np.generic) for item in data):
            return np.array(data)
        if any(_is_tree(item) for item in data):
            return Forest(data)
        return object_array(data)
    return data


def _is_tree(item: Any) -> bool:
    return hasattr(item, "label") or (isinstance(item, str) and item.lstrip().startswith("("))


def take_rows(data: Any, first: int, last: int) -> Any:
    """Return the rows from `first` up to `last`."""
    if first == 0 and last == length(data):
        return data
    return data.iloc[first:last] if hasattr(data, "iloc") else data[first:last]


def join_rows(parts: Sequence[Any]) -> Any:
    """Put rows one after the other."""
    kept = [part for part in parts if length(part)] or [parts[0]]
    first = kept[0]
    if len(kept) == 1:
        return first
    if isinstance(first, Table):
        return joined(kept)
    if isinstance(first, Forest | Pairs | TreeSets):
        return type(first).concatenate(kept)
    if hasattr(first, "iloc"):
        import pandas

        return pandas.concat(kept)
    if hasattr(first, "tocsr"):
        from scipy.sparse import vstack

        return vstack(kept, format="csr")
    if isinstance(first, np.ndarray):
        return np.concatenate(kept)
    return [row for part in kept for row in part]


def assemble(bounds: Sequence[tuple[int, int]], *parts: Any) -> Any:
    """Join some rows of each of several partitions."""
    both = zip(parts, bounds, strict=True)
    return join_rows([take_rows(part, first, last) for part, (first, last) in both])


def renumbered(data: Any) -> Any:
    """Return the same rows with their subtrees numbered in order of appearance.

    Kernels add numbers up in the order of the subtrees. So the last bits of a result depend on how
    they are numbered, and would otherwise depend on what else a partition holds.
    """
    return pickle.loads(pickle.dumps(data, protocol=5))


def rows_of_a_task(count: int, *, tasks: int, most: int) -> int:
    """Return how many examples a task takes, a power of two that depends on their number alone.

    There are about so many tasks, unless they would take fewer than 256 examples or too many.
    """
    return 1 << max(256, min(most, count // tasks)).bit_length() - 1

"""What edits cost, in the words of users, as the native core takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.common.checks import check_weight
from treekernels.common.limits import get_limits, memory_limit
from treekernels.common.text import byte_count
from treekernels.data.forest import Forest
from treekernels.data.tree import EMPTY
from treekernels.errors import KernelMemoryError, ParameterError
from treekernels.kernels.similarity.labels import LazySimilarity, labels_of

LabelCosts: TypeAlias = "float | Mapping[str, float] | Callable[[str], float]"
RenameCosts: TypeAlias = (
    "float | Mapping[tuple[str, str], float] | Callable[[str, str], float] | LazySimilarity | str"
)

_TEXT = "text"
_BYTES_OF_A_PAIR = 32  # of labels, while their cost is handed over


def check_label_costs(name: str, value: Any) -> Any:
    """Return what single labels cost unchanged, or raise a `ParameterError`."""
    if isinstance(value, Mapping):
        for label, cost in value.items():
            check_weight(f"{name}[{label!r}]", cost)
        return value
    return value if callable(value) else check_weight(name, value)


def check_rename_costs(name: str, value: Any) -> Any:
    """Return what pairs of labels cost unchanged, or raise a `ParameterError`."""
    if isinstance(value, LazySimilarity) or callable(value) or value == _TEXT:
        return value
    if isinstance(value, Mapping):
        for pair, cost in value.items():
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise ParameterError(f"{name} has pairs of labels as keys, and {pair!r} is none")
            check_weight(f"{name}[{pair!r}]", cost)
        return value
    if isinstance(value, str):
        raise ParameterError(f"{name} may be a number, a dict, a function or 'text', not {value!r}")
    return check_weight(name, value)


def native_costs(
    forest: Forest, insert: LabelCosts, delete: LabelCosts, rename: RenameCosts
) -> _native.EditCosts:
    """Return what edits cost for all labels of some trees."""
    unit = all(type(cost) in (int, float) and cost == 1 for cost in (insert, delete, rename))
    if unit and not forest.is_empty.any():
        return _native.EditCosts()
    labels = labels_of(forest)
    numbers = {label: _native.label_number(forest.dag, label) for label in labels}
    places = np.array(list(numbers.values()), np.uint32)
    count = int(places.max(initial=0)) + 1

    def by_label(name: str, costs: LabelCosts) -> Any:
        array = np.zeros(count)
        array[places] = [label_cost(name, costs, label) for label in labels]
        return array

    usual, pairs = _pairs(labels, rename)
    from_, to, values = zip(*pairs, strict=True) if pairs else ((), (), ())
    groups, offsets, tokens = _texts(labels, places, count) if rename == _TEXT else _NO_TEXTS
    nothing = numbers.get(EMPTY)
    return _native.EditCosts(
        by_label("delete", delete),
        by_label("insert", insert),
        usual,
        np.array([numbers[label] for label in from_], np.uint32),
        np.array([numbers[label] for label in to], np.uint32),
        np.array(values, np.float64),
        groups,
        offsets,
        tokens,
        nothing,
    )


def label_cost(name: str, costs: Any, label: str) -> float:
    """Return what one label costs: by a number, by a table, in which others cost 1, or a function.

    Examples
    --------
    >>> label_cost("insert", {"NP": 2}, "NP"), label_cost("insert", {"NP": 2}, "VP")
    (2.0, 1.0)
    """
    if isinstance(costs, Mapping):
        return float(costs.get(label, 1.0))
    if callable(costs):
        return check_weight(f"the cost to {name} {label!r}", costs(label))
    return float(costs)


def _pairs(labels: list[str], rename: Any) -> tuple[float, list[tuple[str, str, float]]]:
    """Return what most pairs of labels cost, and those that cost something else."""
    if isinstance(rename, LazySimilarity):
        known = [(a, b, max(0.0, 1.0 - value)) for a, b, value in rename.pairs(labels)]
        return 1.0, [*known, *((b, a, cost) for a, b, cost in known)]
    if isinstance(rename, Mapping):
        there = set(labels)
        table = dict(rename)
        for (a, b), cost in rename.items():
            table.setdefault((b, a), cost)
        kept = [(a, b, float(c)) for (a, b), c in table.items() if a in there and b in there]
        return 1.0, kept
    if not callable(rename):
        return (1.0 if rename == _TEXT else float(rename)), []
    _check_memory(len(labels))
    every = chain.from_iterable(((a, b) for b in labels if b != a) for a in labels)
    return 1.0, [
        (a, b, check_weight(f"the cost to rename {a!r} to {b!r}", rename(a, b))) for a, b in every
    ]


def _check_memory(labels: int) -> None:
    needed = labels * labels * _BYTES_OF_A_PAIR
    most, what = memory_limit(get_limits().matrix_bytes)
    if needed > most:
        raise KernelMemoryError(
            f"a function that says what it costs to rename is asked about all pairs of the "
            f"{labels:,} labels, which takes {byte_count(needed)}, {what}: give a table of the "
            "pairs that do not cost 1"
        )


_NO_TEXTS = (np.empty(0, np.uint32), np.empty(0, np.uint64), np.empty(0, np.uint32))


def _texts(labels: list[str], places: Any, count: int) -> tuple[Any, Any, Any]:
    """Return the characters of all labels, which are of one group."""
    return label_texts(
        count, dict(zip(places.tolist(), ((0, text) for text in labels), strict=True))
    )


def label_texts(count: int, texts: Mapping[int, tuple[int, Any]]) -> tuple[Any, Any, Any]:
    """Return groups and tokens of labels as arrays; labels are numbers below `count`."""
    groups = np.zeros(count, np.uint32)
    sizes = np.zeros(count, np.uint64)
    numbers: dict[Any, int] = {}
    tokens: list[int] = []
    for label in sorted(texts):
        groups[label], text = texts[label]
        sizes[label] = len(text)
        tokens.extend(numbers.setdefault(token, len(numbers)) for token in text)
    offsets = np.zeros(count + 1, np.uint64)
    np.cumsum(sizes, out=offsets[1:])
    return groups, offsets, np.array(tokens, np.uint32)

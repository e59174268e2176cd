"""How much of each submission is in another, feature by feature, from nested tuples."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

__all__ = ["SlowCourse", "equal_subtrees"]


def _features(tree: Any) -> set[Any]:
    """Return the whole subtrees, productions, neighbours and leaves of a tree."""
    label, *children = tree
    if not children:
        return {("leaf", label)}
    result: set[Any] = {("subtree", tree), ("production", label, *(child[0] for child in children))}
    for first, other in pairwise(children):
        result.add(("siblings", label, first[0], other[0]))
    for child in children:
        result |= _features(child)
    return result


class SlowCourse:
    """The trees of a course, and perhaps that of a template."""

    def __init__(self, trees: list[Any], template: Any = None) -> None:
        self.features = [_features(tree) for tree in trees]
        self.given = set() if template is None else _features(template)

    def weight(self, feature: Any) -> float:
        """Return what a feature counts."""
        count = len(self.features)
        having = sum(feature in others for others in self.features)
        if feature in self.given or (count >= 10 and having > 0.8 * count):
            return 0.0
        return math.log(1 + count / max(1, having))

    def share(self, one: int, other: int) -> float:
        """Return how much of one submission is in another."""
        total = sum(map(self.weight, self.features[one]))
        shared = sum(map(self.weight, self.features[one] & self.features[other]))
        return shared / total if total else 0.0


def equal_subtrees(a: Any, b: Any, smallest: int) -> int:
    """Return how many nodes are in equal subtrees if the largest are taken first.

    Which of several equal ones is taken does not change how many there are.
    """
    pairs = sorted(
        (
            (-_size(first), repr(first), place, there)
            for place, first in _places(a)
            for there, other in _places(b)
            if place and there and first == other and _size(first) >= smallest
        ),
        key=lambda pair: pair,
    )
    taken: tuple[set[Any], set[Any]] = (set(), set())
    nodes = 0
    for size, _, place, there in pairs:
        ends = (place, there)
        if any(_is_inside(end, used) for end, used in zip(ends, taken, strict=True)):
            continue
        for end, used in zip(ends, taken, strict=True):
            used.add(end)
        nodes -= size
    return nodes


def _is_inside(place: Any, taken: set[Any]) -> bool:
    return any(place[:length] in taken for length in range(len(place) + 1))


def _places(tree: Any, place: tuple[int, ...] = ()) -> list[Any]:
    result = [(place, tree)]
    for number, child in enumerate(tree[1:]):
        result += _places(child, (*place, number))
    return result


def _size(tree: Any) -> int:
    return 1 + sum(map(_size, tree[1:]))

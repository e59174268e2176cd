"""Random trees for hypothesis, as nested tuples `(label, child, child, ...)`; a leaf is `(label,)`.

They are made to collide: with few labels, two trees nearly always have labels in common, and often
productions and whole subtrees. Inner nodes draw their labels from all but the last of the alphabet,
leaves from all but the first, so that a label may be at a leaf here and at an inner node there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from hypothesis import strategies as st

Tree: TypeAlias = tuple[Any, ...]

LABELS = ("A", "B", "x")


def trees(max_nodes: int = 12, labels: Sequence[str] = LABELS) -> st.SearchStrategy[Tree]:
    """Trees of 1 to `max_nodes` nodes: single nodes, chains, wide, bushy and repetitive ones.

    The shape is drawn first: uniform random trees are hardly ever deep or wide enough to be a test.
    """
    if max_nodes < 1 or not labels:
        raise ValueError(f"A tree needs a node and a label: {max_nodes=}, {labels=}.")
    shapes = [_single, *[_bushy, _wide, _chain, _repetitive] * 3]
    return st.sampled_from(shapes).flatmap(lambda shape: shape(max_nodes, tuple(labels)))


def forests(
    max_trees: int = 6, min_trees: int = 0, max_nodes: int = 12, labels: Sequence[str] = LABELS
) -> st.SearchStrategy[list[Tree]]:
    """Lists of `min_trees` to `max_trees` trees, with many duplicates and parts of each other."""

    @st.composite
    def forest(draw: st.DrawFn) -> list[Tree]:
        pool = draw(st.lists(trees(max_nodes, labels), min_size=1, max_size=max(1, max_trees)))
        known = [*pool, *(part for tree in pool for part in tree[1:])]
        picks = st.lists(st.sampled_from(known), min_size=min_trees, max_size=max_trees)
        return draw(picks)

    return forest()


def decays(min_value: float = 1e-100) -> st.SearchStrategy[float]:
    """Decay factors (lambda, mu) from `min_value`, which must be above 0, to 1.

    Even the default is small enough for a product of two to vanish in a float.
    """
    if not 0 < min_value <= 1:
        raise ValueError(f"A decay is above 0 and at most 1, so min_value cannot be {min_value}.")
    usual = [value for value in (0.4, 1.0, 0.5, 0.99, 1e-3, 1e-12) if value >= min_value]
    return st.sampled_from([*usual, min_value]) | st.floats(min_value, 1.0)


# A strategy is drawn from for every node, and making one takes longer than drawing: each is kept.
_integers = cache(st.integers)
_BOOLEANS = st.booleans()


@cache
def _single(max_nodes: int, labels: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    return st.sampled_from(labels).map(lambda label: (label,))


@cache
def _bushy(max_nodes: int, labels: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    return _grown(max_nodes, labels, lambda number: _integers(0, number - 1))


@cache
def _wide(max_nodes: int, labels: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    """All nodes are children of the first two."""
    return _grown(max_nodes, labels, lambda number: _integers(0, min(number - 1, 1)))


@cache
def _chain(max_nodes: int, labels: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    """Each node is a child of one of the two before it."""
    return _grown(max_nodes, labels, lambda number: _integers(max(0, number - 2), number - 1))


@cache
def _repetitive(max_nodes: int, labels: tuple[str, ...]) -> st.SearchStrategy[Tree]:
    """The same subtree several times below one node, perhaps with a leaf between."""
    small = _bushy(max(1, max_nodes // 3), labels)  # so that there is room for two

    @st.composite
    def repetitive(draw: st.DrawFn) -> Tree:
        part = draw(small)
        room = (max_nodes - 1) // _size(part)
        if room < 1:
            return part
        copies = [part] * draw(_integers(1, room))
        if 1 + len(copies) * _size(part) < max_nodes and draw(_BOOLEANS):
            copies.insert(draw(_integers(0, len(copies))), (draw(_leaf_labels(labels)),))
        return (draw(_inner_labels(labels)), *copies)

    return repetitive()


def _grown(
    max_nodes: int, labels: tuple[str, ...], parent_of: Callable[[int], st.SearchStrategy[int]]
) -> st.SearchStrategy[Tree]:
    """Trees whose nodes 1, 2, ... hang below the node that `parent_of` draws for them."""

    @st.composite
    def grown(draw: st.DrawFn) -> Tree:
        count = draw(_integers(min(2, max_nodes), max_nodes))
        children: list[list[int]] = [[] for _ in range(count)]
        for number in range(1, count):
            children[draw(parent_of(number))].append(number)
        built: dict[int, Tree] = {}
        for number in reversed(range(count)):
            below = [built.pop(child) for child in children[number]]
            label = draw(_inner_labels(labels) if below else _leaf_labels(labels))
            built[number] = (label, *below)
        return built[0]

    return grown()


@cache
def _inner_labels(labels: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(labels[:-1] or labels)


@cache
def _leaf_labels(labels: tuple[str, ...]) -> st.SearchStrategy[str]:
    return st.sampled_from(labels[1:] or labels)


def _size(tree: Tree) -> int:
    return 1 + sum(_size(child) for child in tree[1:])

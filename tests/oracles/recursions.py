"""The tree kernels as recursions over pairs of nodes, in plain Python: part of the oracle."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from oracles.trees import (
    Number,
    Similarity,
    Tree,
    check_gaps,
    nodes,
    take_last,
)

__all__ = ["normalized", "recursive"]


class _Numbered(NamedTuple):
    """A tree by numbers, children first: those compare at any depth, nested tuples do not."""

    labels: list[str]
    children: list[list[int]]

    def is_leaf(self, node: int) -> bool:
        return not self.children[node]

    def productions(self) -> list[tuple[str, ...] | None]:
        """Label and children's labels per node, None for a leaf."""
        return [
            (label, *(self.labels[child] for child in children)) if children else None
            for label, children in zip(self.labels, self.children, strict=True)
        ]


def _numbered(tree: Tree) -> _Numbered:
    numbered = _Numbered([], [])
    finished: list[int] = []
    for number, node in enumerate(nodes(tree)):
        numbered.labels.append(node[0])
        numbered.children.append(take_last(finished, len(node) - 1))
        finished.append(number)
    return numbered


Local: TypeAlias = list[dict[int, Number]]
"""C per node of the first tree and node of the second; where there is no entry, C is 0."""


def _recursive_subtree(a: Tree, b: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Number:
    """C = lambda * prod_j C(child_j, child_j), where the factor of a pair of leaves is 1."""
    one, two = _numbered(a), _numbered(b)

    def below(local: Local, x: int, y: int) -> Number:
        if one.is_leaf(x) and two.is_leaf(y):
            return 1
        return local[x].get(y, 0)

    return _over_productions(one, two, decay, below) + leaf_weight * _equal_leaves(one, two)


def _recursive_subset(a: Tree, b: Tree, decay: Number = 1, leaf_weight: Number = 0) -> Number:
    """C = lambda * prod_j (1 + C(child_j, child_j)), with C = 0 where either is a leaf."""
    one, two = _numbered(a), _numbered(b)

    def below(local: Local, x: int, y: int) -> Number:
        return 1 + local[x].get(y, 0)

    return _over_productions(one, two, decay, below) + leaf_weight * _equal_leaves(one, two)


def _over_productions(
    one: _Numbered, two: _Numbered, decay: Number, below: Callable[[Local, int, int], Number]
) -> Number:
    local: Local = [{} for _ in one.labels]
    for x, y in _equal_pairs(one.productions(), two.productions()):
        children = zip(one.children[x], two.children[y], strict=True)
        value = decay * math.prod(below(local, i, j) for i, j in children)
        if value:
            local[x][y] = value
    return _total(local)


def _equal_pairs(one: Sequence[Any], two: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """Places of equal keys, children first; None equals nothing."""
    places: dict[Any, list[int]] = {}
    for y, key in enumerate(two):
        places.setdefault(key, []).append(y)
    for x, key in enumerate(one):
        if key is not None:
            yield from ((x, y) for y in places.get(key, []))


def _equal_leaves(one: _Numbered, two: _Numbered) -> int:
    in_one, in_two = (
        Counter(label for label, below in zip(*tree, strict=True) if not below)
        for tree in (one, two)
    )
    return sum(count * in_two[label] for label, count in in_one.items())


def _total(local: Local) -> Number:
    return sum(sum(row.values()) for row in local)


def _equality(one: str, two: str) -> int:
    return int(one == two)


def _similar_pairs(
    one: _Numbered, two: _Numbered, similarity: Similarity
) -> Iterator[tuple[int, int, Number]]:
    remembered = cache(similarity)
    for x, label in enumerate(one.labels):
        for y, other in enumerate(two.labels):
            similar = remembered(label, other)
            if similar:
                yield x, y, similar


def _recursive_partial(
    a: Tree,
    b: Tree,
    decay: Number = 1,
    vertical_decay: Number = 1,
    gaps: str = "skipped",
    similarity: Similarity = _equality,
) -> Number:
    """C = mu * (lambda^2 + sum over p of D_p); there is no D_p when either node is a leaf.

    A span is the skipped positions and the p picked ones, so `span` is `skipped` with each picked
    pair times lambda^2.
    """
    check_gaps(gaps)
    one, two = _numbered(a), _numbered(b)
    local: Local = [{} for _ in one.labels]
    alone = decay**2
    picked = alone if gaps == "span" else 1
    for x, y, similar in _similar_pairs(one, two, similarity):
        values = [[local[i].get(j, 0) * picked for j in two.children[y]] for i in one.children[x]]
        local[x][y] = similar * vertical_decay * (alone + _gapped_matches(values, decay))
    return _total(local)


def _gapped_matches(values: Sequence[Sequence[Number]], decay: Number) -> Number:
    """The sum over p >= 1 of D_p, by a table over both child sequences.

    A pair of subsequences that ends in (i, j) is that pair on its own, or follows one that ended
    before i and before j: `before[j]` sums the latter, each with decay to the rows and columns
    between.
    """
    total: Number = 0
    before: list[Number] = [0] * (len(values[0]) + 1 if values else 0)
    for row in values:
        after: list[Number] = [0]
        in_row: Number = 0
        for j, value in enumerate(row):
            ending = value * (1 + before[j]) if value else 0
            total += ending
            in_row = decay * in_row + ending
            after.append(decay * before[j + 1] + in_row)
        before = after
    return total


def _recursive_ordered(
    a: Tree, b: Tree, decay: Number = 1, similarity: Similarity = _equality
) -> Number:
    """C = decay * similarity * S, with S over the C of children."""
    one, two = _numbered(a), _numbered(b)
    local: Local = [{} for _ in one.labels]
    for x, y, similar in _similar_pairs(one, two, similarity):
        values = [[local[i].get(j, 0) for j in two.children[y]] for i in one.children[x]]
        local[x][y] = decay * similar * _ordered_matches(values)
    return _total(local)


def _recursive_elastic(
    a: Tree, b: Tree, decay: Number = 1, similarity: Similarity = _equality
) -> Number:
    """C = decay * similarity * S, with S over A of children: C summed over them and all below.

    A is summed in two steps, first down the first tree (`column`), then down the second (`both`).
    Rows of children are dropped once their parent has its own: the tables would fill the memory.
    """
    one, two = _numbered(a), _numbered(b)
    remembered = cache(similarity)
    column: dict[int, list[Number]] = {}
    both: dict[int, list[Number]] = {}
    for x, label in enumerate(one.labels):
        children = one.children[x]
        column[x], both[x] = [], []
        for y, other in enumerate(two.labels):
            local: Number = decay * remembered(label, other)
            if local:
                values = [[both[i][j] for j in two.children[y]] for i in children]
                local *= _ordered_matches(values)
            column[x].append(local + sum(column[i][y] for i in children))
            both[x].append(column[x][y] + sum(both[x][j] for j in two.children[y]))
        for i in children:
            del column[i], both[i]
    return both[len(one.labels) - 1][-1]


def _recursive_subpath(
    a: Tree, b: Tree, decay: Number = 1, max_length: int | None = None
) -> Number:
    """C = lambda * (1 + the sum of C over pairs of children), once for each length that is left."""
    one, two = _numbered(a), _numbered(b)
    longest = len(one.labels) if max_length is None else max_length
    total: Number = 0
    local: Local = [{} for _ in one.labels]
    for _ in range(longest):  # C of paths that have one label more than those before
        longer: Local = [{} for _ in one.labels]
        for x, y in _equal_pairs(one.labels, two.labels):
            below = sum(local[i].get(j, 0) for i in one.children[x] for j in two.children[y])
            longer[x][y] = decay * (1 + below)
        if _total(longer) == total:
            break
        local, total = longer, _total(longer)
    return total


def _ordered_matches(values: Sequence[Sequence[Number]]) -> Number:
    """S(last, last) from S(i,j) = S(i-1,j) + S(i,j-1) - S(i-1,j-1) + S(i-1,j-1) * value(i,j)."""
    if not values:
        return 1
    above: list[Number] = [1] * (len(values[0]) + 1)
    for row in values:
        current: list[Number] = [1]
        for j, value in enumerate(row):
            current.append(above[j + 1] + current[j] + above[j] * (value - 1))
        above = current
    return above[-1]


_RECURSIONS: dict[str, Callable[..., Number]] = {
    "subtree": _recursive_subtree,
    "subset": _recursive_subset,
    "partial": _recursive_partial,
    "elastic": _recursive_elastic,
    "ordered": _recursive_ordered,
    "subpath": _recursive_subpath,
}


def recursive(name: str, a: Tree, b: Tree, **parameters: Any) -> Number:
    """K(a, b) as the sum of C over pairs of nodes: for some thousand nodes, at any depth.

    Parameters
    ----------
    name : {"subtree", "subset", "partial", "elastic", "ordered", "subpath"}
    a, b : nested tuples
    **parameters
        As for `kernel`; partial, elastic and ordered also take `similarity`, a function of two
        labels that takes the place of their equality.

    Examples
    --------
    >>> a, b = ("A", ("B", "b"), ("C", "c")), ("A", ("B", "b"), ("C", "d"))
    >>> recursive("subset", a, b, decay=Fraction(2, 5))
    Fraction(24, 25)
    >>> recursive("elastic", ("A", "b"), ("a", "B"), similarity=lambda x, y: int(x == y.swapcase()))
    3
    """
    return _RECURSIONS[name](a, b, **parameters)


def normalized(name: str, a: Tree, b: Tree, **parameters: Any) -> float:
    """K(a, b) / sqrt(K(a, a) K(b, b)) as a float, 0.0 for a tree of zero norm.

    Floats among the parameters, and from `similarity`, are taken at their exact value, and only the
    quotient is rounded: nothing overflows or vanishes, whatever the size of the kernel values.

    >>> normalized("subtree", ("N", "dog"), ("N", "cat"))
    0.0
    """
    exact = {key: _exact(value) for key, value in parameters.items()}
    joint, norm_a, norm_b = (
        Fraction(recursive(name, one, two, **exact)) for one, two in ((a, b), (a, a), (b, b))
    )
    if not norm_a or not norm_b:
        return 0.0
    size = _square_root(joint**2 / (norm_a * norm_b))
    return -size if joint < 0 else size


def _exact(parameter: Any) -> Any:
    if callable(parameter):
        return lambda one, two: Fraction(parameter(one, two))
    return Fraction(parameter) if isinstance(parameter, float) else parameter


def _square_root(value: Fraction) -> float:
    """The root as a float, of a value that may itself be too small or too large for one."""
    shift = 128 + value.denominator.bit_length() - value.numerator.bit_length()
    shift += shift % 2
    scaled = value * Fraction(2) ** shift
    return math.ldexp(math.isqrt(math.floor(scaled)), -shift // 2)

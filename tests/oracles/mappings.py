"""Mapping kernels by enumeration, to test `treekernels.MappingKernel` against.

The pairs that count are a set: the relation M of Shin and Kuboyama (2010), written out. Nothing is
grouped, kept or counted, and no formula is shared with the package.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import product
from typing import Any

__all__ = ["counterexample", "mapping_kernel", "mapping_score", "written_out"]

Pairs = Collection[tuple[Any, Any]]


def mapping_kernel(
    x: Iterable[Any],
    y: Iterable[Any],
    pairs: Pairs,
    local: Callable[[Any, Any], float],
    representation: Callable[[Any], Any] = lambda part: part,
) -> float:
    """Return equation (2): the local kernel of all pairs of parts that count, summed.

    Parameters
    ----------
    x, y : iterables
        The parts of two examples.
    pairs : set of pairs of parts
        Those that count.
    local : callable
        The kernel of two representations.
    representation : callable
        The representation of a part; gamma in the paper.

    Examples
    --------
    >>> mapping_kernel("ab", "aa", {("a", "a")}, lambda p, q: 1)
    2
    """
    return sum(
        local(representation(p), representation(q))
        for p, q in product(list(x), list(y))
        if (p, q) in pairs
    )


def mapping_score(
    x: Iterable[Any], support: Sequence[tuple[Iterable[Any], float]], *how: Any
) -> float:
    """Return equation (1): the kernel with each support example times its coefficient, summed."""
    parts = list(x)
    return sum(alpha * mapping_kernel(parts, y, *how) for y, alpha in support)


def written_out(parts: Collection[Any], counts: Callable[[Any, Any], bool]) -> set[tuple[Any, Any]]:
    """Return the pairs of parts for which a function is true."""
    return {(p, q) for p, q in product(parts, parts) if counts(p, q)}


def counterexample(pairs: Pairs) -> tuple[Any, ...] | None:
    """Return two parts for which a relation is not symmetric, or three for which not transitive.

    Examples
    --------
    >>> counterexample({(1, 2)})
    (1, 2)
    >>> counterexample({(1, 2), (2, 1), (1, 1), (2, 2)}) is None
    True
    """
    for p, q in pairs:
        if (q, p) not in pairs:
            return p, q
    for (p, q), (r, s) in product(pairs, pairs):
        if q == r and (p, s) not in pairs:
            return p, q, s
    return None

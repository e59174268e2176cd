"""One way to change a tree or a forest: natively, into a DAG of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from treekernels import _native
from treekernels.data.forest import Forest, Roots
from treekernels.data.tree import Tree
from treekernels.errors import DataError

Trees = TypeVar("Trees", Tree, Forest)
"""A tree or a forest; what comes back is of the same kind."""


def roots_of(trees: Tree | Forest) -> tuple[_native.Dag, Roots]:
    """Return the DAG and the roots of a tree or forest."""
    if isinstance(trees, Tree | Forest):
        return trees.dag, trees.roots
    raise DataError(
        f"a Tree or a Forest was expected, not {type(trees).__name__}: "
        "make a forest with treekernels.Forest(trees)"
    )


def apply_change(
    trees: Trees, change: Callable[[_native.Dag, Roots], tuple[_native.Dag, Roots]]
) -> Trees:
    """Return what `change` makes of the DAG and the roots."""
    dag, roots = change(*roots_of(trees))
    if isinstance(trees, Tree):
        return Tree(dag, int(roots[0]))
    return Forest.from_roots(dag, roots, source=trees.source)

"""Making trees binary, and undoing it."""

from __future__ import annotations

import re
from typing import Literal

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.errors import DataError, ParameterError
from treekernels.structures.change import Trees, apply_change, roots_of
from treekernels.structures.prune import splice_labels

__all__ = ["binarize", "unbinarize"]

_BETWEEN = re.compile(r".+\|<.*>", re.DOTALL)
_AT_INNER = 2


def binarize(
    trees: Trees, direction: Literal["left", "right"] = "right", horizontal: int | None = 2
) -> Trees:
    """Turn nodes with more than two children into chains of nodes with two.

    The new nodes are labelled in the same way as in NLTK, ``X|<A-B>``: with the label of the node
    that was divided, and with those of some of the children below. `unbinarize` is the inverse.

    Parameters
    ----------
    trees : Tree or Forest
    direction : {"right", "left"}
        Where the chain goes. With "right", the first child is split off first.
    horizontal : int or None
        How many labels of children the label of a new node has (horizontal markovisation). With
        None, it has all of them.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(NP (D a) (J b) (J c) (N d))"])[0]
    >>> print(tk.structures.binarize(tree))
    (NP (D a) (NP|<J-J> (J b) (NP|<J-N> (J c) (N d))))
    >>> print(tk.structures.binarize(tree, "left", horizontal=1))
    (NP (NP|<J> (NP|<J> (D a) (J b)) (J c)) (N d))
    >>> tk.structures.unbinarize(tk.structures.binarize(tree)) == tree
    True
    """
    if direction not in ("left", "right"):
        raise ParameterError(f"direction is {direction!r}, and may be 'left' or 'right'")
    if horizontal is not None and horizontal < 0:
        raise ParameterError(f"horizontal is {horizontal}, and must be at least 0, or None for all")
    labels, _, roles = _native.label_roles(*roots_of(trees))
    for label, role in zip(labels, roles, strict=True):
        if role & _AT_INNER and _BETWEEN.fullmatch(label):
            raise DataError(
                f"the label {label!r:.60} looks like one that binarize makes, so that it could not "
                "be undone: use unbinarize first, or map_labels"
            )

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        return _native.binarize(dag, roots, direction == "right", horizontal)

    return apply_change(trees, change)


def unbinarize(trees: Trees) -> Trees:
    """Undo `binarize`."""
    return splice_labels(trees, lambda label: _BETWEEN.fullmatch(label) is not None)

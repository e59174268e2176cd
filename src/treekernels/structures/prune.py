"""Smaller trees: cut off below a depth, without nodes of some labels, or with these spliced out."""

from __future__ import annotations

from treekernels import _native
from treekernels.errors import ParameterError
from treekernels.structures.change import Trees, apply_change
from treekernels.structures.labels import (
    DROP,
    SPLICE,
    Labels,
    Where,
    applies_to,
    label_test,
    rewrite_labels,
)

__all__ = ["prune_depth", "prune_labels", "splice_labels"]


def prune_depth(trees: Trees, depth: int) -> Trees:
    """Keep the nodes down to a depth; the root has depth 1.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP (N Mary)) (VP (V sleeps)))"])[0]
    >>> print(tk.structures.prune_depth(tree, 2))
    (S NP VP)
    """
    if depth < 1:
        raise ParameterError(f"depth is {depth}, and must be at least 1: the root is always kept")
    return apply_change(
        trees, lambda dag, roots: _native.prune_depth(dag, roots, min(depth, 2**63))
    )


def prune_labels(
    trees: Trees, labels: Labels, *, on: Where = "all", drop_emptied: bool = True
) -> Trees:
    """Remove the nodes with some labels, and everything below them.

    If nothing is left of a tree, it becomes the leaf ``(-EMPTY-)``.

    Parameters
    ----------
    trees : Tree or Forest
    labels : str, collection of str, or callable
        One label, several labels, or a function that says whether a label is meant.
    on : {"all", "inner", "leaves"}
    drop_emptied : bool
        Whether nodes that lose all their children are removed too. Otherwise they become leaves.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (INTJ (, ,)) (NP (N Mary)) (VP (V sleeps)) (. .))"])[0]
    >>> print(tk.structures.prune_labels(tree, {",", "."}))
    (S (NP (N Mary)) (VP (V sleeps)))
    """
    is_chosen = label_test(labels)
    return rewrite_labels(
        trees,
        lambda label, is_leaf: DROP if applies_to(on, is_leaf) and is_chosen(label) else label,
        drop_emptied=drop_emptied,
    )


def splice_labels(trees: Trees, labels: Labels) -> Trees:
    """Remove the inner nodes with some labels, and put their children in their place.

    A root stays if several nodes would have to take its place.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(ROOT (S (NML (N Mary) (N Smith)) (VP (V sleeps))))"])[0]
    >>> print(tk.structures.splice_labels(tree, {"ROOT", "NML"}))
    (S (N Mary) (N Smith) (VP (V sleeps)))
    """
    is_chosen = label_test(labels)
    return rewrite_labels(
        trees, lambda label, is_leaf: SPLICE if not is_leaf and is_chosen(label) else label
    )

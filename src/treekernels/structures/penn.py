"""What the Penn Treebank adds to plain constituents: function tags, indices and traces."""

from __future__ import annotations

import re

from treekernels.structures.change import Trees
from treekernels.structures.labels import rewrite_labels
from treekernels.structures.prune import prune_labels

__all__ = ["strip_function_tags", "strip_traces"]

_CATEGORY = re.compile(r"[^-=|]+(?=[-=|])")


def strip_function_tags(trees: Trees) -> Trees:
    """Reduce the labels of inner nodes to categories, without tags, indices and alternatives.

    ``NP-SBJ-1`` and ``NP=2`` become ``NP``, and ``ADVP|PRT`` becomes ``ADVP``. Labels that begin
    with a hyphen, such as ``-LRB-`` and ``-NONE-``, stay as they are.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP-SBJ-1 (NNP Mary)) (VP (VBZ sleeps) (PRN (-LRB- -LRB-))))"])[0]
    >>> print(tk.structures.strip_function_tags(tree))
    (S (NP (NNP Mary)) (VP (VBZ sleeps) (PRN (-LRB- -LRB-))))
    """

    def category(label: str, is_leaf: bool) -> str:
        match = None if is_leaf else _CATEGORY.match(label)
        return label if match is None else match.group()

    return rewrite_labels(trees, category)


def strip_traces(trees: Trees, tag: str = "-NONE-") -> Trees:
    """Remove traces, and constituents that consist of nothing but traces.

    If nothing is left of a tree, it becomes the leaf ``(-EMPTY-)``.

    Examples
    --------
    >>> import treekernels as tk
    >>> tree = tk.Forest(["(S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB sleep))))"])[0]
    >>> print(tk.structures.strip_traces(tree))
    (S (VP (TO to) (VP (VB sleep))))
    """
    return prune_labels(trees, tag, on="inner")

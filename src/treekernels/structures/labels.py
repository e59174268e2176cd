"""Rewriting by label: other labels for the same shape, such as words in lower case.

Each distinct label is looked at once, and each distinct subtree is changed once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.data.from_objects import valid_label
from treekernels.data.tree import EMPTY
from treekernels.errors import DataError, ParameterError
from treekernels.structures.change import Trees, apply_change

__all__ = ["lowercase_leaves", "map_labels", "map_leaves"]


class _Action:
    """What happens to a node instead of a new label."""


DROP: Final = _Action()
"""The node goes, and all below it."""
SPLICE: Final = _Action()
"""The node goes, and its children take its place."""

_AT_LEAF, _AT_INNER = 1, 2

Where: TypeAlias = Literal["all", "inner", "leaves"]
Labels: TypeAlias = str | Collection[str] | Callable[[str], bool]
"""One label, several, or a function that says whether a label is meant."""


def rewrite_labels(
    trees: Trees, rule: Callable[[str, bool], str | _Action], *, drop_emptied: bool = False
) -> Trees:
    """Return trees in which each node has become what `rule(label, is_leaf)` says.

    That is a label, `DROP` or `SPLICE`.
    """

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        labels, numbers, roles = _native.label_roles(dag, roots)
        new_labels: dict[str, int] = {}
        leaf_actions = np.full(len(labels), -1, np.int64)
        inner_actions = np.full(len(labels), -1, np.int64)
        for place, (label, role) in enumerate(zip(labels, roles.tolist(), strict=True)):
            if role & _AT_LEAF:
                leaf_actions[place] = _action_number(rule(label, True), label, new_labels)
            if role & _AT_INNER:
                inner_actions[place] = _action_number(rule(label, False), label, new_labels)
        return _native.rewrite(
            dag,
            roots,
            numbers,
            leaf_actions,
            inner_actions,
            list(new_labels),
            drop_emptied,
            EMPTY,
        )

    return apply_change(trees, change)


def applies_to(where: Where, is_leaf: bool) -> bool:
    """Return whether a node of this kind is meant."""
    if where not in ("all", "inner", "leaves"):
        raise ParameterError(f"on is {where!r}, and may be 'all', 'inner' or 'leaves'")
    return where == "all" or (where == "leaves") == is_leaf


def label_test(labels: Labels) -> Callable[[str], bool]:
    """Return a function that says whether a label is meant."""
    if callable(labels):
        return labels
    names = {labels} if isinstance(labels, str) else set(labels)
    return names.__contains__


def _action_number(result: object, label: str, new_labels: dict[str, int]) -> int:
    if result is DROP:
        return -1
    if result is SPLICE:
        return -2
    try:
        return new_labels.setdefault(valid_label(result), len(new_labels))
    except ValueError as error:
        raise DataError(f"the label {label!r} cannot become {result!r:.40}: {error}") from None


def map_labels(
    trees: Trees, change: Callable[[str], str] | Mapping[str, str], on: Where = "inner"
) -> Trees:
    """Change labels, by default those of the inner nodes.

    Parameters
    ----------
    trees : Tree or Forest
    change : callable or mapping
        A function that returns the new label, called only once for each distinct label, or a
        mapping from old labels to new ones. Labels that are not in the mapping stay as they are.
    on : {"inner", "leaves", "all"}

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest(["(S (NP (NNP Mary)) (VP (VBZ sleeps)))"])
    >>> print(tk.structures.map_labels(forest, lambda label: label[:2]))
    (S (NP (NN Mary)) (VP (VB sleeps)))
    """
    if isinstance(change, Mapping):
        table = change
        new_label: Callable[[str], str] = lambda label: table.get(label, label)  # noqa: E731
    else:
        new_label = change
    return rewrite_labels(
        trees, lambda label, is_leaf: new_label(label) if applies_to(on, is_leaf) else label
    )


def map_leaves(trees: Trees, change: Callable[[str], str] | Mapping[str, str]) -> Trees:
    r"""Change the labels of the leaves, which are the words of a parse tree.

    Examples
    --------
    >>> import treekernels as tk
    >>> forest = tk.Forest([r"(NP (CD 1\/2) (NN hour))"])
    >>> print(tk.structures.map_leaves(forest, lambda word: word.replace("\\/", "/")))
    (NP (CD 1/2) (NN hour))
    >>> print(tk.structures.map_leaves(forest, {"hour": "TIME"}))
    (NP (CD 1\/2) (NN TIME))
    """
    return map_labels(trees, change, on="leaves")


def lowercase_leaves(trees: Trees) -> Trees:
    """Write the labels of the leaves in lower case.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.structures.lowercase_leaves(tk.Forest(["(NP (DT The) (NNP Hague))"])))
    (NP (DT the) (NNP hague))
    """
    return map_leaves(trees, str.lower)

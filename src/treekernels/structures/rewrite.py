"""Rewriting by label: each distinct label is looked at once, each distinct subtree changed once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, Literal, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.data.forest import Roots
from treekernels.data.from_objects import valid_label
from treekernels.data.tree import EMPTY
from treekernels.errors import DataError, ParameterError
from treekernels.structures.change import Trees, apply_change


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

"""Rewriting by label: each distinct label is looked at once, each distinct subtree changed once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, Literal, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.data.empty_tree import EMPTY
from treekernels.data.forest import Roots
from treekernels.data.from_objects import valid_label
from treekernels.errors import DataError, ParameterError
from treekernels.structures.change import Trees, changed

__all__ = ["DROP", "SPLICE", "Labels", "Where", "at", "chosen", "rewritten"]


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


def rewritten(
    trees: Trees, rule: Callable[[str, bool], str | _Action], *, drop_emptied: bool = False
) -> Trees:
    """Give each node what `rule(label, is_leaf)` says: a label, `DROP` or `SPLICE`."""

    def change(dag: _native.Dag, roots: Roots) -> tuple[_native.Dag, Roots]:
        labels, numbers, roles = _native.label_roles(dag, roots)
        new: dict[str, int] = {}
        leaf = np.full(len(labels), -1, np.int64)
        inner = np.full(len(labels), -1, np.int64)
        for place, (label, role) in enumerate(zip(labels, roles.tolist(), strict=True)):
            if role & _AT_LEAF:
                leaf[place] = _number(rule(label, True), label, new)
            if role & _AT_INNER:
                inner[place] = _number(rule(label, False), label, new)
        texts = list(new)
        return _native.rewrite(dag, roots, numbers, leaf, inner, texts, drop_emptied, EMPTY)

    return changed(trees, change)


def at(where: Where, is_leaf: bool) -> bool:
    """Say whether a node of this kind is meant."""
    if where not in ("all", "inner", "leaves"):
        raise ParameterError(f"on is {where!r}, and may be 'all', 'inner' or 'leaves'")
    return where == "all" or (where == "leaves") == is_leaf


def chosen(labels: Labels) -> Callable[[str], bool]:
    """Return the function that says whether a label is meant."""
    if callable(labels):
        return labels
    names = {labels} if isinstance(labels, str) else set(labels)
    return names.__contains__


def _number(result: object, label: str, new: dict[str, int]) -> int:
    if result is DROP:
        return -1
    if result is SPLICE:
        return -2
    try:
        return new.setdefault(valid_label(result), len(new))
    except ValueError as error:
        raise DataError(f"the label {label!r} cannot become {result!r:.40}: {error}") from None

"""Python objects as trees: nested tuples and lists, NLTK trees, and whatever looks like them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.limits import check_unfolded, long_label
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError

_NODES_BEFORE_COUNTING = 100_000  # of one tree, after which its objects may be shared


def is_nothing(value: Any) -> bool:
    """Return whether a value stands for a gap: None, NaN, or what pandas has for that."""
    if value is None:
        return True
    if isinstance(value, float):
        return value != value
    return type(value).__name__ in ("NAType", "NaTType")


def refuse_nothing(tree: Any, number: int) -> None:
    """Raise an error if a tree is None or NaN, as in a list or a data frame with a gap."""
    if is_nothing(tree):
        raise DataError(
            f"tree {number} is missing ({tree}): leave the example out, or write '(-MISSING-)' for "
            "a part that it does not have, for which kernels give 0"
        )


def refuse_single(trees: Any) -> None:
    """Raise an error if something is not a list of trees but a text, a tree or a table."""
    if isinstance(trees, str | bytes):
        raise DataError("a single text is not a list of trees: write [text]")
    if isinstance(trees, Tree) or (hasattr(trees, "label") and isinstance(trees, Sequence)):
        raise DataError("a single tree is not a list of trees: write [tree]")
    if isinstance(trees, Mapping) or hasattr(trees, "columns"):
        raise DataError("trees were expected, and this has columns: give the one with the trees")
    if not isinstance(trees, Iterable):
        raise DataError(f"a list of trees was expected, and not a {type(trees).__name__}")


def postorder(trees: Iterable[Any]) -> tuple[list[str], NDArray[np.uint32]]:
    """Return the labels of all nodes, children before parents, and each one's child count."""
    labels: list[str] = []
    arities: list[int] = []
    for number, tree in enumerate(trees, start=1):
        # A node is on the stack twice: first to be entered, then, with its label, to be left.
        stack: list[tuple[Any, str | None, int]] = [(tree, None, 0)]
        ancestors: set[int] = set()
        look_ahead = len(labels) + _NODES_BEFORE_COUNTING
        while stack:
            if len(labels) == look_ahead:
                check_unfolded(_unfolded_size(tree))
            item, label, arity = stack.pop()
            if label is not None:
                labels.append(label)
                arities.append(arity)
                ancestors.discard(id(item))
                continue
            try:
                label, children = label_and_children(item)
            except ValueError as error:
                raise ParseError(str(error), line=number) from None
            if children:
                if id(item) in ancestors:
                    raise ParseError("an object contains itself", line=number)
                ancestors.add(id(item))
            stack.append((item, label, len(children)))
            for child in reversed(children):
                stack.append((child, None, 0))
    return labels, np.array(arities, dtype=np.uint32)


def _unfolded_size(tree: Any) -> int:
    """Return the number of nodes of a tree of objects, each of which is looked at once.

    It counts on after the first object that is part of itself, which somebody else will report.
    """
    sizes: dict[int, tuple[Any, int]] = {}  # with the object, so that no other one has its id
    stack: list[tuple[Any, Sequence[Any] | None]] = [(tree, None)]
    while stack:
        item, children = stack.pop()
        if children is not None:
            below = (sizes.get(id(child), (None, 1))[1] for child in children)
            sizes[id(item)] = item, 1 + sum(below)
        elif isinstance(item, Tree):
            sizes[id(item)] = item, item.size
        elif not isinstance(item, str) and id(item) not in sizes:
            sizes[id(item)] = item, 1  # for now
            children = label_and_children(item)[1]
            stack.append((item, children))
            stack.extend((child, None) for child in children)
    return sizes[id(tree)][1]


def label_and_children(item: Any) -> tuple[str, Sequence[Any]]:
    """Expand a node, or raise a ValueError if it is not one."""
    if isinstance(item, str):
        return valid_label(item), ()
    if isinstance(item, Tree):
        return item.label, item.children
    if hasattr(item, "label") and isinstance(item, Sequence):  # NLTK
        node: Any = item
        label = node.label() if callable(node.label) else node.label
        # Leaves of its chunk trees are tuples such as ("dog", "NN"), which it writes as dog/NN.
        children = ["/".join(map(str, c)) if isinstance(c, tuple) else c for c in node]
        return valid_label(label), children
    if isinstance(item, tuple | list) and item:
        return valid_label(item[0]), item[1:]
    empty = isinstance(item, tuple | list)
    what = "an empty sequence" if empty else f"a value of type {type(item).__name__}"
    raise ValueError(
        f"{what} is not a tree: write (label, child, ...), a bracket string or an NLTK tree"
    )


def valid_label(label: Any) -> str:
    """Return the label, or raise a ValueError if it cannot be one."""
    if not isinstance(label, str):
        raise ValueError(f"a label must be a string, not {type(label).__name__} ({label!r:.40})")
    if not label:
        raise ValueError("a label is empty")
    if "\0" in label:
        raise ValueError("a label contains a NUL character")
    if not label.isascii() and not _is_encodable(label):
        raise ValueError("a label contains a character that UTF-8 cannot encode")
    if reason := long_label(label):
        raise ValueError(reason)
    return label


def _is_encodable(label: str) -> bool:
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True

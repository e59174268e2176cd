"""Python objects as trees: nested tuples and lists, NLTK trees, and whatever looks like them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.tree import Tree
from treekernels.errors import ParseError

__all__ = ["checked_label", "postorder"]


def postorder(trees: Iterable[Any]) -> tuple[list[str], NDArray[np.uint32]]:
    """Return labels of all nodes, children before parents, and the number of children of each."""
    labels: list[str] = []
    arities: list[int] = []
    for number, tree in enumerate(trees, start=1):
        # A node is on the stack twice: first to be opened, then, with its label, to be closed.
        stack: list[tuple[Any, str | None, int]] = [(tree, None, 0)]
        open_ones: set[int] = set()
        while stack:
            item, label, arity = stack.pop()
            if label is not None:
                labels.append(label)
                arities.append(arity)
                open_ones.discard(id(item))
                continue
            label, children = _open(item, number)
            if children:
                if id(item) in open_ones:
                    raise ParseError("an object contains itself", line=number)
                open_ones.add(id(item))
            stack.append((item, label, len(children)))
            stack.extend((child, None, 0) for child in reversed(children))
    return labels, np.array(arities, dtype=np.uint32)


def _open(item: Any, number: int) -> tuple[str, Sequence[Any]]:
    if isinstance(item, str):
        return _checked(item, number), ()
    if isinstance(item, Tree):
        return item.label, item.children
    if hasattr(item, "label") and isinstance(item, Sequence):  # NLTK
        node: Any = item
        label = node.label() if callable(node.label) else node.label
        # Leaves of its chunk trees are tuples such as ("dog", "NN"), which it writes as dog/NN.
        children = ["/".join(map(str, c)) if isinstance(c, tuple) else c for c in node]
        return _checked(label, number), children
    if isinstance(item, tuple | list) and item:
        return _checked(item[0], number), item[1:]
    empty = isinstance(item, tuple | list)
    what = "an empty sequence" if empty else f"a value of type {type(item).__name__}"
    raise ParseError(
        f"{what} is not a tree: write (label, child, ...), a bracket string or an NLTK tree",
        line=number,
    )


def checked_label(label: Any) -> str:
    """Return what can be a label, and raise a ValueError for anything else."""
    if not isinstance(label, str):
        raise ValueError(f"a label must be a string, not {type(label).__name__} ({label!r:.40})")
    if not label:
        raise ValueError("a label is empty")
    if "\0" in label:
        raise ValueError("a label contains a NUL character")
    if not _encodable(label):
        raise ValueError("a label contains a character that UTF-8 cannot encode")
    return label


def _checked(label: Any, number: int) -> str:
    try:
        return checked_label(label)
    except ValueError as error:
        raise ParseError(str(error), line=number) from None


def _encodable(label: str) -> bool:
    if label.isascii():
        return True
    try:
        label.encode()
    except UnicodeEncodeError:
        return False
    return True

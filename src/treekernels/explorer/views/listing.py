"""How examples and fragments are listed, in every view alike."""

from __future__ import annotations

import json
from typing import Any

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing import svg
from treekernels.explanation.fragment import Fragment
from treekernels.explorer.corpus import Corpus

__all__ = ["PAGE", "column_key", "column_named", "example_row", "fragment_key", "fragment_row"]

PAGE = 25  # rows that are listed at a time
_FRAGMENT_NODES = 40


def column_key(column: Any) -> str:
    """Return a column as the page calls it; nothing for trees alone."""
    return "" if column is None else str(column)


def column_named(key: str, columns: list[Any]) -> Any:
    """Return the column that the page means."""
    return next((column for column in columns if column_key(column) == key), None)


def example_row(corpus: Corpus, row: int) -> dict[str, Any]:
    """Return an example as a line of a list."""
    texts = [_beginning(trees[row]) for trees in corpus.trees.values()]
    return {
        "row": row,
        "place": corpus.place(row),
        "label": corpus.label(row),
        "text": " → ".join(texts),
    }


def _beginning(tree: Tree) -> str:
    """Return the words of a small tree, or the first brackets of a large one."""
    text = tree.dag.brackets_prefix(tree.node, 400)
    return text if len(text) <= 140 else f"{text[:139]}…"


def fragment_row(one: Fragment) -> dict[str, Any]:
    """Return a fragment with its picture."""
    sides = list(one.fragment) if isinstance(one.fragment, Pair) else [one.fragment]
    return {
        "weight": one.weight,
        "class": "" if one.class_ is None else str(one.class_),
        "text": one.text,
        "size": one.size,
        "trees": one.trees,
        "on": "" if one.on is None else column_key(one.on),
        "pictures": [svg(side, max_nodes=_FRAGMENT_NODES) for side in sides],
        "key": fragment_key(one),
    }


def fragment_key(one: Fragment) -> str:
    """Return a text by which the page can ask for the places of a fragment, in any session."""
    sides = list(one.fragment) if isinstance(one.fragment, Pair) else [one.fragment]
    on = one.on if isinstance(one.on, str) else None
    return json.dumps([[str(side) for side in sides], on, one.partial], ensure_ascii=False)

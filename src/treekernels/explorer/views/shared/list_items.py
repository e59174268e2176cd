"""Examples and fragments as items of lists, the same in every view."""

from __future__ import annotations

import json
from typing import Any

from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.drawing import svg
from treekernels.explanation.fragment import Fragment
from treekernels.explorer.session.corpus import Corpus

PAGE = 25  # rows that are listed at a time
_FRAGMENT_NODES = 40


def column_key(column: Any) -> str:
    """Return a column as the page calls it; nothing for trees alone."""
    return "" if column is None else str(column)


def example_item(corpus: Corpus, row: int, *, drawn: int = 0) -> dict[str, Any]:
    """Return an example as an item of a list, with pictures of up to `drawn` nodes."""
    texts = [_beginning(trees[row]) for trees in corpus.trees.values()]
    item = {
        "row": row,
        "place": corpus.place(row),
        "label": corpus.label(row),
        "text": " → ".join(texts),
    }
    if drawn:
        item["pictures"] = [svg(trees[row], max_nodes=drawn) for trees in corpus.trees.values()]
    return item


def _beginning(tree: Tree) -> str:
    """Return the words of a small tree, or the first brackets of a large one."""
    text = tree.dag.brackets_prefix(tree.node, 400)
    return text if len(text) <= 140 else f"{text[:139]}…"


def fragment_item(fragment: Fragment) -> dict[str, Any]:
    """Return a fragment with its picture.

    By its key, the page can ask for the places of the fragment, in any session.
    """
    tree, on = fragment.fragment, fragment.on
    sides = list(tree) if isinstance(tree, Pair) else [tree]
    column = on if isinstance(on, str) else None
    key = [[str(side) for side in sides], column, fragment.partial, fragment.kind]
    return {
        "weight": fragment.weight,
        "class": "" if fragment.class_ is None else str(fragment.class_),
        "text": fragment.text,
        "kind": fragment.kind,
        "size": fragment.size,
        "trees": fragment.trees,
        "on": column_key(on),
        "pictures": [svg(side, max_nodes=_FRAGMENT_NODES) for side in sides],
        "key": json.dumps(key, ensure_ascii=False),
    }

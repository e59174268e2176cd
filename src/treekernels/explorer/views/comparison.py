"""Two trees: how similar they are under any kernel, and what they share."""

from __future__ import annotations

import warnings
from typing import Any

from treekernels.drawing import svg
from treekernels.errors import DataError
from treekernels.explanation.compare import compare
from treekernels.explorer.state import State
from treekernels.explorer.views.asking import Question, text_of
from treekernels.explorer.views.written import asked_tree

__all__ = ["comparison"]

_LISTED = 12
_DRAWN = 120
_LARGEST = 5_000
_WIDE = 16  # leaves of both trees that have room beside each other


def comparison(state: State, question: Question) -> dict[str, Any]:
    """Return the similarity of two trees, both drawn with nodes joined, and what they share."""
    first, second = (asked_tree(state, question, name) for name in ("a", "b"))
    if max(int(one.sizes[0]) for one in (first, second)) > _LARGEST:
        raise DataError(f"trees of more than {_LARGEST:,} nodes are not compared here")
    expressions = [part.strip() for part in text_of(question, "kernel").split(";")]
    kernels: Any = [part for part in expressions if part] or None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of small values; the note says it
        found = compare(first[0], second[0], kernel=kernels)
    return {
        "similarities": [
            {
                "kernel": row.name,
                "counts": row.counts,
                "value": row.value,
                "normalized": row.normalized,
            }
            for row in found.similarities
        ],
        "picture": found.to_svg(
            links=True,
            max_nodes=_DRAWN,
            stacked=sum(len(tree.leaves()) for tree in found.trees) > _WIDE,
        ),
        "shared": [
            {
                "text": str(one.fragment),
                "weight": one.weight,
                "size": one.size,
                "places": len(one.places),
                "picture": svg(one.fragment, max_nodes=40),
            }
            for one in found.shared[:_LISTED]
        ],
        "count": len(found.shared),
        "note": found.note,
        "trees": [str(tree) for tree in found.trees],
    }

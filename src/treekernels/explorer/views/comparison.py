"""Two trees: how similar they are under any kernel, what they share, and what has to be changed."""

from __future__ import annotations

import warnings
from typing import Any

from treekernels.distance import edit_script
from treekernels.drawing import svg
from treekernels.explanation.compare import compare
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.question import Question, asked_tree, check_size, text_of

_LISTED = 12
_DRAWN = 120
_WIDE = 16  # leaves of both trees that have room beside each other


def comparison(state: State, question: Question) -> dict[str, Any]:
    """Return the similarity of two trees, both drawn, what they share, and what is edited."""
    first, second = (asked_tree(state, question, name) for name in ("a", "b"))
    check_size(max(int(tree.sizes[0]) for tree in (first, second)), "compared")
    expressions = [part.strip() for part in text_of(question, "kernel").split(";")]
    kernels: Any = [part for part in expressions if part] or None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about small values, which the note mentions
        compared = compare(first[0], second[0], kernel=kernels)
    stacked = sum(len(tree.leaves()) for tree in compared.trees) > _WIDE
    edits = edit_script(first[0], second[0])
    return {
        "similarities": [
            {
                "kernel": row.name,
                "counts": row.counts,
                "value": row.value,
                "normalized": row.normalized,
            }
            for row in compared.similarities
        ],
        "picture": compared.to_svg(
            links=True,
            max_nodes=_DRAWN,
            stacked=stacked,
        ),
        "shared": [
            {
                "text": str(shared.fragment),
                "weight": shared.weight,
                "size": shared.size,
                "places": len(shared.places),
                "picture": svg(shared.fragment, max_nodes=40),
            }
            for shared in compared.shared[:_LISTED]
        ],
        "edits": {
            **{name: part for name, part in edits.to_dict().items() if name != "trees"},
            "texts": [str(step) for step in edits.steps[:_LISTED]],
            "picture": edits.to_svg(max_nodes=_DRAWN, stacked=stacked),
        },
        "count": len(compared.shared),
        "note": compared.note,
        "trees": [str(tree) for tree in compared.trees],
    }

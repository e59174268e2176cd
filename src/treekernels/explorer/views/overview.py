"""What is explored: the model, the data, and the ways to write trees."""

from __future__ import annotations

from typing import Any

from treekernels.common.version import __version__
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.list_items import column_key
from treekernels.explorer.views.shared.question import Question


def overview(state: State, question: Question) -> dict[str, Any]:
    """Return what the page needs to know before anything else."""
    reading = state.jobs.get("data")
    status = None if reading is None else reading.status()  # first: what is done is there below
    model, corpus = state.model, state.corpus_if_read()
    answer: dict[str, Any] = {
        "version": __version__,
        "model": {
            "name": type(model.model).__name__,
            "kernel": model.kernel_text,
            "classes": None if model.classes is None else list(map(str, model.classes)),
            "subtrees": getattr(model.model, "n_model_nodes_", None),
            "pairs": model.is_pairs,
            "columns": [column_key(column) for column in model.columns],
        },
        "ways": state.notations.names(),
        "data": None,
    }
    if corpus is not None:
        answer["data"] = {
            "name": corpus.name,
            "examples": len(corpus),
            "labelled": corpus.labels is not None,
            "nodes": sum(forest.n_nodes for forest in corpus.trees.values()),
            "labels": corpus.label_counts()[:200] if model.classes is not None else [],
        }
    elif state.has_data:
        answer["data"] = {"name": state.name, "reading": status}
    return answer

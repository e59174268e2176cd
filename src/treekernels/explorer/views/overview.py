"""What is explored: the model, the data, and the ways to write trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.common.version import __version__
from treekernels.explorer.state import State
from treekernels.explorer.views.asking import Question
from treekernels.explorer.views.listing import column_key

__all__ = ["overview"]


def overview(state: State, question: Question) -> dict[str, Any]:
    """Return what the page needs to know before anything else."""
    reading = state.jobs.get("data")
    status = None if reading is None else reading.status()  # first: what is done is there below
    model, corpus = state.model, state.corpus_if_read()
    found: dict[str, Any] = {
        "version": __version__,
        "model": {
            "name": model.name,
            "kernel": model.kernel_text,
            "classes": None if model.classes is None else [str(one) for one in model.classes],
            "subtrees": _size(model.model),
            "pairs": model.is_pairs,
            "columns": [column_key(column) for column in model.columns],
        },
        "ways": state.inputs.names(),
        "data": None,
    }
    if corpus is not None:
        found["data"] = {
            "name": corpus.name,
            "examples": len(corpus),
            "labelled": corpus.labels is not None,
            "nodes": sum(forest.n_nodes for forest in corpus.trees.values()),
            "labels": _labels(corpus.labels) if model.classes is not None else [],
        }
    elif state.has_data:
        found["data"] = {"name": state.name, "reading": status}
    return found


def _size(model: Any) -> int | None:
    size = getattr(model, "n_model_nodes_", None)
    return None if size is None else int(size)


def _labels(labels: Any) -> list[tuple[str, int]]:
    if labels is None:
        return []
    names, counts = np.unique(labels.astype(str), return_counts=True)
    order = np.argsort(-counts, kind="stable")[:200]
    return [(str(names[place]), int(counts[place])) for place in order]

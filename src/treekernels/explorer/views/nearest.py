"""The examples that are most like another one, exactly as a kernel says."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.drawing import svg
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.list_items import column_key, example_item
from treekernels.explorer.views.shared.question import (
    AskedExample,
    Question,
    asked_example,
    check_size,
    number_of,
    text_of,
)
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.kernels.expressions.parsing import parse_kernel
from treekernels.search.tree_index import TreeIndex

_MOST = 50
_BLOCK = 500  # rows of a Gram matrix at a time
_DRAWN = 80


def nearest(state: State, question: Question) -> dict[str, Any]:
    """Return the nearest examples of one, with their similarities."""
    corpus = state.corpus()
    asked = asked_example(state, question)
    check_size(asked.size, "searched for")
    count = number_of(question, "count", 12, _MOST + 1)
    text = text_of(question, "kernel").strip()
    if state.model.is_pairs:
        hits = _nearest_pairs(state, corpus, asked, count)
    else:
        hits = _nearest_trees(state, corpus, asked, count, text)
    here = asked.row  # if the query is an example of the data
    drawn = _DRAWN // len(corpus.trees)
    return {
        "rows": [
            {**example_item(corpus, row, drawn=drawn), "similarity": value, "same": row == here}
            for row, value in hits
        ],
        "kernel": text or ("sst" if state.model.tree_kernel is None else "the model's own"),
        "votes": corpus.label_counts([row for row, _ in hits if row != here]),
        "pictures": [svg(trees[0], max_nodes=120) for trees in asked.trees.values()],
        "trees": {column_key(name): tree[0].to_brackets() for name, tree in asked.trees.items()},
        "row": here,
        "place": None if here is None else corpus.place(here),
        "label": None if here is None else corpus.label(here),
        "examples": len(corpus),
    }


def _nearest_trees(
    state: State, corpus: Corpus, asked: AskedExample, count: int, text: str
) -> list[tuple[int, float]]:
    column = state.model.columns[0]
    forest = corpus.trees[column]
    kernel = parse_kernel(text) if text else state.model.tree_kernel or SubsetTreeKernel()
    index = state.result(
        ("index", text),
        f"Indexing {len(forest):,} trees",
        lambda job: _indexed(kernel, forest, job),
    )
    query = asked.trees[column]
    if index.is_native:  # most trees are passed over
        hits = index.search(query, count)[0]
    else:
        hits = state.result(
            ("nearest", text, query[0].to_brackets(), count),
            "Comparing with every tree",
            lambda job: index.search(query, count, progress=job.progress)[0],
        )
    return [(int(hit.id), float(hit.similarity)) for hit in hits]


def _indexed(kernel: Kernel, forest: Forest, job: Job) -> TreeIndex:
    job.progress(0, len(forest))
    index = TreeIndex(kernel, n_jobs=-1)
    index.add(forest, progress=job.progress)
    return index


def _nearest_pairs(
    state: State, corpus: Corpus, asked: AskedExample, count: int
) -> list[tuple[int, float]]:
    """Compare with every pair under the kernel of the model."""
    query = state.model.example(asked.trees, corpus, asked.base)
    key = tuple(str(tree[0]) for tree in asked.trees.values())
    return state.result(
        ("nearest", *key, asked.base, count),
        "Comparing with every pair",
        lambda job: _row(state, corpus, query, count, job),
    )


def _row(state: State, corpus: Corpus, query: Any, count: int, job: Job) -> list[tuple[int, float]]:
    kernel = state.model.kernel
    assert kernel is not None
    values = np.empty(len(corpus))
    for start in range(0, len(corpus), _BLOCK):
        part = slice(start, start + _BLOCK)
        values[part] = kernel(query, corpus.X[part])[0]
        job.progress(start, len(corpus))
    order = np.argsort(-values, kind="stable")[:count]
    return [(int(row), float(values[row])) for row in order]

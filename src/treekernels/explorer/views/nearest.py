"""The examples that are most like another one, exactly as a kernel says."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.drawing import svg
from treekernels.errors import DataError
from treekernels.explorer.corpus import Corpus
from treekernels.explorer.jobs import Job
from treekernels.explorer.state import State
from treekernels.explorer.views.asking import Question, number_of, text_of
from treekernels.explorer.views.listing import column_key, example_row
from treekernels.explorer.views.written import Asked, asked_example
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.kernels.expressions.parsing import parse_kernel
from treekernels.search import TreeIndex
from treekernels.search.stores import has_native_index

__all__ = ["nearest"]

_MOST = 50
_BLOCK = 500  # rows of a Gram matrix at a time
_DRAWN = 80
_LARGEST = 5_000


def nearest(state: State, question: Question) -> dict[str, Any]:
    """Return the nearest examples of one, with their similarities."""
    corpus = state.corpus()
    asked = asked_example(state, question)
    if sum(int(tree.sizes[0]) for tree in asked.trees.values()) > _LARGEST:
        raise DataError(f"trees of more than {_LARGEST:,} nodes are not searched for here")
    count = number_of(question, "count", 12, _MOST + 1)
    text = text_of(question, "kernel").strip()
    if state.model.is_pairs:
        found = _nearest_pairs(state, corpus, asked, count)
    else:
        found = _nearest_trees(state, corpus, asked, count, text)
    own = asked.row
    drawn = _DRAWN // len(corpus.trees)
    return {
        "rows": [
            {
                **example_row(corpus, row),
                "similarity": value,
                "same": row == own,
                "pictures": [svg(trees[row], max_nodes=drawn) for trees in corpus.trees.values()],
            }
            for row, value in found
        ],
        "kernel": text or _default(state)[1],
        "votes": _votes(corpus, [row for row, _ in found if row != own]),
        "pictures": [svg(trees[0], max_nodes=120) for trees in asked.trees.values()],
        "trees": {column_key(name): tree[0].to_brackets() for name, tree in asked.trees.items()},
        "row": own,
        "place": None if own is None else corpus.place(own),
        "label": None if own is None else corpus.label(own),
        "examples": len(corpus),
    }


def _default(state: State) -> tuple[Kernel, str]:
    """Return the kernel of the model, as far as it is one of trees; and its name."""
    kernel = state.model.tree_kernel
    if kernel is None:
        return SubsetTreeKernel(), "sst"
    return kernel, "the model's own"


def _nearest_trees(
    state: State, corpus: Corpus, asked: Asked, count: int, text: str
) -> list[tuple[int, float]]:
    column = state.model.columns[0]
    forest = corpus.trees[column]
    kernel = parse_kernel(text) if text else _default(state)[0]
    index: TreeIndex = state.result(
        ("index", text),
        f"Indexing {len(forest):,} trees",
        lambda job: _indexed(kernel, forest, job),
    )
    query = asked.trees[column]
    X = query if index.column is None else {index.column: query}
    if has_native_index(kernel):  # most trees are passed over
        (hits,) = index.search(X, count, n_jobs=-1)
        return [(int(hit.id), float(hit.similarity)) for hit in hits]
    hits = state.result(
        ("nearest", text, query[0].to_brackets(), count),
        "Comparing with every tree",
        lambda job: index.search(X, count, n_jobs=-1, progress=job.progress)[0],
    )
    return [(int(hit.id), float(hit.similarity)) for hit in hits]


def _indexed(kernel: Kernel, forest: Forest, job: Job) -> TreeIndex:
    job.progress(0, len(forest))
    index = TreeIndex(kernel, n_jobs=-1)
    X = forest if index.column is None else {index.column: forest}
    index.add(X, progress=job.progress)
    return index


def _nearest_pairs(
    state: State, corpus: Corpus, asked: Asked, count: int
) -> list[tuple[int, float]]:
    """Compare with every pair under the kernel of the model."""
    query = state.model.example(asked.trees, corpus, asked.base)
    key = tuple(str(tree[0]) for tree in asked.trees.values())
    found: list[tuple[int, float]] = state.result(
        ("nearest", *key, asked.base, count),
        "Comparing with every pair",
        lambda job: _row(state, corpus, query, count, job),
    )
    return found


def _row(state: State, corpus: Corpus, query: Any, count: int, job: Job) -> list[tuple[int, float]]:
    kernel = state.model.kernel
    assert kernel is not None
    values = np.empty(len(corpus))
    for start in range(0, len(corpus), _BLOCK):
        part = slice(start, start + _BLOCK)
        values[part] = kernel(query, corpus.part(part))[0]
        job.progress(start, len(corpus))
    order = np.argsort(-values, kind="stable")[:count]
    return [(int(row), float(values[row])) for row in order]


def _votes(corpus: Corpus, rows: list[int]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for row in rows:
        label = corpus.label(row)
        if label is not None:
            counts[label] = counts.get(label, 0) + 1
    return sorted(counts.items(), key=lambda item: -item[1])

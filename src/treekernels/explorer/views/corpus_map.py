"""A map of the corpus: distributed trees in the two directions in which they differ most."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.arrays import text_array
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.embeddings import DistributedTrees
from treekernels.errors import DataError
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.state import Pending, State
from treekernels.explorer.views.mistakes import predictions_of
from treekernels.explorer.views.shared.list_items import example_item
from treekernels.explorer.views.shared.question import Question, flag_of, number_of, text_of
from treekernels.kernels import SubsetTreeKernel

DIMENSION = 1024
SAMPLE = 4_000  # trees from which the directions are learned
MOST = 200_000  # points that are drawn
_BLOCK = 4_000
_FINEST = 65_535
_COLOURS = 6  # classes that have a colour of their own
_LISTED = 12


def corpus_map(state: State, question: Question) -> dict[str, Any]:
    """Return where each example is, as numbers from 0 to 65,535, and its class."""
    corpus = state.corpus()
    points = state.result(
        "map",
        f"Placing {len(corpus):,} examples on the map",
        lambda job: _points(state, corpus, job),
    )
    names, codes = _classes(state, corpus, text_of(question, "colour", "label"))
    step = -(-len(corpus) // MOST)
    return {
        "points": base64.b64encode(points[::step].astype("<u2").tobytes()).decode(),
        "codes": base64.b64encode(codes[::step].astype(np.uint8).tobytes()).decode(),
        "classes": names,
        "count": len(points[::step]),
        "examples": len(corpus),
        "step": step,
    }


def map_examples(state: State, question: Question) -> dict[str, Any]:
    """Return some of the examples that were selected on the map."""
    corpus = state.corpus()
    given = question.get("rows")
    if not isinstance(given, list) or not all(
        isinstance(row, int) and 0 <= row < len(corpus) for row in given
    ):
        raise DataError("rows must be numbers of examples")
    first = number_of(question, "first", 0)
    drawn = 60 if flag_of(question, "pictures") else 0
    rows = [example_item(corpus, row, drawn=drawn) for row in given[first : first + _LISTED]]
    return {"rows": rows, "first": first, "page": _LISTED}


def _points(state: State, corpus: Corpus, job: Job) -> NDArray[np.uint16]:
    """Project the vectors of all trees on the main directions of a sample of them."""
    columns = [_plain(state, forest) for forest in corpus.trees.values()]
    if not columns:
        raise DataError("the data have no trees that could be placed on a map")
    embedding = DistributedTrees(
        DIMENSION // len(columns), _decay(state), normalize=True, n_jobs=-1
    )

    # Equal trees have equal vectors: each distinct one is looked at once.
    keys = np.stack([forest.roots for forest in columns], axis=1)
    _, distinct, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)

    def vectors(rows: Any) -> NDArray[np.float32]:
        return np.hstack([embedding.transform(forest[distinct[rows]]) for forest in columns])

    count = len(distinct)
    sample = np.unique(np.linspace(0, count - 1, min(count, SAMPLE)).astype(int))
    some = vectors(sample)
    job.progress(0, count)
    middle = some.mean(axis=0)
    some -= middle
    directions = _main_directions(some)
    places = np.empty((count, 2), np.float32)
    for first in range(0, count, _BLOCK):
        part = slice(first, first + _BLOCK)
        places[part] = (vectors(part) - middle) @ directions
        job.progress(min(first + _BLOCK, count), count)
    return _scaled(places[number.reshape(-1)])


def _main_directions(centred: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the two directions in which vectors differ most, pointing the same way each time."""
    values, vectors = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    chosen = vectors[:, np.argsort(-values)[:2]]
    largest = np.abs(chosen).argmax(axis=0)
    signs = np.sign(chosen[largest, range(chosen.shape[1])])
    directions: NDArray[np.float32] = (chosen * signs).astype(np.float32)
    return directions


def _scaled(places: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return the places as whole numbers, both directions to the same scale."""
    low, high = places.min(axis=0), places.max(axis=0)
    extent = float((high - low).max()) or 1.0
    shift = (extent - (high - low)) / 2
    scaled: NDArray[np.uint16] = np.round((places - low + shift) / extent * _FINEST).astype(
        np.uint16
    )
    return scaled


def _plain(state: State, forest: Forest) -> Forest:
    """Return trees without placeholders, whose numbers mean nothing from pair to pair."""
    if not state.model.is_pairs:
        return forest
    return Pairs(forest, forest)["text"]


def _decay(state: State) -> float:
    """Return the decay of the model's kernel, or the usual one."""
    kernel = state.model.tree_kernel
    decay = kernel.decay if isinstance(kernel, SubsetTreeKernel) else None
    return float(decay) if isinstance(decay, int | float) and 0 < decay <= 0.4 else 0.4


def _classes(state: State, corpus: Corpus, colour: str) -> tuple[list[str], NDArray[np.intp]]:
    """Return the classes that have a colour, and which of them each example has."""
    values = corpus.labels
    if state.model.classes is None:
        values = None
    elif colour in ("predicted", "mistake") or values is None:
        try:
            predicted = predictions_of(state).predicted
        except Pending:
            if colour != "label":
                raise
            predicted = None
        if colour == "mistake" and corpus.labels is not None and predicted is not None:
            right = text_array(corpus.labels) == text_array(predicted)
            return ["right", "wrong"], np.where(right, 0, 1)
        values = predicted
    if values is None:
        return [], np.zeros(len(corpus), np.intp)
    names, codes, counts = np.unique(text_array(values), return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    coloured = _COLOURS if len(names) <= _COLOURS else _COLOURS - 1
    listed = names[order][:coloured].tolist()
    if len(names) > _COLOURS:
        listed.append(f"{len(names) - coloured} other classes")
    return listed, np.minimum(rank[codes], len(listed) - 1)

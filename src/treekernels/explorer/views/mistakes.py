"""What the model predicts for all examples, against their labels."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.list_items import PAGE, example_item
from treekernels.explorer.views.shared.question import Question, number_of, text_of

_MOST_CLASSES = 60
_SHORT = 0.1  # seconds that a block should take, so that one can cancel


@dataclass
class Predictions:
    """Labels and predictions of all examples, and the margin of each."""

    predicted: NDArray[Any]
    margins: NDArray[np.float64] | None


def mistakes(state: State, question: Question) -> dict[str, Any]:
    """Return the confusion matrix, and a page of the examples in one of its cells."""
    corpus = state.corpus()
    if corpus.labels is None:
        raise DataError("the data have no labels, so that nothing can be said about mistakes")
    predictions = predictions_of(state)
    if state.model.classes is None:
        return _residuals(corpus, predictions, question)
    expected, predicted = corpus.labels.astype(str), predictions.predicted.astype(str)
    names, codes = np.unique(np.concatenate([expected, predicted]), return_inverse=True)
    rows, columns = codes[: len(expected)], codes[len(expected) :]
    table = np.zeros((len(names), len(names)), np.int64)
    np.add.at(table, (rows, columns), 1)
    chosen = _chosen(question, names, rows, columns)
    if predictions.margins is not None:
        chosen = chosen[np.argsort(-predictions.margins[chosen], kind="stable")]
    # If there are too many classes, those with most examples are listed.
    commonest = np.argsort(-(table.sum(0) + table.sum(1)), kind="stable")
    listed = np.sort(commonest[:_MOST_CLASSES])
    return {
        "accuracy": float(np.mean(rows == columns)),
        "examples": len(expected),
        "wrong": int(np.count_nonzero(rows != columns)),
        "classes": names[listed].tolist(),
        "table": table[np.ix_(listed, listed)].tolist(),
        "left_out": len(names) - len(listed),
        "by_class": _by_class(table)[listed].tolist(),
        **_listed(corpus, predictions, chosen, question),
    }


def predictions_of(state: State) -> Predictions:
    """Return the predictions for all examples; they are made once, in the background."""
    corpus = state.corpus()
    title = f"Predicting {len(corpus):,} examples"
    return state.result("predictions", title, lambda job: _predicted(state, corpus, job))


def _predicted(state: State, corpus: Corpus, job: Job) -> Predictions:
    """Predict block by block, each as large as can be done in a moment."""
    model, count = state.model, len(corpus)
    predicted: list[NDArray[Any]] = []
    margins: list[NDArray[np.float64]] = []
    first, block = 0, 64
    while first < count:
        start = perf_counter()
        classes, scores = model.predict(corpus.X[first : first + block])
        predicted.append(classes)
        if scores is not None:
            ordered = np.sort(scores, axis=1)
            margins.append(ordered[:, -1] - ordered[:, -2])
        first += block
        job.progress(min(first, count), count)
        if perf_counter() - start < _SHORT:
            block *= 2
    whole = np.concatenate(predicted)
    return Predictions(whole, np.concatenate(margins) if margins else None)


def _chosen(question: Question, names: Any, rows: Any, columns: Any) -> NDArray[np.intp]:
    """Return the examples of a cell; without one, all mistakes."""
    label, predicted = text_of(question, "label"), text_of(question, "predicted")
    if not label and not predicted:
        return np.flatnonzero(rows != columns)
    wanted = np.ones(len(rows), bool)
    for name, codes in ((label, rows), (predicted, columns)):
        if name:
            wanted &= names[codes] == name
    return np.flatnonzero(wanted)


def _by_class(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return precision, recall and number of examples of each class."""
    right = np.diag(table).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.nan_to_num(right / table.sum(0))
        recall = np.nan_to_num(right / table.sum(1))
    return np.stack([precision, recall, table.sum(1)], axis=1)


def _listed(
    corpus: Corpus, predictions: Predictions, chosen: NDArray[np.intp], question: Question
) -> dict[str, Any]:
    first = number_of(question, "first", 0)
    rows = []
    for row in chosen[first : first + PAGE].tolist():
        margin = None if predictions.margins is None else float(predictions.margins[row])
        predicted = str(predictions.predicted[row])
        rows.append({**example_item(corpus, row), "predicted": predicted, "margin": margin})
    return {"rows": rows, "count": len(chosen), "first": first, "page": PAGE}


def _residuals(corpus: Corpus, predictions: Predictions, question: Question) -> dict[str, Any]:
    """Return the examples of a regression whose values are furthest off."""
    assert corpus.labels is not None
    try:
        expected = corpus.labels.astype(float)
    except ValueError:
        raise DataError("the model predicts numbers, and the labels are none") from None
    off = np.abs(predictions.predicted.astype(float) - expected)
    rounded = np.array([f"{value:.4g}" for value in predictions.predicted], object)
    ordered = np.argsort(-off, kind="stable")
    return {
        "regression": True,
        "error": float(off.mean()),
        "examples": len(expected),
        **_listed(corpus, Predictions(rounded, off), ordered, question),
    }

"""From a learner and its examples to a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.progress import Progress
from treekernels.data.columns import length
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.explanation.explain import explain
from treekernels.explanation.fragment import Fragments
from treekernels.explanation.matching import importance
from treekernels.report.contents import Mistake, Report, ScoreTable

__all__ = ["Split", "study"]

SAMPLE = 200
_PARTS = 5  # points of the learning curve; each has twice the examples of the one before
_CLASSES = 10
_FRAGMENTS = 4  # of a class
_MISTAKES = 4
_REASONS = 5  # for and against a prediction
_STEPS = 4  # of a study, for its progress
_LARGEST = 5_000  # nodes of a tree that is explained


@dataclass
class Split:
    """What a model learned from, what it was tested on, and what it said.

    `where` says of each test example in which file and line it is, if that is known.
    """

    model: Any
    X: Any
    labels: NDArray[Any]
    Y: Any
    expected: NDArray[Any]
    predicted: NDArray[Any]
    where: Sequence[str] | None = None


def study(
    splits: list[Split],
    scores: ScoreTable,
    *,
    title: str,
    facts: dict[str, str],
    times: dict[str, str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Look into fitted models, for a report.

    Parameters
    ----------
    splits : list of Split
        One, or the parts of a cross-validation. What is about one model is about the first one's,
        and the notes say so: nothing is learned anew but the smaller parts of the learning curve.
    scores, title, facts, times
        As in `Report`.
    seed : int, default=0
        For samples.
    progress : callable, optional
    """
    random = np.random.default_rng(seed)
    first = splits[0]
    steps = iter(range(1, _STEPS + 1))

    def done() -> None:
        if progress is not None:
            progress(next(steps), _STEPS)

    report = Report(
        title,
        facts,
        scores,
        np.concatenate([split.expected for split in splits]).astype(object),
        np.concatenate([split.predicted for split in splits]).astype(object),
        times=times or {},
        selection=_selection(first.model),
    )
    report.curve = _curve(first, random)
    done()
    report.gram, report.gram_labels = _sample(first, random)
    done()
    report.fragments, notes = _top(first.model, report.expected)
    done()
    report.mistakes = _mistakes(splits)
    done()
    if len(splits) > 1:
        if report.fragments:
            learned, every = len(first.labels), len(report.expected)
            notes.insert(
                0,
                f"The model is that of the first of {len(splits)} folds, which learned from "
                f"{learned:,} of the {every:,} examples.",
            )
        report.notes["curve"] = f"All of this is about the first of {len(splits)} folds."
        report.notes["mistakes"] = "Each was made, and is explained, by the model of its own fold."
    if notes:
        report.notes["fragments"] = " ".join(notes)
    return report


def _new(model: Any) -> Any:
    from sklearn.base import clone

    fresh = clone(model)
    fresh.verbose = False
    if (selection := getattr(model, "selection_", None)) is not None:
        fresh.kernel = selection.kernel
    return fresh


def _selection(model: Any) -> ScoreTable | None:
    """Return which kernels were compared for a model, if any were."""
    selection = getattr(model, "selection_", None)
    if selection is None or not selection.trials:
        return None
    rows = [trial.cells() for trial in selection.trials]
    return ScoreTable(list(selection.HEADINGS), rows, f"{selection.sentence}.")


def _curve(split: Split, random: np.random.Generator) -> tuple[list[int], list[float]] | None:
    """Learn from ever larger parts of the examples; the largest part has been learned from."""
    order = random.permutation(len(split.labels))
    sizes, scores = [], []
    for halvings in reversed(range(1, _PARTS)):
        part = order[: len(order) >> halvings]
        if len(part) < 2 or len(np.unique(split.labels[part])) < 2:
            continue
        predicted = _new(split.model).fit(split.X[part], split.labels[part]).predict(split.Y)
        sizes.append(len(part))
        scores.append(float(np.mean(predicted == split.expected)))
    if not sizes:
        return None
    sizes.append(len(order))
    scores.append(float(np.mean(split.predicted == split.expected)))
    return sizes, scores


def _sample(split: Split, random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[Any]]:
    count = length(split.X)
    rows = np.sort(random.permutation(count)[:SAMPLE])
    gram = split.model.kernel_(split.X[rows])
    return np.asarray(gram, float), split.labels[rows]


def _top(model: Any, expected: NDArray[Any]) -> tuple[Fragments, list[str]]:
    """Return the fragments with the largest weights, and what to say of them.

    If there are many classes, only the commonest are looked at.
    """
    names, counts = np.unique(expected.astype(str), return_counts=True)
    common = set(names[np.argsort(-counts, kind="stable")][:_CLASSES].tolist())
    chosen = [class_ for class_ in model.classes_ if str(class_) in common]
    try:
        fragments = explain(model, class_=chosen, top=_FRAGMENTS)
    except ValueError as error:
        return Fragments(), [_sentence(error)]
    notes = []
    if len(model.classes_) > _CLASSES:
        notes.append(f"Of the {_CLASSES} commonest classes.")
    if fragments and getattr(model, "average", None) == "vote":
        notes.append("Of the last of the perceptrons that vote.")
    return fragments, notes


def _mistakes(splits: list[Split]) -> list[Mistake]:
    """Return the mistakes that the models were most sure of, each explained by its own model."""
    candidates: list[tuple[float, int, int]] = []
    for number, split in enumerate(splits):
        wrong = np.flatnonzero(split.predicted != split.expected)
        if len(wrong):
            margins = _margins(split, wrong)
            candidates += [
                (-float(margin), number, int(row))
                for margin, row in zip(margins, wrong, strict=True)
            ]
    mistakes: list[Mistake] = []
    for margin, number, row in sorted(candidates):
        if len(mistakes) == _MISTAKES:
            break
        mistake = _explained(splits[number], row, -margin)
        if mistake is not None:
            mistakes.append(mistake)
    return mistakes


def _margins(split: Split, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how far the score of the predicted class is above that of the right one."""
    scores = np.asarray(split.model.decision_function(split.Y[rows]), float)
    if scores.ndim == 1:
        absolute: NDArray[np.float64] = np.abs(scores)
        return absolute
    classes = {name: place for place, name in enumerate(split.model.classes_.tolist())}
    margins = np.empty(len(rows))
    for place, row in enumerate(rows):
        right = classes.get(split.expected[row])
        below = scores[place].min() if right is None else scores[place, right]
        margins[place] = scores[place, classes[split.predicted[row]]] - below
    return margins


def _explained(split: Split, row: int, margin: float) -> Mistake | None:
    """Explain a mistake, if it is on a tree of reasonable size."""
    example = split.Y[row : row + 1]
    trees = _trees_of(example)
    if not trees or max(tree.size for tree in trees.values()) > _LARGEST:
        return None
    try:
        fragments = explain(split.model, tree=example, top=_REASONS)
    except ValueError:
        fragments = Fragments()
    on = fragments[0].on if fragments else next(iter(trees))
    tree = trees[on]
    listed = [item for item in fragments if item.on == on]
    weights = importance(listed, tree)
    expected, predicted = split.expected[row], split.predicted[row]
    where = "" if split.where is None else split.where[row]
    return Mistake(tree, expected, predicted, margin, listed, weights, where)


def _trees_of(example: Any) -> dict[Any, Tree]:
    """Return the trees of an example by column; None stands for the only one."""
    if isinstance(example, Forest):
        return {None: example[0]}
    columns = example.items() if isinstance(example, Mapping) else ()
    return {name: column[0] for name, column in columns if isinstance(column, Forest)}


def _sentence(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:] + "."

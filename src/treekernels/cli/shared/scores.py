"""How well labels were predicted: accuracy, F1, the figures of each class, and a report."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.problem import Problem
from treekernels.common.arrays import text_array
from treekernels.common.progress import Progress
from treekernels.common.screen import Screen, new_table, plain
from treekernels.common.text import count_noun, seconds

if TYPE_CHECKING:
    from treekernels.report import Split

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass
class Outcome:
    """Labels as they are and as they were predicted."""

    expected: NDArray[Any]
    predicted: NDArray[Any]
    learned_from: int
    fit_seconds: float
    predict_seconds: float
    accuracies: list[float] = field(default_factory=list)  # of each fold
    kernels: list[str] = field(default_factory=list)  # that were chosen in each fold
    splits: list[Split] = field(default_factory=list)  # for a report


def folds_of(
    labels: NDArray[Any],
    folds: int,
    seed: int,
    screen: Screen,
    groups: NDArray[Any] | None = None,
) -> list[Fold]:
    """Divide examples into parts with about the same share of each class; groups stay together."""
    from sklearn.model_selection import StratifiedKFold

    if groups is not None:
        return _folds_of_groups(labels, folds, seed, screen, groups)
    classes, counts = np.unique(labels, return_counts=True)
    if counts.max() < 2:
        raise Problem("every class has only one example, too few for cross-validation")
    if counts.max() < folds:
        screen.note(f"No class has {folds} examples: {counts.max()} folds are used instead.")
        folds = int(counts.max())
    rare = classes[counts < folds]
    if len(rare):
        which = ", ".join(map(str, rare[:5])) + (", ..." if len(rare) > 5 else "")
        screen.note(f"Fewer examples than folds, so their figures mean little: {which}.")
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of rare classes, as above
        return list(splitter.split(np.zeros(len(labels)), labels))


def _folds_of_groups(
    labels: NDArray[Any], folds: int, seed: int, screen: Screen, groups: NDArray[Any]
) -> list[Fold]:
    from sklearn.model_selection import StratifiedGroupKFold

    count = len(np.unique(groups))
    if count < 2:
        raise Problem("there is one group only, too few for cross-validation by groups")
    if count < folds:
        screen.note(f"There are only {count} groups: {count} folds are used instead.")
        folds = count
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of classes with fewer examples than folds
        parts = list(splitter.split(np.zeros(len(labels)), labels, groups))
    parts = [(train, test) for train, test in parts if len(test)]
    for train, test in parts:
        if len(np.unique(labels[train])) < 2:
            alone = ", ".join(sorted(set(groups[test]))[:3])
            raise Problem(
                f"without the groups of one part (such as {alone}), the others have one class "
                "only: labels that go with the groups cannot be learned from other groups"
            )
    return parts


def cross_validated(
    learner: Any,
    X: Any,
    labels: NDArray[Any],
    folds: list[Fold],
    progress: Progress | None = None,
    *,
    where: Sequence[str] | None = None,
) -> Outcome:
    """Predict each part by what was learned from the others.

    For a report, which says `where` each example is, the models are kept.
    """
    predicted = labels.copy()
    outcome = Outcome(labels, predicted, len(folds[0][0]), 0.0, 0.0)
    for number, (train, test) in enumerate(folds):
        places = None if where is None else [where[row] for row in test]
        part = trained_and_tested(
            learner, X[train], labels[train], X[test], labels[test], where=places
        )
        outcome.splits += part.splits
        outcome.kernels += part.kernels
        predicted[test] = part.predicted
        outcome.fit_seconds += part.fit_seconds
        outcome.predict_seconds += part.predict_seconds
        outcome.accuracies.append(float(np.mean(part.predicted == labels[test])))
        if progress is not None:
            progress(number + 1, len(folds))
    return outcome


def trained_and_tested(
    learner: Any,
    X: Any,
    labels: NDArray[Any],
    Y: Any,
    expected: NDArray[Any],
    *,
    where: Sequence[str] | None = None,
) -> Outcome:
    """Learn from some examples, and predict others, which are found `where` a report says."""
    if where is not None:
        from sklearn.base import clone

        learner = clone(learner)  # so that the report has a model for each fold
    start = time.perf_counter()
    learner.fit(X, labels)
    fitted = time.perf_counter()
    predicted = learner.predict(Y)
    done = time.perf_counter()
    outcome = Outcome(expected, predicted, len(labels), fitted - start, done - fitted)
    if learner.selection_ is not None:
        outcome.kernels.append(learner.selection_.expression)
    if where is not None:
        from treekernels.report import Split

        outcome.splits.append(Split(learner, X, labels, Y, expected, predicted, where))
    return outcome


def chosen_kernels(kernels: Sequence[str]) -> str:
    """Say which kernels the folds have chosen."""
    counts = Counter(kernels).most_common()
    parts = [f"{kernel} in {count_noun(count, 'fold')}" for kernel, count in counts]
    return f"auto ({', '.join(parts)})"


@dataclass
class Scores:
    """The figures of an outcome, and how they are shown."""

    outcome: Outcome
    data: str
    test: str | None
    learner: str
    kernel: str

    def __post_init__(self) -> None:
        from sklearn.metrics import precision_recall_fscore_support

        expected = text_array(self.outcome.expected)
        predicted = text_array(self.outcome.predicted)
        self.accuracy = float(np.mean(expected == predicted))
        known, counts = np.unique(expected, return_counts=True)
        self.majority = float(counts.max() / counts.sum())
        self.classes = np.union1d(known, predicted).tolist()
        self.by_class = precision_recall_fscore_support(
            expected, predicted, labels=self.classes, zero_division=0.0
        )
        self.macro_f1 = float(np.mean(self.by_class[2]))

    def as_json(self) -> dict[str, Any]:
        """Return all figures."""
        names = ("precision", "recall", "f1", "support")
        rows = zip(*(column.tolist() for column in self.by_class), strict=True)
        return {
            "data": self.data,
            "test": self.test,
            "learner": self.learner,
            "kernel": self.kernel,
            "examples": len(self.outcome.expected),
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "majority": self.majority,
            "classes": {
                name: dict(zip(names, row, strict=True))
                for name, row in zip(self.classes, rows, strict=True)
            },
            "fold_accuracies": self.outcome.accuracies,
            "fit_seconds": self.outcome.fit_seconds,
            "predict_seconds": self.outcome.predict_seconds,
        }

    def show(self, screen: Screen) -> None:
        """Print a table of the classes, and a few lines below it."""
        outcome = self.outcome
        table = new_table("class", ">precision", ">recall", ">F1", ">examples")
        for name, *figures, support in zip(self.classes, *self.by_class, strict=True):
            table.add_row(plain(name), *(f"{figure:.3f}" for figure in figures), f"{support:,}")
        table.add_section()
        means = (np.mean(column) for column in self.by_class[:3])
        table.add_row(
            "mean of the classes", *(f"{m:.3f}" for m in means), f"{len(outcome.expected):,}"
        )
        spread = ""
        how = f"trained on {self.data}, tested on {self.test}"
        if outcome.accuracies:
            spread = f" ± {np.std(outcome.accuracies):.3f} between folds"
            how = f"{count_noun(len(outcome.accuracies), 'fold')} of {self.data}"
        count = len(outcome.expected)
        rate = outcome.predict_seconds / max(1, count) * 1e6
        screen.show(
            f"[bold]{self.learner} with {plain(self.kernel)}[/bold], {plain(how)}",
            table,
            f"accuracy [bold]{self.accuracy:.3f}[/bold]{spread}, macro F1 "
            f"[bold]{self.macro_f1:.3f}[/bold] (always the commonest class: accuracy "
            f"{self.majority:.3f})",
            f"learned in {seconds(outcome.fit_seconds)}, predicted in "
            f"{seconds(outcome.predict_seconds)} ({rate:.0f} µs an example)",
        )


def report_scores(path: str, scores: Scores, seed: int, screen: Screen) -> None:
    """Write what an evaluation found to a page."""
    from treekernels.report import ScoreTable, study, write_report

    outcome = scores.outcome
    # The macro F1 of always naming the commonest class.
    commonest_f1 = 2 * scores.majority / (1 + scores.majority) / len(scores.classes)
    rows = [
        ["always the commonest class", f"{scores.majority:.3f}", f"{commonest_f1:.3f}"],
        [f"{scores.learner} with {scores.kernel}", f"{scores.accuracy:.3f}",
         f"{scores.macro_f1:.3f}"],
    ]  # fmt: skip
    note = ""
    if outcome.accuracies:
        spread = np.std(outcome.accuracies)
        note = f"The accuracies of the folds have a standard deviation of {spread:.3f}."
    with screen.progress("report") as moving:
        results = study(
            outcome.splits,
            ScoreTable(["", "accuracy", "macro F1"], rows, note),
            title=f"How well can the labels of {_short(scores.data)} be learned?",
            facts=_facts(scores),
            times={
                "learned in": seconds(outcome.fit_seconds),
                "predicted in": seconds(outcome.predict_seconds),
            },
            seed=seed,
            progress=moving,
        )
        write_report(path, results)
    screen.note(f"The report is in {path}.")


def _short(data: str) -> str:
    """Return the name of a file or folder without the way to it."""
    first, separator, others = data.partition(" and ")
    return f"{Path(first).name or first}{separator}{others}"


def _facts(scores: Scores) -> dict[str, str]:
    outcome = scores.outcome
    count = count_noun(len(outcome.expected), "example")
    if scores.test is None:
        tested = f"{count} of {scores.data}, in {count_noun(len(outcome.accuracies), 'fold')}"
    else:
        tested = f"{count} of {scores.test}"
    settings = outcome.splits[0].model.get_params(deep=False)
    named = [f"{name} {settings[name]}" for name in ("C", "epochs", "average") if name in settings]
    return {
        "data": scores.data,
        "learned from": count_noun(outcome.learned_from, "example"),
        "tested on": tested,
        "kernel": scores.kernel,
        "learner": ", ".join([type(outcome.splits[0].model).__name__, *named]),
    }

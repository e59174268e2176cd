"""Which C to begin with: accuracy of support vector machines by cross-validation, for several.

Every task is one on which kernels have been compared in print, or one that every machine with
Python has. Only training data is looked at. Sentences are never torn between folds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import GroupKFold, StratifiedKFold

import treekernels as tk
from common import Row, arguments, load_rows, report, say
from treekernels.demo import functions

PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 3


class Problem(NamedTuple):
    """Trees, the class of each, what must stay together, and the class whose F1 counts, if any."""

    name: str
    trees: tk.Forest
    labels: NDArray[np.object_]
    groups: NDArray[np.object_] | None = None
    wanted: str | None = None

    def folds(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return what is learned from and what is tested on, fold by fold."""
        if self.groups is not None:
            split = GroupKFold(FOLDS, shuffle=True, random_state=0)
            return split.split(self.labels, self.labels, self.groups)
        return StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(self.labels, self.labels)

    def score(self, expected: NDArray[np.object_], predicted: NDArray[np.object_]) -> float:
        """Return the accuracy, or the F1 of the class that counts."""
        if self.wanted is None:
            return float(accuracy_score(expected, predicted))
        return float(f1_score(expected, predicted, pos_label=self.wanted))


def problems(args: argparse.Namespace) -> Iterator[Problem]:
    """Read the tasks one after the other."""
    questions = load_rows(args.data / "qc.train.tsv.gz", args.trees)
    trees = tk.Forest([row[2] for row in questions])
    yield Problem("questions, 6 classes", trees, column(questions, 0))
    fine = np.array([f"{row[0]}:{row[1]}" for row in questions], object)
    names, counts = np.unique(fine, return_counts=True)
    frequent = np.isin(fine, names[counts >= FOLDS])
    yield Problem("questions, 50 classes", trees[frequent], fine[frequent])
    for name, file, size, wanted in [
        ("PropBank, role of a constituent", "propbank.args.tsv.gz", 10_000, None),
        ("FrameNet, role of a constituent", "framenet.args.tsv.gz", 10_000, None),
        ("PropBank, is it an argument? (F1)", "propbank.boundary.tsv.gz", 30_000, "+1"),
    ]:
        rows = of_whole_sentences(load_rows(args.data / file), args.trees or size)
        yield Problem(
            name, tk.Forest([row[2] for row in rows]), column(rows, 0), column(rows, 1), wanted
        )
    code, packages = functions()
    few = slice(None, None, 1 if args.trees is None else max(1, len(code) // args.trees))
    yield Problem("Python functions, 8 packages", code[few], packages[few])


def column(rows: list[list[str]], place: int) -> NDArray[np.object_]:
    """Return a column as an array."""
    return np.array([row[place] for row in rows], object)


def of_whole_sentences(rows: list[list[str]], size: int) -> list[list[str]]:
    """Return about so many rows, those of random sentences, in the order of the file."""
    sentences, counts = np.unique([row[1] for row in rows], return_counts=True)
    order = np.random.default_rng(0).permutation(len(sentences))
    chosen = set(sentences[order[: np.searchsorted(np.cumsum(counts[order]), size)]].tolist())
    return [row for row in rows if row[1] in chosen]


def measure(problem: Problem, kernel: tk.Kernel) -> Iterator[Row]:
    """Learn with each C on each fold."""
    for penalty in PENALTIES:
        scores, started = [], time.process_time()
        for train, test in problem.folds():
            machine = tk.TreeSVC(kernel, C=penalty, random_state=0)
            machine.fit(problem.trees[train], problem.labels[train])
            scores.append(problem.score(problem.labels[test], machine.predict(problem.trees[test])))
        yield {
            "task": problem.name,
            "examples": len(problem.trees),
            "C": penalty,
            "score": float(np.mean(scores)),
            "between folds": float(np.std(scores)),
            "processor s": time.process_time() - started,
        }


def main() -> None:
    """Measure every task and print one table."""
    args = arguments(__doc__.splitlines()[0])
    rows = []
    for problem in problems(args):
        for row in measure(problem, tk.SubsetTreeKernel()):
            say(f"{row['task']}, C {row['C']:g}: {row['score']:.4f}")
            rows.append(row)
    report(__file__, args, {"Score by C, mean of the folds": rows})


if __name__ == "__main__":
    main()

"""How the scripts beyond the papers compare kernels on a task, and the automatic choice with them.

The rule is that of the papers: paired values, at least five of them, and the margin of points.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from shared import claim as judged
from sklearn.model_selection import StratifiedKFold
from verdicts import MARGINS, greater, not_greater

import treekernels as tk
from common import Row

FOLDS = 5
OVERLAP = 1 / (FOLDS - 1)  # test examples for each training example
AUTO = "auto"
Split = tuple[np.ndarray, np.ndarray]  # places of training and of test examples


class Contest(NamedTuple):
    """What each kernel reaches in each run, in percent; `overlap` is that of `verdicts.greater`."""

    scores: dict[str, np.ndarray]
    overlap: float = 0.0

    def better(self, says: str, a: str, b: str, why: str = "") -> Row:
        """Judge that one is better than another."""
        gain = self.scores[a] - self.scores[b]
        verdict = greater(list(gain), overlap=self.overlap)
        return judged(says, ours=float(gain.mean()), unit="points", holds=verdict, why=why)

    def best_fixed(self) -> str:
        """Return the kernel that does best over all runs, which nobody can know beforehand."""
        fixed = [name for name in self.scores if name != AUTO]
        return max(fixed, key=lambda name: float(self.scores[name].mean()))

    def automatic(self, where: str) -> Row:
        """Judge that the automatic choice is hardly below the best fixed kernel."""
        margin, best = MARGINS["points"], self.best_fixed()
        lost = self.scores[best] - self.scores[AUTO]
        return judged(
            f"{where}: the automatic choice is at most {margin:g} points below the best fixed "
            "kernel",
            ours=float((self.scores[AUTO] - self.scores[best]).mean()),
            unit="points",
            holds=not_greater(list(lost), margin, "points", overlap=self.overlap),
            why=f"The best of {len(self.scores) - 1} is {best}, which only the tests can tell.",
        )


def folds_of(labels: np.ndarray) -> list[Split]:
    """Return five folds with about as many examples of each class."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        kept: list[Split] = list(
            StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(labels, labels)
        )
    return kept


def quiet_accuracy(
    kernel: str, trees: tk.Forest, labels: np.ndarray, splits: Sequence[Split]
) -> np.ndarray:
    """Return the accuracy of a machine with its defaults in each split, in percent."""
    scores = []
    for train, test in splits:
        machine = tk.TreeSVC(kernel, random_state=0, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tk.SmallValuesWarning)
            machine.fit(trees[train], labels[train])
            scores.append(100 * machine.score(trees[test], labels[test]))
    return np.array(scores)


def some_of(rows: Sequence[Any], limit: int | None) -> list[Any]:
    """Return all rows, or some for a slice, in random order: files are sorted by class."""
    order = np.random.default_rng(0).permutation(len(rows))
    return [rows[place] for place in order[:limit]]


def programs(rows: Sequence[Any], language: str) -> tuple[tk.Forest, np.ndarray]:
    """Return the syntax trees of programs, names that they declare hidden, and their problems."""
    from treekernels.readers import from_code

    reading: dict[str, Any] = {"errors": True, "names": "foreign"}
    sources = [row["source"].replace("\0", " ") for row in rows]
    trees = tk.Forest([from_code(source, language, **reading) for source in sources])
    return trees, np.array([str(row["problem"]) for row in rows])

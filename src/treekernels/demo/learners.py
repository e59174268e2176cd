"""The learners of the demo, each with some settings to choose from."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treekernels as tk
from treekernels.demo.functions import names_apart

WORDS, TREES = "bag of words, SVM", "trees, SVM"
_DECAYS = (0.1, 0.2, 0.4)

Setting = tuple[float, ...]


@dataclass
class Task:
    """Functions with their packages, and which are for learning, for settings and for testing.

    Settings are chosen on `part` and `check`, which make up `train`; `test` is looked at once.
    """

    X: tk.Table
    labels: NDArray[Any]
    train: NDArray[np.intp]
    part: NDArray[np.intp]
    check: NDArray[np.intp]
    test: NDArray[np.intp]
    jobs: int


@dataclass
class Chosen:
    """A learner with its settings, fitted, and what it achieved on the test functions."""

    model: Any
    settings: str
    predicted: NDArray[Any]
    accuracy: float
    fit_seconds: float
    predict_seconds: float


@dataclass
class Learner:
    """A way to learn, and the settings among which one is chosen.

    `rough` makes a quicker learner of the same kind to choose them with, where there is one.
    """

    make: Callable[[Task, Setting], Any]
    column: str | None
    names: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ((),)
    rough: Callable[[Task, Setting], Any] | None = None

    def choose(self, task: Task) -> Chosen:
        """Choose settings on a part of the training functions, learn from all, and test."""
        X = task.X if self.column is None else task.X[self.column]
        best = self.settings[0]
        if len(self.settings) > 1:
            best = max(self.settings, key=lambda setting: self._checked(task, X, setting))
        start = time.perf_counter()
        model = self.make(task, best).fit(X[task.train], task.labels[task.train])
        learned = time.perf_counter()
        predicted = model.predict(X[task.test])
        done = time.perf_counter()
        named = ", ".join(f"{n} {value:g}" for n, value in zip(self.names, best, strict=True))
        accuracy = float(np.mean(predicted == task.labels[task.test]))
        return Chosen(model, named, predicted, accuracy, learned - start, done - learned)

    def _checked(self, task: Task, X: Any, setting: Setting) -> float:
        make = self.rough or self.make
        with warnings.catch_warnings():  # a decay that is too large is among those that are tried
            warnings.simplefilter("ignore", tk.SmallValuesWarning)
            model = make(task, setting).fit(X[task.part], task.labels[task.part])
        return float(np.mean(model.predict(X[task.check]) == task.labels[task.check]))


def _majority(task: Task, setting: Setting) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier()


def _words(task: Task, setting: Setting) -> Any:
    from sklearn.svm import LinearSVC

    return LinearSVC(C=setting[0], random_state=0)


def _perceptron(task: Task, setting: Setting) -> Any:
    kernel = tk.SubsetTreeKernel(setting[0])
    return tk.TreePerceptron(kernel, epochs=5, random_state=0, n_jobs=task.jobs)


def _distributed(task: Task, setting: Setting, dimension: int = 4096) -> Any:
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    vectors = tk.DistributedTrees(dimension, setting[0], min_df=2, normalize=True, n_jobs=task.jobs)
    # The vectors are noisy estimates, so that an exact solution would be no better.
    return make_pipeline(vectors, LinearSVC(C=1, tol=0.1, random_state=0))


def _machine(task: Task, setting: Setting) -> Any:
    decay, C = setting
    return tk.TreeSVC(_weighted(decay), C=C, random_state=0, n_jobs=task.jobs)


def _weighted(decay: float, on: str | None = None) -> tk.Kernel:
    """Return the kernel for trees of this size: rare productions weigh more, repeats count less.

    Whole subtrees are beside the subset trees, among them every name.
    """
    fragments = tk.SubsetTreeKernel(decay, weights="idf", counts="log", on=on)
    return fragments + tk.SubtreeKernel(0.3, weights="idf", counts="log", on=on)


def _both(task: Task, setting: Setting) -> Any:
    decay, C, weight = setting
    kernel = _weighted(decay, on="tree") + weight * tk.LinearKernel(on="words")
    return tk.TreeSVC(kernel, C=C, random_state=0, n_jobs=task.jobs)


def _grid(*values: tuple[float, ...]) -> tuple[Setting, ...]:
    return tuple(tuple(row) for row in np.stack(np.meshgrid(*values), -1).reshape(-1, len(values)))


LEARNERS = {
    "largest package, always": Learner(_majority, "words"),
    WORDS: Learner(_words, "words", ("C",), _grid((0.1, 1.0, 10.0))),
    "trees, averaged perceptron": Learner(_perceptron, "plain", ("decay",), _grid(_DECAYS)),
    "distributed trees, linear SVM": Learner(
        _distributed, "plain", ("decay",), _grid((0.1, 0.4)), partial(_distributed, dimension=1024)
    ),
    TREES: Learner(_machine, "tree", ("decay", "C"), _grid(_DECAYS, (1.0, 10.0))),
    "trees and words, SVM": Learner(
        _both, None, ("decay", "C", "weight of words"), _grid((0.1, 0.4), (1.0, 10.0), (1.0, 2.0))
    ),
}


def task_of(forest: tk.Forest, labels: NDArray[Any], jobs: int) -> Task:
    """Divide functions into those for learning, for choosing settings and for testing."""
    from sklearn.model_selection import train_test_split

    def parted(rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        parts: list[NDArray[np.intp]] = train_test_split(
            rows, test_size=1 / 3, stratify=labels[rows], random_state=0
        )
        return parts

    train, test = parted(np.arange(len(forest)))
    part, check = parted(train)
    return Task(_with_words(forest, train), labels, train, part, check, test, jobs)


def _with_words(forest: tk.Forest, train: NDArray[np.intp]) -> tk.Table:
    """Put beside each tree the labels of its nodes, weighted by how rare they are."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = [[node.label for node in tree.preorder()] for tree in forest]
    vectorizer = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    vectorizer.fit([words[row] for row in train])
    columns = {"tree": names_apart(forest), "plain": forest}
    return tk.Table({**columns, "words": vectorizer.transform(words)})

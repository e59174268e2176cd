"""A first look: from which package of Python's standard library does a function come?

Run with ``make demo`` or ``treekernels demo``. The trees are syntax trees, which every machine with
Python has. Each learner sees two thirds of the functions and labels the others: once as they are
written, and once with all names and constants hidden, so that only the form of the code is left.
"""

from __future__ import annotations

import ast
import sysconfig
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import treekernels as tk

__all__ = ["functions", "main"]

PACKAGES = (
    "asyncio",
    "email",
    "http",
    "importlib",
    "logging",
    "multiprocessing",
    "unittest",
    "xml",
)
SMALLEST = 25  # nodes; what is smaller looks the same everywhere
KERNEL = "sst(0.2, on=tree)"
WORDS, TREES = "bag of words, SVM", "trees, SVM"


def main(jobs: int = -1, save: str | None = None) -> None:
    """Compare learners, and print what they achieve."""
    from sklearn.model_selection import train_test_split

    from treekernels.cli.screen import Screen, new_table, plain, seconds

    screen = Screen()
    start = time.perf_counter()
    with screen.progress("reading Python's standard library"):
        forest, labels = functions()
        bare, _ = functions(hidden=True)
    screen.show(
        f"[bold]From which package does a function come?[/bold] {len(forest):,} functions of "
        f"Python's standard library as syntax trees of {forest.n_nodes:,} nodes, from "
        f"{len(PACKAGES)} packages: {', '.join(PACKAGES)}. "
        f"(Read in {seconds(time.perf_counter() - start)}. One third is held out for testing.)\n"
        f"The kernel on trees is {plain(KERNEL)}; on words, scikit-learn's linear SVM on TF-IDF."
    )
    train, test = train_test_split(
        np.arange(len(forest)), test_size=1 / 3, stratify=labels, random_state=0
    )
    written = Task(_with_words(forest, train), labels, train, test, jobs)
    without_names = Task(_with_words(bare, train), labels, train, test, jobs)
    table = new_table("", ">accuracy", ">names hidden", ">learned in", ">predicted in")
    hidden: dict[str, float] = {}
    with screen.progress("learning") as moving:
        for number, (name, learn) in enumerate(LEARNERS.items()):
            accuracy, fit, predict = learn(written)
            hidden[name], *_ = learn(without_names)
            figures = (f"{accuracy:.3f}", f"{hidden[name]:.3f}")
            table.add_row(name, *figures, seconds(fit), seconds(predict))
            if moving is not None:
                moving(number + 1, len(LEARNERS))
    screen.show(
        table,
        "The names in a function give its package away, and a bag of words has them all. With "
        "names and constants hidden only the form of the code is left: of that, words see "
        f"{hidden[WORDS]:.0%}, and trees {hidden[TREES]:.0%}.",
    )
    if save is not None:
        tk.write(save, tk.Table({"label": labels, "tree": forest}), "tsv")
        screen.show(f"\nThe functions are in {save}. Try: treekernels evaluate {save}")


@dataclass
class Task:
    """Functions with their packages, and which are for learning and for testing."""

    X: tk.Table
    labels: NDArray[Any]
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    jobs: int

    def outcome(self, learner: Any, column: str | None = None) -> tuple[float, float, float]:
        """Give the accuracy of a learner, and how long it took to learn and to predict."""
        X = self.X if column is None else self.X[column]
        start = time.perf_counter()
        learner.fit(X[self.train], self.labels[self.train])
        learned = time.perf_counter()
        predicted = learner.predict(X[self.test])
        done = time.perf_counter()
        accuracy = float(np.mean(predicted == self.labels[self.test]))
        return accuracy, learned - start, done - learned


def _majority(task: Task) -> tuple[float, float, float]:
    from sklearn.dummy import DummyClassifier

    return task.outcome(DummyClassifier(), "words")


def _words(task: Task) -> tuple[float, float, float]:
    from sklearn.svm import LinearSVC

    return task.outcome(LinearSVC(C=10, random_state=0), "words")


def _perceptron(task: Task) -> tuple[float, float, float]:
    kernel = tk.parse_kernel(KERNEL)
    return task.outcome(tk.TreePerceptron(kernel, epochs=5, random_state=0, n_jobs=task.jobs))


def _machine(task: Task) -> tuple[float, float, float]:
    kernel = tk.parse_kernel(KERNEL)
    return task.outcome(tk.TreeSVC(kernel, C=10, random_state=0, n_jobs=task.jobs))


def _both(task: Task) -> tuple[float, float, float]:
    kernel = tk.parse_kernel(f"{KERNEL} + 2*linear(on=words)")
    return task.outcome(tk.TreeSVC(kernel, C=10, random_state=0, n_jobs=task.jobs))


LEARNERS: dict[str, Callable[[Task], tuple[float, float, float]]] = {
    "largest package, always": _majority,
    WORDS: _words,
    "trees, voted perceptron": _perceptron,
    TREES: _machine,
    "trees and words, SVM": _both,
}


def _with_words(forest: tk.Forest, train: NDArray[np.intp]) -> tk.Table:
    """Put beside each tree the labels of its nodes, weighted by how rare they are."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    def words(tree: tk.Tree) -> list[str]:
        return [node.label for node in tree.preorder()]

    vectorizer = TfidfVectorizer(analyzer=words, sublinear_tf=True)
    vectorizer.fit(forest[train])
    return tk.Table({"tree": forest, "words": vectorizer.transform(forest)})


def functions(*, hidden: bool = False) -> tuple[tk.Forest, NDArray[Any]]:
    """Give functions and methods of the packages as trees, and the package of each.

    Parameters
    ----------
    hidden : bool
        Replace all names and constants.
    """
    trees: list[tuple[str, str]] = []
    root = Path(sysconfig.get_paths()["stdlib"])
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if not {"test", "tests"} & set(path.relative_to(root).parts):
                trees += [(package, text) for text in _texts(path, hidden)]
    labels = np.array([package for package, _ in trees], object)
    forest = tk.Forest.from_brackets([text for _, text in trees])
    large = forest.sizes >= SMALLEST
    return forest[large], labels[large]


def _texts(path: Path, hidden: bool) -> Iterator[str]:
    """Give the functions in a file, without their documentation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on escapes in strings
        module = ast.parse(path.read_bytes())
    open_: list[Any] = [module]
    while open_:
        node = open_.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            if hidden:
                _hide(node)
            yield tk.readers.from_ast(node).to_brackets()
        elif isinstance(node, ast.Module | ast.ClassDef):
            open_.extend(reversed(node.body))


def _hide(function: ast.AST) -> None:
    """Replace names by one and the same, and constants by another."""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant):
            node.value = 0
            continue
        for field, value in ast.iter_fields(node):
            if isinstance(value, str):
                setattr(node, field, "name")
            elif isinstance(value, list) and value and isinstance(value[0], str):
                setattr(node, field, ["name"] * len(value))


if __name__ == "__main__":
    main()

"""All kernels and learners of the library keep what the conformance suite says they promise."""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

import treekernels as tk
from treekernels.testing.checking import refused, trees
from treekernels.testing.conformance import (
    check_kernel,
    check_learner,
    kernel_checks,
    learner_checks,
)

_VECTORS = np.random.RandomState(0).normal(size=(12, 3))
_PREFERENCES = tk.Table({"tree1": trees(), "tree2": trees()[::-1]})
_PAIRS = tk.Pairs(
    [f"(S (A:1 {a}) (B:2 {b}))" for a in "abc" for b in "bcde"],
    [f"(T (A:{k % 2 + 1} a) (B:2 {b}))" for k, b in enumerate("bcdebcdebcde")],
)
_SETS = tk.TreeSets([trees()[i : i + 1 + i % 3] for i in range(12)])
_COLUMNS = tk.Table({"tree": trees(), "vector": _VECTORS})


def letters(text: str) -> list[str]:
    return [letter for letter in text if letter.isalpha()]


def as_one(p: str, q: str) -> float:
    return 1.0


def nodes(tree: Any) -> list[tuple[int, str]]:
    """Return what is written at each node of a tree and below it, and whether its level is odd."""
    (parsed,) = tk.Forest([tree])
    found, pending = [], [(0, parsed)]
    while pending:
        level, node = pending.pop()
        found.append((level % 2, f"{node.label} {[child.label for child in node.children]}"))
        pending.extend((level + 1, child) for child in node.children)
    return found


def production(node: tuple[int, str]) -> str:
    return node[1]


def is_odd(node: tuple[int, str]) -> int:
    return node[0]


def closeness(p: str, q: str) -> float:
    return 0.9 * (p == q) + 0.1 * (p[0] == q[0])


NODES = tk.MappingKernel(
    nodes, closeness, key=production, pairs=operator.eq, pairs_key=is_odd, normalize=True
)


def same_case(a: str, b: str) -> float:
    return 0.5 * (a.isupper() == b.isupper())


VECTORS = tk.WordVectors(
    {"dog": [1.0, 0.1], "cat": [0.9, 0.3], "b": [0.5, 0.5], "c": [0.4, 0.6], "A": [0.1, 1.0]},
    classes=None,
    threshold=0,
)


KERNELS: dict[str, tuple[tk.Kernel, Any]] = {
    "subtree": (tk.SubtreeKernel(0.8), None),
    "subtree-leaves": (tk.SubtreeKernel(leaf_weight=0.3), None),
    "subset": (tk.SubsetTreeKernel(), None),
    "subset-leaves": (tk.SubsetTreeKernel(0.3, leaf_weight=0.5, normalize=False), None),
    "subset-cut": (tk.SubsetTreeKernel(cut_weight=0.5, cut_weight_bounds=(0.1, 1.0)), None),
    "subset-ftk": (tk.SubsetTreeKernel(algorithm="ftk"), None),
    "subset-weights": (
        tk.SubsetTreeKernel({"A": 0.3, None: 0.5}, weights={"B": 0.5, "S": 1.5}, counts="log"),
        None,
    ),
    "subtree-counts": (tk.SubtreeKernel(counts="binary", normalize=False), None),
    "partial": (tk.PartialTreeKernel(), None),
    "partial-weights": (tk.PartialTreeKernel(weights={"A": 0.5}, counts="log"), None),
    "smoothed-table": (tk.PartialTreeKernel(similarity={("b", "c"): 0.5, ("B", "C"): 0.9}), None),
    "smoothed-classes": (tk.PartialTreeKernel(similarity={"b": 1, "c": 1}, normalize=False), None),
    "smoothed-function": (tk.PartialTreeKernel(similarity=tk.SimilarLabels(same_case)), None),
    "smoothed-vectors": (tk.PartialTreeKernel(similarity=VECTORS), None),
    "elastic-vectors": (tk.ElasticTreeKernel(similarity=VECTORS), None),
    "elastic": (tk.ElasticTreeKernel(), None),
    "ordered": (tk.ElasticTreeKernel(elastic=False, normalize=False), None),
    "subpath": (tk.SubpathKernel(), None),
    "pq-gram": (tk.PQGramKernel(counts="log"), None),
    "features": (tk.TreeFeaturesKernel(), None),
    "subpath-short": (tk.SubpathKernel(0.7, max_length=2, normalize=False), None),
    "tripartite": (tk.TripartiteKernel(), _PAIRS),
    "preference": (tk.PreferenceKernel(tk.SubsetTreeKernel()), _PREFERENCES),
    "set": (tk.SetKernel(tk.SubsetTreeKernel()), _SETS),
    "set-lists": (tk.SetKernel(tk.SubtreeKernel(), normalize=False), list(map(list, _SETS))),
    "set-best": (tk.SetKernel(tk.SubsetTreeKernel(), "best"), _SETS),
    "set-one-to-one": (tk.SetKernel(tk.SubsetTreeKernel(), "one-to-one"), _SETS),
    "constant": (tk.ConstantKernel(0.123456789), None),
    "sum": (0.123456789 * tk.SubsetTreeKernel() + tk.SubtreeKernel() + 1, None),
    "product": (tk.SubsetTreeKernel() * tk.SubtreeKernel(0.5), None),
    "power": (tk.SubsetTreeKernel() ** 2, None),
    "normalized": (tk.NormalizedKernel(tk.SubsetTreeKernel(normalize=False)), None),
    "mapping": (tk.MappingKernel(letters, as_one, group=str.lower), list("abcabbaecdda")),
    "mapping-pairs": (NODES, None),
    "linear": (tk.LinearKernel(), _VECTORS),
    "polynomial": (tk.PolynomialKernel(2), _VECTORS),
    "rbf": (tk.RBFKernel(), _VECTORS),
    "columns": (tk.SubsetTreeKernel(on="tree") + tk.RBFKernel(on="vector"), _COLUMNS),
}

SIMILARITIES = ["set-best", "set-one-to-one"]

LEARNERS: dict[str, Any] = {
    "perceptron-vote": tk.TreePerceptron("sst", average="vote"),
    "perceptron-mean": tk.TreePerceptron("sst", average="mean", epochs=3),
    "perceptron-last": tk.TreePerceptron(tk.SubtreeKernel(), average=None, epochs=3),
    "perceptron-sum": tk.TreePerceptron(tk.SubsetTreeKernel() + 0.5 * tk.SubtreeKernel() + 1),
    "perceptron-partial": tk.TreePerceptron(tk.PartialTreeKernel(), average="mean"),
    "perceptron-smoothed": tk.TreePerceptron(
        tk.PartialTreeKernel(similarity=VECTORS), average="mean"
    ),
    "svc-smoothed": tk.TreeSVC(tk.PartialTreeKernel(similarity=VECTORS)),
    "perceptron-features": tk.TreePerceptron(tk.PQGramKernel(counts="log"), average="mean"),
    "perceptron-mapping": tk.TreePerceptron(NODES, average="mean", epochs=3),
    "perceptron-mapping-vote": tk.TreePerceptron(0.5 * NODES + tk.SubtreeKernel(), average="vote"),
    "perceptron-standard": tk.TreePerceptron("sst", solver="standard"),
    "perceptron-weights": tk.TreePerceptron(
        tk.SubsetTreeKernel(weights={"A": 0.5, None: 0.9}, counts="log"), average="mean"
    ),
    "passive-aggressive": tk.TreePassiveAggressive("sst"),
    "passive-aggressive-squared": tk.TreePassiveAggressive(
        tk.ElasticTreeKernel(), loss="squared_hinge"
    ),
    "svc": tk.TreeSVC("sst"),
    "svc-responding": tk.TreeSVC("sst", cache_size=0.001),
    "svc-gram": tk.TreeSVC(tk.SubsetTreeKernel() * tk.SubtreeKernel()),
    "svc-mapping": tk.TreeSVC(NODES, solver="forest"),
    "svc-mapping-features": tk.TreeSVC(NODES, solver="forest", cache_size=0.001),
    "svc-subpath": tk.TreeSVC(tk.SubpathKernel() + tk.SubtreeKernel(), cache_size=0.001),
    "svc-balanced": tk.TreeSVC("sst", class_weight="balanced", C=10),
    "svr": tk.TreeSVR("sst", C=10),
    "svr-gram": tk.TreeSVR(tk.PartialTreeKernel(), C=10),
}

# One for each way that learners take through the code.
DAILY_LEARNERS = {
    "perceptron-vote",
    "perceptron-sum",
    "perceptron-smoothed",
    "perceptron-standard",
    "passive-aggressive-squared",
    "svc",
    "svc-responding",
    "svc-gram",
    "svc-mapping-features",
    "svr",
    "svr-gram",
}


@pytest.mark.parametrize("name", [name for name in KERNELS if name not in SIMILARITIES])
def test_kernel(name: str) -> None:
    check_kernel(*KERNELS[name])


@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarity(name: str) -> None:
    """It keeps all promises but one: it says itself that it is no valid kernel in general."""
    checks = dict(kernel_checks())
    del checks["matrix_is_positive_semidefinite"]
    for check in checks.values():
        with suppress(SkipTest):
            check(*KERNELS[name])


@pytest.mark.parametrize(
    "name",
    [
        name if name in DAILY_LEARNERS else pytest.param(name, marks=pytest.mark.slow)
        for name in LEARNERS
    ],
)
def test_learner(name: str) -> None:
    check_learner(LEARNERS[name])


class Lopsided(tk.LinearKernel):
    """Not symmetric, and not a kernel."""

    def _pairwise(self, X: Any, Y: Any) -> Any:
        values = super()._pairwise(X, Y)
        return values + np.arange(len(values))[:, None]


def test_what_is_not_a_kernel_is_found_out() -> None:
    with pytest.raises(AssertionError):
        check_kernel(Lopsided(), _VECTORS)


class OtherDiagonal(tk.LinearKernel):
    """Has norms that are not those of its matrix."""

    def self_values(self, X: Any) -> Any:
        return 2 * super().self_values(X)


class OtherBits(tk.LinearKernel):
    """Differs by one bit on two threads."""

    def __call__(self, X: Any, Y: Any = None, *, n_jobs: int | None = None, **more: Any) -> Any:
        values = super().__call__(X, Y, n_jobs=n_jobs, **more)
        return np.nextafter(values, np.inf) if n_jobs == 2 else values


@pytest.mark.parametrize(
    ("kernel", "name"),
    [
        (OtherDiagonal(), "diagonal_is_that_of_the_matrix"),
        (OtherBits(), "threads_give_the_same_bits"),
    ],
)
def test_each_fault_is_found_out_by_its_check(kernel: tk.Kernel, name: str) -> None:
    check = dict(kernel_checks())[name]
    check(tk.LinearKernel(), _VECTORS)
    with pytest.raises(AssertionError):
        check(kernel, _VECTORS)


@pytest.mark.parametrize("words", ["", "bad", "a bad number"])
def test_errors_that_are_no_sentences_are_found_out(words: str) -> None:
    def refuse(message: str) -> None:
        raise ValueError(message)

    assert refused(refuse, "the decay must be above 0") == "the decay must be above 0"
    with pytest.raises(AssertionError, match="an error should be a sentence"):
        refused(refuse, words)
    with pytest.raises(AssertionError, match="this should have been refused"):
        refused(str, words)


class Changing(tk.TreePerceptron):
    """Changes when it is asked."""

    def predict(self, X: Any) -> Any:
        predicted = super().predict(X)
        return self.partial_fit(X, predicted[::-1]) and predicted


def test_a_learner_that_changes_when_asked_is_found_out() -> None:
    check = dict(learner_checks())["prediction_changes_nothing"]
    check(tk.TreePerceptron("sst"))
    with pytest.raises(AssertionError):
        check(Changing())

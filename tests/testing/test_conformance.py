"""All kernels of the library keep what the conformance suite says they promise."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest

import treekernels as tk
from example_kernels import NODES, VECTORS
from treekernels.testing.checking import refused, trees
from treekernels.testing.conformance import check_kernel, kernel_checks

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


def same_case(a: str, b: str) -> float:
    return 0.5 * (a.isupper() == b.isupper())


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

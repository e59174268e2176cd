"""Kernels on sets of trees against all ways to match them, in Gram matrices and in learners."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles import kernels as oracle
from oracles.kernels import Tree
from treekernels.testing.strategies import forests

MATCHES = ("all", "best", "one-to-one")
sets_of_trees = st.lists(forests(max_trees=4), max_size=4)
DOCUMENTS = [
    ["(S (A a))", "(S (B b))"],
    ["(S (B b))"],
    [],
    ["(S (A a) (B b))", "(S (B b))", "(S (B b))"],
]


def matched(values: Any, match: str) -> float:
    """Return the value of two sets by trying out what the definition speaks of."""
    rows, columns = values.shape
    if rows == 0 or columns == 0:
        return 0.0
    if match == "all":
        return float(sum(values[i, j] for i in range(rows) for j in range(columns)))
    if match == "best":
        mine = sum(max(values[i, j] for j in range(columns)) for i in range(rows))
        theirs = sum(max(values[i, j] for i in range(rows)) for j in range(columns))
        return float(mine + theirs) / 2
    if rows > columns:
        return matched(values.T, match)
    assignments = itertools.permutations(range(columns), rows)
    return float(max(sum(values[i, j] for i, j in enumerate(chosen)) for chosen in assignments))


def expected(sets: list[list[Tree]], match: str, normalize: bool, decay: float) -> Any:
    def value(a: list[Tree], b: list[Tree]) -> float:
        pairs = [[float(oracle.kernel("subset", x, y, decay=decay)) for y in b] for x in a]
        return matched(np.array(pairs, float).reshape(len(a), len(b)), match)

    values = np.array([[value(a, b) for b in sets] for a in sets]).reshape(len(sets), len(sets))
    if normalize and len(sets):
        norms = np.sqrt(np.diagonal(values))
        values /= np.where(norms > 0, norms, 1)[:, None] * np.where(norms > 0, norms, 1)
        values = np.minimum(values, 1)  # what is matched unnormalised may exceed its norms
    return values


@given(sets_of_trees, st.sampled_from(MATCHES), st.booleans(), st.sampled_from([0.3, 1.0]))
def test_values_are_those_of_all_ways_to_match(
    sets: list[list[Tree]], match: Any, normalize: bool, decay: float
) -> None:
    inner = tk.SubsetTreeKernel(decay, normalize=False)
    kernel = tk.SetKernel(inner, match, normalize=normalize)
    values = expected(sets, match, normalize, decay)
    np.testing.assert_allclose(kernel(sets), values, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(sets), np.diagonal(values), rtol=1e-12)
    half = len(sets) // 2
    np.testing.assert_allclose(kernel(sets[:half], sets[half:]), values[:half, half:], rtol=1e-12)


@pytest.mark.parametrize("match", MATCHES)
def test_blocks_of_many_sets_are_those_of_the_matrix(
    match: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = tk.Forest(random_forest(120, 3, size=8))
    sets, _ = tk.TreeSets.grouped(trees, np.random.RandomState(0).randint(0, 25, 120))
    kernel = tk.SetKernel(tk.SubsetTreeKernel(), match)
    whole = kernel(sets)
    monkeypatch.setattr("treekernels.kernels.sets._BYTES", 8 * 120 * 7)  # seven trees at a time
    np.testing.assert_allclose(kernel(sets), whole, rtol=1e-12)
    np.testing.assert_allclose(kernel(sets[3:9], sets), whole[3:9], rtol=1e-12)


def test_the_sum_over_all_pairs_is_a_valid_kernel_and_the_best_matches_need_not_be() -> None:
    trees = tk.Forest(random_forest(60, 5, size=8))
    sets, _ = tk.TreeSets.grouped(trees, np.arange(60) % 20)
    values = np.linalg.eigvalsh(tk.SetKernel(tk.SubsetTreeKernel())(sets))
    assert values.min() > -1e-9
    # Each of these has two of four trees, of which none is like another.
    pairs = [list(two) for two in itertools.combinations(["(A a)", "(B b)", "(C c)", "(D d)"], 2)]
    like = tk.SubtreeKernel() * 0.5 + 0.5  # half, if they differ
    matrix = tk.SetKernel(like, "best")([*pairs, ["(A a)", "(B b)", "(C c)", "(D d)"]])
    assert np.linalg.eigvalsh(matrix).min() < -1e-3


def test_several_columns_of_trees_are_a_set() -> None:
    """As -W A of SVM-LIGHT-TK has it; an example may lack a tree."""
    table = {"tree1": ["(S (A a))", "(S (B b))"], "tree2": ["(S (B b))", "(-MISSING-)"]}
    kernel = tk.SetKernel(tk.SubsetTreeKernel(), normalize=False, on=["tree1", "tree2"])
    alone = tk.SetKernel(tk.SubsetTreeKernel(), normalize=False)
    expected = alone([["(S (A a))", "(S (B b))"], ["(S (B b))"]])
    np.testing.assert_array_equal(kernel(table), expected)
    model = tk.TreeSVC(kernel, C=10).fit(tk.Table(table), ["x", "y"])
    assert model.predict(table).tolist() == ["x", "y"]


def test_weights_are_learned_from_all_trees() -> None:
    kernel = tk.SetKernel(tk.SubsetTreeKernel(weights="idf"))
    assert kernel.needs_fit
    trees = [tree for document in DOCUMENTS for tree in document]
    fitted = kernel.fitted_on(DOCUMENTS)
    inner = tk.SubsetTreeKernel(weights="idf").fitted_on(trees)
    np.testing.assert_array_equal(fitted(DOCUMENTS), tk.SetKernel(inner)(DOCUMENTS))


@pytest.mark.parametrize(
    "learner", [tk.TreeSVC("sst", C=10), tk.TreePerceptron("sst", epochs=50, average=None)]
)
@pytest.mark.parametrize("match", MATCHES)
def test_learners_take_sets_and_their_models_are_saved(
    learner: Any, match: Any, tmp_path: Path
) -> None:
    from sklearn.base import clone

    labels = ["x", "y", "y", "x"]
    sets = tk.TreeSets(DOCUMENTS)
    kernel = tk.SetKernel(tk.SubsetTreeKernel(), match) + 0.1 * tk.SetKernel(tk.SubtreeKernel()) + 1
    model = clone(learner).set_params(kernel=kernel).fit(sets, labels)
    assert model.predict(DOCUMENTS).tolist() == labels
    expected = model.decision_function(sets)
    tk.save(model, tmp_path / "model.tkm")
    np.testing.assert_array_equal(tk.load(tmp_path / "model.tkm").decision_function(sets), expected)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).decision_function(sets), expected
    )


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SetKernel(tk.PolynomialKernel()),
        tk.SetKernel(tk.SubsetTreeKernel(on="tree")),
        tk.SetKernel("sst"),  # type: ignore[arg-type]
        tk.SetKernel(tk.SetKernel(tk.SubsetTreeKernel())),
    ],
)
def test_other_kernels_within_are_refused(kernel: tk.Kernel) -> None:
    with pytest.raises(tk.ParameterError, match="one of trees without on="):
        kernel(DOCUMENTS)

"""Kernel values: against published ones, and against the oracles on random trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import (
    ALGORITHMS,
    SETTINGS,
    SIMILAR,
    Setting,
    expected,
    expected_matrix,
    make,
    normalized,
)
from oracles import kernels as oracle
from published_values import COLUMNS, ROWS
from treekernels.testing.strategies import Tree, decays, forests, trees

COLUMN_NAMES = ["subtree", "subset", "subset-leaves", "partial-skipped", "partial-span"]


def close(actual: Any, desired: Any) -> None:
    np.testing.assert_allclose(actual, desired, rtol=1e-11, atol=0)


@st.composite
def drawn_settings(draw: st.DrawFn, name: str) -> Setting:
    """A kernel with parameters that differ from each other, so that none is taken for another."""
    kind, fixed = SETTINGS[name]
    parameters: dict[str, Any] = {**fixed, "decay": draw(decays(min_value=1e-3))}
    if kind == "partial":
        parameters["vertical_decay"] = draw(decays(min_value=1e-3))
    if "leaf_weight" in fixed:
        parameters["leaf_weight"] = draw(st.sampled_from([1.0, 0.4, 7.5]))
    if "similarity" in fixed:
        tables = [SIMILAR, {("x", "A"): 1.0}, {("A", "A"): 0.5, ("A", "unseen"): 0.1}, {}]
        parameters["similarity"] = draw(st.sampled_from(tables))
    return kind, parameters


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=COLUMN_NAMES)
@pytest.mark.parametrize("row", ROWS, ids=[f"{a} {b}" for a, b, _ in ROWS])
def test_published_values(row: Any, column: int, algorithm: str) -> None:
    a, b, values = row
    name, parameters = COLUMNS[column]
    parameters = {key: v if isinstance(v, str) else float(v) for key, v in parameters.items()}
    kernel = make((name, parameters), normalize=False, algorithm=algorithm)
    ab, aa, bb = values[column]
    np.testing.assert_allclose(kernel([a, b]), [[aa, ab], [ab, bb]], rtol=1e-9, atol=0)
    np.testing.assert_allclose(kernel([a], [b]), [[ab]], rtol=1e-9, atol=0)


@pytest.mark.parametrize("name", ["subtree", "subset", "partial", "elastic", "ordered"])
@given(forest=forests(max_trees=3, max_nodes=12))
@settings(max_examples=20)
def test_counts_are_whole_numbers(name: str, forest: list[Tree]) -> None:
    parameters = {"decay": 1.0, "vertical_decay": 1.0} if name == "partial" else {"decay": 1.0}
    actual = make((name, parameters), normalize=False)(forest)
    counts = [[oracle.recursive(name, a, b) for b in forest] for a in forest]
    assert actual.tolist() == counts


@pytest.mark.parametrize("name", SETTINGS)
@given(data=st.data(), a=forests(4, 1), b=forests(3, 1))
@settings(max_examples=40)
def test_equals_recursion(name: str, data: st.DataObject, a: list[Tree], b: list[Tree]) -> None:
    """Symmetric, rectangular and diagonal, normalised or not, by every algorithm."""
    setting = data.draw(drawn_settings(name))
    plain = expected_matrix(setting, a + b)
    for normalize, matrix in ((False, plain), (True, normalized(plain))):
        for algorithm in ALGORITHMS:
            kernel = make(setting, normalize=normalize, algorithm=algorithm)
            close(kernel(a), matrix[: len(a), : len(a)])
            close(kernel(a, b), matrix[: len(a), len(a) :])
            close(kernel.diag(a), np.diagonal(matrix)[: len(a)])


@pytest.mark.parametrize("name", SETTINGS)
@given(data=st.data(), a=trees(max_nodes=40), b=trees(max_nodes=40))
@settings(max_examples=15)
def test_equals_recursion_on_larger_trees(name: str, data: st.DataObject, a: Tree, b: Tree) -> None:
    setting = data.draw(drawn_settings(name))
    value = expected(setting, a, b)
    for algorithm in ALGORITHMS:
        close(make(setting, normalize=False, algorithm=algorithm)([a], [b]), [[value]])


@pytest.mark.parametrize("name", SETTINGS)
@given(data=st.data(), a=trees(), b=trees())
@settings(max_examples=40)
def test_normalized_for_any_decay(name: str, data: st.DataObject, a: Tree, b: Tree) -> None:
    """However small the decay, only the quotient counts."""
    kind, parameters = SETTINGS[name]
    parameters = {**parameters, "decay": data.draw(decays())}
    if kind == "partial":
        parameters["vertical_decay"] = data.draw(decays())
    value = expected((kind, parameters), a, b, way=oracle.normalized)
    for algorithm in ALGORITHMS:
        kernel = make((kind, parameters), algorithm=algorithm)
        np.testing.assert_allclose(kernel([a], [b]), [[value]], rtol=1e-11, atol=1e-100)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_leaf_matches_an_inner_node_in_a_production(algorithm: Any) -> None:
    a, b = "(A (B b) C)", "(A B (C c))"
    subset = tk.SubsetTreeKernel(0.4, normalize=False, algorithm=algorithm)
    subtree = tk.SubtreeKernel(0.4, normalize=False, algorithm=algorithm)
    assert subset([a], [b]).tolist() == [[0.4]]
    assert subtree([a], [b]).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (tk.SubsetTreeKernel(0.0), "decay must be above 0"),
        (tk.SubsetTreeKernel(1.5), "decay must be above 0"),
        (tk.SubsetTreeKernel(float("nan")), "decay must be above 0"),
        (tk.PartialTreeKernel(0.4, -1.0), "vertical_decay must be above 0"),
        (tk.PartialTreeKernel(gaps="both"), "gaps must be 'skipped' or 'span', not 'both'"),
        (tk.SubsetTreeKernel(leaf_weight=-1.0), "leaf_weight must be a number from 0 to 1e.100"),
        (
            tk.SubtreeKernel(leaf_weight=float("inf")),
            "leaf_weight must be a number from 0 to 1e.100",
        ),
        (tk.SubtreeKernel(algorithm="fast"), "algorithm must be 'corpus', 'ftk' or 'qtk'"),
        (tk.ElasticTreeKernel(similarity={("A", "B"): -1.0}), "similarity of 'A' and 'B'"),
        (
            tk.ElasticTreeKernel(similarity={("A", "B"): 1.0, ("B", "A"): 0.5}),
            "similarity of 'B' and 'A' has two values",
        ),
    ],
    ids=repr,
)
def test_bad_parameters(kernel: tk.Kernel, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernel(["(A b)"])


@pytest.mark.parametrize("kernel", [tk.SubtreeKernel, tk.SubsetTreeKernel, tk.PartialTreeKernel])
def test_matrix_of_all_node_pairs_is_asked_for_only_if_it_fits(kernel: Any) -> None:
    """As published, "qtk" has a number for each pair of nodes, however often subtrees recur."""
    wide = [f"(S {' '.join(['(A a)'] * count)})" for count in (4095, 4096)]  # 8191, 8193 nodes
    assert kernel(algorithm="qtk", normalize=False)(wide[:1], ["(S (A a))"])[0, 0] > 0
    with pytest.raises(tk.KernelMemoryError, match="trees of at most 8192 nodes"):
        kernel(algorithm="qtk")(wide)

"""Weights of productions and labels, decays by label and damped counts, against the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import ALGORITHMS, random_forest
from oracles import kernels as oracle
from treekernels.kernels.weights.productions import FactorLookup
from treekernels.testing.strategies import Tree, decays, forests

COUNTS = ["linear", "log", "binary"]
NUMBERS = st.sampled_from([0.0, 0.1, 0.5, 1.0, 1.5, 3.0])
KINDS: dict[str, Any] = {
    "subtree": tk.SubtreeKernel,
    "subset": tk.SubsetTreeKernel,
    "partial": tk.PartialTreeKernel,
}


def close(actual: Any, expected: Any) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12)


def productions_of(trees: list[Tree]) -> list[tuple[str, ...]]:
    found = {
        tuple(part[0] for part in (node, *node[1:]))
        for tree in trees
        for node in oracle.nodes(tree)
        if len(node) > 1
    }
    return sorted(found)


@st.composite
def label_numbers(draw: st.DrawFn, numbers: st.SearchStrategy[float]) -> dict[Any, float]:
    """Numbers for some labels, and for all others."""
    table: dict[Any, float] = draw(st.dictionaries(st.sampled_from(["A", "B", "x"]), numbers))
    return {**table, None: draw(numbers)}


@st.composite
def weighted_settings(
    draw: st.DrawFn, name: str, trees: list[Tree]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters of a kernel, and the same for the oracle."""
    decay = draw(label_numbers(decays(0.01)))
    weights = draw(label_numbers(NUMBERS))
    if name != "partial":
        known = productions_of(trees) or [("A", "B")]
        weights |= draw(st.dictionaries(st.sampled_from(known), NUMBERS, max_size=4))
    counts = draw(st.sampled_from(COUNTS))

    def decay_of(production: tuple[str, ...]) -> float:
        return decay.get(production[0], decay[None])

    def weight_of(production: tuple[str, ...]) -> float:
        return weights.get(production, weights.get(production[0], weights[None]))

    if name == "partial":
        own = {"decay": 0.7, "vertical_decay": decay}
        theirs: dict[str, Any] = {"decay": 0.7, "vertical_decay": decay_of}
    else:
        leaf_weight = draw(st.sampled_from([0.0, 0.3]))
        own = {"decay": decay, "leaf_weight": leaf_weight}
        theirs = {"decay": decay_of, "leaf_weight": leaf_weight}
    return (
        {**own, "weights": weights, "counts": counts},
        {**theirs, "weight": weight_of, "counts": counts},
    )


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data(), forest=forests(max_trees=4, min_trees=1, max_nodes=8))
def test_values_are_those_of_the_oracle(name: str, data: Any, forest: list[Tree]) -> None:
    own, theirs = data.draw(weighted_settings(name, forest))
    expected = [[oracle.kernel(name, a, b, **theirs) for b in forest] for a in forest]
    for algorithm in ALGORITHMS:
        kernel = KINDS[name](**own, normalize=False, algorithm=algorithm)
        close(kernel(forest), expected)
        close(kernel.diag(forest), np.diagonal(expected))
        close(kernel(forest[:1], forest), expected[:1])


def test_large_trees_with_large_weights() -> None:
    """Numbers beyond all doubles are normalised as ever."""
    wide = ["(S " + "(A (B b)) " * many + ")" for many in (900, 800)]
    for kernel in (
        tk.SubsetTreeKernel(1.0, weights={"A": 3.0}),
        tk.SubsetTreeKernel({"S": 1.0, None: 0.9}, weights={"B -> b": 2.0}),
    ):
        matrix = kernel(wide + wide)
        assert np.isfinite(matrix).all()
        close(np.diagonal(matrix), 1.0)
        close(matrix[0, 2], 1.0)


def test_long_chains() -> None:
    """Chains are compared production by production where these have weights."""
    chain = "(A " * 300 + "b" + ")" * 300
    other = "(A " * 150 + "(B " * 150 + "b" + ")" * 300
    plain = tk.SubsetTreeKernel(0.5, normalize=False)
    weighted = tk.SubsetTreeKernel({None: 0.5, "nowhere": 0.1}, normalize=False)
    close(weighted([chain, other]), plain([chain, other]))


@given(forest=forests(max_trees=6, min_trees=1))
def test_inverse_document_frequencies(forest: list[Tree]) -> None:
    table = tk.InverseDocumentFrequency().fit(forest)
    assert table.documents == len(forest)
    for production in productions_of(forest):
        having = sum(production in productions_of([tree]) for tree in forest)
        total = 1 + len(forest)
        expected = (1 + np.log(total / (1 + having))) / (1 + np.log(total))
        assert table.weight(production) == pytest.approx(expected)
    assert table.weight(("never", "seen")) == 1
    assert set(table.frequencies or {}) == set(productions_of(forest))
    labels = tk.InverseDocumentFrequency("labels").fit(forest)
    for label in {node[0] for tree in forest for node in oracle.nodes(tree)}:
        having = sum(any(label == n[0] for n in oracle.nodes(tree)) for tree in forest)
        assert (labels.frequencies or {})[label] == having


@given(one=forests(max_trees=5, min_trees=1), two=forests(max_trees=5, min_trees=1))
def test_tables_add_up(one: list[Tree], two: list[Tree]) -> None:
    fit = tk.InverseDocumentFrequency().fit
    assert fit(one) + fit(two) == fit(one + two)


@given(forest=forests(max_trees=5, min_trees=2, max_nodes=8))
def test_a_table_weighs_as_its_numbers_do(forest: list[Tree]) -> None:
    table = tk.InverseDocumentFrequency(unseen=0.5).fit(forest[:-1])
    numbers = {key: table.weight(key) for key in table.frequencies or {}}
    by_table = tk.SubsetTreeKernel(weights=table, normalize=False)
    close(
        by_table(forest),
        tk.SubsetTreeKernel(weights={**numbers, None: 0.5}, normalize=False)(forest),
    )
    for weights in (table, {**numbers, None: 0.5}):
        lookup = FactorLookup(weights, 0.4)
        for production in productions_of(forest):
            assert lookup(production) == pytest.approx(0.4 * table.weight(production) ** 2)


def test_fitted_on_gives_values_that_do_not_depend_on_the_call() -> None:
    forest = random_forest(30, seed=7)
    kernel = tk.SubsetTreeKernel(weights="idf", counts="log")
    with pytest.raises(tk.ParameterError, match="fitted_on"):
        kernel(forest)
    fitted = kernel.fitted_on(forest)
    assert kernel.needs_fit
    assert not fitted.needs_fit
    assert fitted.fitted_on(forest[:2]) is fitted
    close(fitted(forest[:5]), fitted(forest)[:5, :5])
    total = (0.5 * kernel + tk.PartialTreeKernel(weights="idf")).fitted_on(forest)
    assert not total.needs_fit
    close(
        total(forest),
        0.5 * fitted(forest) + tk.PartialTreeKernel(weights="idf").fitted_on(forest)(forest),
    )


def test_texts_of_productions() -> None:
    one = tk.SubsetTreeKernel(weights={"NP -> D N": 0.3, "S": 2.0})
    two = tk.SubsetTreeKernel(weights={("NP", "D", "N"): 0.3, "S": 2.0})
    forest = ["(S (NP (D the) (N dog)) (V ran))", "(S (NP (D a) (N dog)) (V sat))"]
    assert np.array_equal(one(forest), two(forest))
    assert not np.array_equal(one(forest), tk.SubsetTreeKernel()(forest))

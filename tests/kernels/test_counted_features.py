"""Kernels of features that can be counted against lists of all features, and their weights."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles.kernels import Tree, bag_features, gram_features, subpath_features
from treekernels.learners.models.model import Model
from treekernels.testing.strategies import forests

KINDS: dict[str, tuple[Any, Any]] = {
    "paths": (tk.SubpathKernel(0.7, max_length=3), lambda t: subpath_features(t, 0.7, 3)),
    "grams": (tk.PQGramKernel(), gram_features),
    "short grams": (tk.PQGramKernel(1, 2), lambda t: gram_features(t, 1, 2)),
    "long grams": (tk.PQGramKernel(3, 1), lambda t: gram_features(t, 3, 1)),
    "unordered grams": (
        tk.PQGramKernel(ordered=False),
        lambda t: gram_features(t, ordered=False),
    ),
    "unordered pairs": (
        tk.PQGramKernel(3, 2, ordered=False),
        lambda t: gram_features(t, 3, 2, ordered=False),
    ),
    "bag": (tk.TreeFeaturesKernel(0.5, 2, 3, 1, 4), lambda t: bag_features(t, 0.5, 2, 3, 1, 4)),
    "siblings": (tk.TreeFeaturesKernel(0, 0, 1, 0, 0), lambda t: bag_features(t, 0, 0, 1, 0)),
    "outlines": (tk.TreeFeaturesKernel(0, 0, 0, 0, 1), lambda t: bag_features(t, 0, 0, 0, 0, 1)),
}
kinds = st.sampled_from(sorted(KINDS))
damping = {"linear": float, "log": lambda n: 1 + math.log(n), "binary": lambda n: 1.0}


def idf(trees: list[Tree], features: Any) -> Any:
    """Return the weight of a feature, as it is defined, where what one tree has is unseen."""
    seen = Counter(
        feature for tree in trees for feature, weight in features(tree).items() if weight.shared
    )

    def weight(feature: Any) -> float:
        if seen[feature] < 2:
            return 1.0
        whole = 1 + math.log(1 + len(trees))
        return (1 + math.log((1 + len(trees)) / (1 + seen[feature]))) / whole

    return weight


def expected(one: Any, two: Any, counts: str, weight: Any) -> float:
    return sum(
        damping[counts](one[f].side) * damping[counts](two[f].side) * one[f].shared * weight(f) ** 2
        for f in one.keys() & two.keys()
    )


@given(forests(), kinds, st.sampled_from(sorted(damping)), st.booleans())
def test_values_are_those_of_listed_features(
    trees: list[Tree], kind: str, counts: str, weighted: bool
) -> None:
    kernel, features = KINDS[kind]
    kernel = kernel.with_params(counts=counts, normalize=False)
    half = len(trees) // 2
    weight: Any = lambda feature: 1.0  # noqa: E731
    if weighted and half:  # weights from half of the trees: the others have new features and labels
        kernel = kernel.with_params(weights="idf").fitted_on(trees[:half])
        weight = idf(trees[:half], features)
    listed = [features(tree) for tree in trees]
    values = [[expected(a, b, counts, weight) for b in listed] for a in listed]
    values = np.array(values).reshape(len(trees), len(trees))
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-11)
    np.testing.assert_allclose(kernel.diag(trees), np.diagonal(values), rtol=1e-11)
    np.testing.assert_allclose(kernel(trees[:half], trees[half:]), values[:half, half:], rtol=1e-11)


@pytest.mark.parametrize("counts", sorted(damping))
def test_values_of_features_that_most_of_many_trees_have(counts: str) -> None:
    trees = [*random_forest(40, 2), *(("A", *[("b",)] * n) for n in range(1, 25))]
    listed = [gram_features(tree) for tree in trees]
    values = [[expected(a, b, counts, lambda feature: 1.0) for b in listed] for a in listed]
    kernel = tk.PQGramKernel(counts=counts, normalize=False)
    np.testing.assert_allclose(kernel(trees), values, rtol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("counts", ["linear", "binary"])
def test_learning_is_that_of_the_gram_matrix(kind: str, counts: str, tmp_path: Path) -> None:
    trees = tk.Forest(random_forest(60, 2))
    queries = tk.Forest([*random_forest(20, 3), ("unknown", ("A", "b"))])
    alphas = np.random.RandomState(0).normal(size=(60, 2))
    kernel = KINDS[kind][0].with_params(counts=counts, weights="idf").fitted_on(trees[:30])
    model, half = tk.WeightedForest(kernel, columns=2), tk.WeightedForest(kernel, columns=2)
    for first in range(0, 60, 20):  # it is asked in between, and grows
        model.add(trees[first : first + 20], alphas[first : first + 20])
        so_far = kernel(queries, trees[: first + 20]) @ alphas[: first + 20]
        np.testing.assert_allclose(model.score(queries), so_far, rtol=1e-9, atol=1e-12)
    tk.save(model, tmp_path / "model.tkm")
    assert np.array_equal(tk.load(tmp_path / "model.tkm").score(queries), model.score(queries))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).score(queries), model.score(queries))
    half.add(trees[:30], alphas[:30])
    rest = tk.WeightedForest(kernel, columns=2)
    rest.add(trees[30:], alphas[30:])
    half.merge(rest, scale=0.5)
    both = kernel(queries, trees) @ (alphas * np.where(np.arange(60) < 30, 1.0, 0.5)[:, None])
    np.testing.assert_allclose(half.score(queries), both, rtol=1e-9, atol=1e-12)
    labels = np.array([tree.size % 3 for tree in trees])
    machine = tk.TreeSVC(kernel, random_state=0, tol=1e-5, max_iter=5000).fit(trees, labels)
    slow = tk.TreeSVC(kernel, solver="gram", tol=1e-5).fit(trees, labels)
    assert machine.solver_ == "forest"
    np.testing.assert_allclose(
        machine.decision_function(queries), slow.decision_function(queries), atol=0.01
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_forest_that_lacks_subtrees_is_refused(kind: str) -> None:
    """As a damaged file may have it."""
    kernel = KINDS[kind][0]
    model = Model(kernel, 1)
    model.add(kernel.examples(tk.Forest(["(A (B b) (C c))", "(A (B b))"])), np.ones((2, 1)))
    (saved,) = model.state()
    whole = Model(kernel, 1)
    whole.restore([saved])
    assert whole.size == model.size
    for nodes in (saved["nodes"][::-1], saved["nodes"][-1:]):
        damaged = {**saved, "nodes": nodes, "weights": saved["weights"][: len(nodes)]}
        with pytest.raises(ValueError, match="do not fit together"):
            Model(kernel, 1).restore([damaged])


@given(forests(), st.data())
def test_the_order_of_children_changes_no_unordered_gram(trees: list[Tree], data: Any) -> None:
    def permuted(tree: Tree) -> Tree:
        return (tree[0], *data.draw(st.permutations([permuted(child) for child in tree[1:]])))

    for p, q in ((1, 2), (2, 3), (3, 1)):
        kernel = tk.PQGramKernel(p, q, ordered=False, normalize=False)
        np.testing.assert_array_equal(kernel(trees), kernel([permuted(tree) for tree in trees]))


def test_labels_are_sorted_as_texts_however_they_are_numbered() -> None:
    kernel = tk.PQGramKernel(1, 2, ordered=False, normalize=False)
    one, two = ["(r é b a c)", "(c b)"], ["(c b)", "(r c a é b)"]
    assert kernel(one[:1], two[1:]).item() == kernel.diag(one[:1]).item() == 4 + 4
    model = tk.WeightedForest(kernel, columns=1)
    model.add(two, np.array([[0.0], [1.0]]))
    assert model.score(one).ravel().tolist() == kernel(one, two)[:, 1].tolist()
    spoken = tk.TreeSVC("pqgram(ordered=false)", random_state=0).fit(one, ["a", "b"])
    assert spoken.kernel_ == tk.PQGramKernel(ordered=False)


def test_frequencies_from_elsewhere_are_saved_with_the_kernel(tmp_path: Path) -> None:
    background = random_forest(40, 1)
    trees = tk.Forest(random_forest(12, 5))
    table = tk.InverseDocumentFrequency.learned_from(background)
    assert table.of == "features"
    assert table.documents == 40
    kernel = tk.TreeFeaturesKernel(weights=table)
    index = tk.TreeIndex(kernel)
    index.add(trees)
    index.save(tmp_path / "trees.tki")
    again = tk.TreeIndex.load(tmp_path / "trees.tki")
    for hits, before in zip(again.search(trees, k=4), index.search(trees, k=4), strict=True):
        assert hits.ids == before.ids
    assert np.array_equal(again.kernel(trees), kernel(trees))
    own = kernel.with_params(weights="idf").fitted_on(trees)
    assert not np.allclose(own(trees), kernel(trees))
    paths = tk.SubpathKernel(1.0, max_length=2)
    table = tk.InverseDocumentFrequency.learned_from(background, paths)
    assert tk.SubpathKernel(1.0, max_length=2, weights=table)(trees).shape == (12, 12)


def test_a_feature_has_its_own_frequency() -> None:
    trees = ["(A (B b) (C c))", "(A (B b) (C d))", "(A (C c))", "(E (B b))"]
    table = tk.InverseDocumentFrequency.learned_from(trees)
    n = 4
    whole = 1 + math.log(1 + n)
    assert table.weight("(subtree (B b))") == pytest.approx((whole - math.log(4)) / whole)
    assert table.weight("(siblings (A B C))") == pytest.approx((whole - math.log(3)) / whole)
    assert table.weight("(production (E B))") == 1.0
    assert len(table.frequencies) == 9  # and (subtree (C c)), (outline (A B C)), B -> b and so on


def test_what_was_never_counted_weighs_one() -> None:
    """Also if it begins or ends as something that was: only one of six paths is known here."""
    paths = tk.SubpathKernel(1.0, normalize=False)
    table = tk.InverseDocumentFrequency.learned_from(["(A b)", "(A c)", "(d e)"], paths)
    value = paths.with_params(weights=table)(["(z (A q))"]).item()
    weight = (1 + math.log(4) - math.log(3)) / (1 + math.log(4))
    assert value == pytest.approx(5 + weight**2)


def test_a_star_is_a_label_like_any_other() -> None:
    kernel = tk.PQGramKernel(2, 2, normalize=False)
    assert kernel(["(A *)"], ["(A B)"]).item() == 0
    for trees in (["(A * *)", "(* A)"], ["(A B)", "(B (A B) B)"]):
        fitted = kernel.with_params(weights="idf").fitted_on(trees * 2)
        assert fitted.weights.weight("(no such feature)") == 1.0
        assert (np.diagonal(fitted(trees)) > 0).all()


def test_what_weights_of_features_may_be() -> None:
    with pytest.raises(tk.ParameterError, match="InverseDocumentFrequency of features"):
        tk.PQGramKernel(weights={"A": 2.0})(["(A b)"])
    table = tk.InverseDocumentFrequency.learned_from(["(A b)", "(A c)"])
    with pytest.raises(tk.ParameterError, match="productions or labels"):
        tk.SubsetTreeKernel(weights=table)(["(A b)"])
    with pytest.raises(tk.ParameterError, match="fitted_on"):
        tk.TreeFeaturesKernel(weights="idf")(["(A b)"])
    with pytest.raises(tk.ParameterError, match="a kernel says which features"):
        tk.InverseDocumentFrequency("features").fit(["(A b)"])
    with pytest.raises(tk.DataError, match="do not add up"):
        table + table
    with pytest.raises(tk.ParameterError, match="at least one kind"):
        tk.TreeFeaturesKernel(0, 0, 0, 0, 0)(["(A b)"])

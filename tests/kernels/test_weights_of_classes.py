"""Weights that are learned from classes, against a count by hand; and files of weights."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treekernels as tk
from helpers import random_forest
from oracles.kernels import Tree, bag_features, gram_features
from treekernels.testing.strategies import forests

KINDS: dict[str, tuple[Any, Any]] = {
    "bag": (tk.TreeFeaturesKernel(), lambda t: bag_features(t, 0.25, 1, 1, 1.5, 0.5)),
    "grams": (tk.PQGramKernel(counts="binary"), gram_features),
}


def weight_by_hand(trees: list[Tree], classes: list[str], features: Any, sharpness: float) -> Any:
    listed = [set(features(tree)) for tree in trees]

    def weight(feature: Any) -> float:
        if sum(feature in of_tree for of_tree in listed) < 2:
            return 1.0
        shares = []
        for class_ in set(classes):
            of_class = [feature in f for f, c in zip(listed, classes, strict=True) if c == class_]
            shares.append(sum(of_class) / len(of_class))
        spread = sum(shares) ** 2 / sum(share**2 for share in shares)
        known = 1 + len(set(classes))
        return ((1 + math.log(known / (1 + spread))) / (1 + math.log(known))) ** sharpness

    return weight


@settings(deadline=None, max_examples=30)
@given(
    forests(min_trees=2, max_trees=8),
    st.data(),
    st.sampled_from(sorted(KINDS)),
    st.sampled_from([0.0, 1.0, 1.5]),
)
def test_weights_count_classes(
    trees: list[Tree], data: st.DataObject, kind: str, sharpness: float
) -> None:
    kernel, features = KINDS[kind]
    half = max(1, len(trees) // 2)
    labels = st.lists(st.sampled_from("abc"), min_size=half, max_size=half)
    classes = data.draw(labels)
    weights = tk.LearnedWeights(sharpness=sharpness).fit(
        tk.Forest.from_trees(trees[:half]), classes, kernel=kernel
    )
    assert weights.documents == len(set(classes))
    by_hand = weight_by_hand(trees[:half], classes, features, sharpness)
    listed = [features(tree) for tree in trees]
    expected = [
        [sum(a[f].shared * by_hand(f) ** 2 for f in a.keys() & b.keys()) for b in listed]
        for a in listed
    ]
    values = kernel.with_params(weights=weights, normalize=False)(tk.Forest.from_trees(trees))
    np.testing.assert_allclose(values, expected, rtol=1e-10)


def test_pairs_are_classes_of_their_own() -> None:
    trees = random_forest(6, 1)
    pairs = tk.LearnedWeights().fit(trees, pairs=[(0, 3), (3, 4)])
    classes = tk.LearnedWeights().fit(trees, ["a", "b", "c", "a", "a", "d"])
    kernel = tk.TreeFeaturesKernel()
    np.testing.assert_array_equal(
        kernel.with_params(weights=pairs)(trees), kernel.with_params(weights=classes)(trees)
    )


def test_trees_of_a_class_come_closer() -> None:
    """What is in all trees of one class counts as much as what is rare."""
    trees = [f"(S (common x) ({kind} y) (n{i} z))" for i, kind in enumerate("aabbccdd")]
    weights = tk.LearnedWeights().fit(trees, list("aabbccdd"))
    plain, learned = tk.TreeFeaturesKernel(weights="idf"), tk.TreeFeaturesKernel(weights=weights)
    new = ["(S (common x) (a y) (new z))"]

    def contrast(kernel: Any) -> float:
        of_class, other = kernel.fitted_on(trees)(new, trees)[0][[0, 2]]
        return float(of_class / other)

    assert contrast(learned) > contrast(plain)


@pytest.mark.parametrize("kind", ["classes", "frequencies", "productions"])
def test_files_of_weights(kind: str, tmp_path: Path) -> None:
    trees = random_forest(30, 3)
    weights: Any = {
        "classes": tk.LearnedWeights(sharpness=2).fit(trees, np.arange(30) % 4),
        "frequencies": tk.InverseDocumentFrequency.learned_from(trees),
        "productions": tk.InverseDocumentFrequency().fit(trees),
    }[kind]
    tk.save(weights, tmp_path / "weights.tkw")
    loaded = tk.load(tmp_path / "weights.tkw")
    kernel = tk.SubsetTreeKernel() if kind == "productions" else tk.TreeFeaturesKernel()
    expected = kernel.with_params(weights=weights)(trees)
    for other in (loaded, pickle.loads(pickle.dumps(weights))):
        assert repr(other) == repr(weights)
        np.testing.assert_array_equal(kernel.with_params(weights=other)(trees), expected)
    if kind != "productions":
        machine = tk.TreeSVC(kernel.with_params(weights=weights)).fit(trees, np.arange(30) % 2)
        tk.save(machine, tmp_path / "model.tkm")
        index = tk.TreeIndex(kernel.with_params(weights=weights))
        index.add(trees)
        index.save(tmp_path / "trees.tki")
        again = tk.TreeIndex.load(tmp_path / "trees.tki").search(trees[:3], 4)
        assert again.items.tolist() == index.search(trees[:3], 4).items.tolist()
        np.testing.assert_array_equal(
            tk.load(tmp_path / "model.tkm").predict(trees), machine.predict(trees)
        )


def test_what_is_refused() -> None:
    trees = ["(A b)", "(A c)"]
    learned = tk.LearnedWeights()
    with pytest.raises(tk.ParameterError, match="either from labels y or from pairs"):
        learned.fit(trees)
    with pytest.raises(tk.DataError, match="2 trees and 1 labels"):
        learned.fit(trees, ["a"])
    with pytest.raises(tk.DataError, match="a pair names a tree"):
        learned.fit(trees, pairs=[(0, 2)])
    with pytest.raises(tk.DataError, match="no trees to learn"):
        learned.fit([], [])
    with pytest.raises(tk.ParameterError, match="learned weights need labels"):
        tk.TreeFeaturesKernel(weights=learned).fitted_on(trees)
    with pytest.raises(tk.ParameterError, match="learned weights need labels"):
        tk.LearnedWeights.learned_from(trees)
    with pytest.raises(tk.ParameterError, match="sharpness"):
        tk.LearnedWeights(sharpness=-1).fit(trees, ["a", "b"])

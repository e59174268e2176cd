"""TreeNeighbors against scikit-learn's own neighbours on precomputed distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import DBSCAN, SpectralClustering
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import treekernels as tk
from treekernels.testing.strategies import forests

KERNEL = tk.SubsetTreeKernel()
TEXTS = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a))", "(T (A a) (C c))", "(S (A d) (B b))"]


def distances(X: Any, Y: Any) -> np.ndarray:
    return np.sqrt(np.maximum(0, 2 - 2 * KERNEL(X, Y)))


@settings(max_examples=30, deadline=None)
@given(forests(min_trees=3, max_trees=9), forests(min_trees=1, max_trees=4), st.integers(1, 3))
def test_the_same_distances_as_scikit_learn(known: Any, asked: Any, count: int) -> None:
    X, Y = tk.Forest.from_trees(known), tk.Forest.from_trees(asked)
    ours = tk.TreeNeighbors(KERNEL, n_neighbors=count).fit(X)
    theirs = NearestNeighbors(n_neighbors=count, metric="precomputed").fit(distances(X, X))
    mine, places = ours.kneighbors(Y)
    np.testing.assert_allclose(mine, theirs.kneighbors(distances(Y, X))[0], atol=1e-6)
    assert places.shape == (len(Y), count)
    if count < len(X):
        own, _ = ours.kneighbors()
        np.testing.assert_allclose(own, theirs.kneighbors()[0], atol=1e-6)


def test_radius() -> None:
    model = tk.TreeNeighbors(KERNEL).fit(TEXTS)
    far, places = model.radius_neighbors(TEXTS, 1.2)
    matrix = distances(TEXTS, TEXTS)
    for row, found, values in zip(matrix, places, far, strict=True):
        assert sorted(found.tolist()) == np.flatnonzero(row <= 1.2).tolist()
        np.testing.assert_allclose(values, np.sort(row[row <= 1.2]), atol=1e-6)


def test_votes() -> None:
    labels = ["s", "s", "t", "t", "s"]
    ours = tk.TreeNeighbors(KERNEL, n_neighbors=3).fit(TEXTS, labels)
    theirs = KNeighborsClassifier(3, metric="precomputed").fit(distances(TEXTS, TEXTS), labels)
    asked = ["(S (A x) (B b))", "(T (A e) (C c))"]
    np.testing.assert_allclose(
        ours.predict_proba(asked), theirs.predict_proba(distances(asked, TEXTS))
    )
    assert ours.predict(asked).tolist() == theirs.predict(distances(asked, TEXTS)).tolist()
    assert ours.score(TEXTS, labels) > 0.5
    weighted = clone(ours).set_params(weights="similarity").fit(TEXTS, labels)
    assert weighted.predict(TEXTS).tolist() == labels


def test_graphs_for_clustering() -> None:
    index = tk.TreeIndex(KERNEL)
    index.add([*TEXTS, "(A x)"])
    index.remove([5])
    graph = index.distance_graph(0.05)
    matrix = distances(TEXTS, TEXTS)
    close = KERNEL(TEXTS) >= 0.05
    np.testing.assert_allclose(graph.toarray()[close], matrix[close], atol=1e-6)
    assert graph.nnz == close.sum()
    found = DBSCAN(eps=1.0, min_samples=2, metric="precomputed").fit_predict(graph)
    expected = DBSCAN(eps=1.0, min_samples=2, metric="precomputed").fit_predict(matrix)
    assert found.tolist() == expected.tolist()
    similar = index.neighbor_graph(0.001)
    machine = SpectralClustering(2, affinity="precomputed", random_state=0)
    dense = machine.fit_predict(similar.toarray())
    assert np.array_equal(machine.fit_predict(similar), dense)
    neighbours = (
        tk.TreeNeighbors(KERNEL, n_neighbors=2).fit(TEXTS).kneighbors_graph(mode="distance")
    )
    assert neighbours.shape == (5, 5)
    assert neighbours.nnz == 10


def test_what_is_refused() -> None:
    with pytest.raises(tk.ParameterError, match="normalize=True"):
        tk.TreeNeighbors(tk.SubsetTreeKernel(normalize=False)).fit(TEXTS)
    with pytest.raises(tk.DataError, match="5 trees and 2 labels"):
        tk.TreeNeighbors(KERNEL).fit(TEXTS, ["a", "b"])
    with pytest.raises(tk.ParameterError, match="n_neighbors is 6"):
        tk.TreeNeighbors(KERNEL).fit(TEXTS).kneighbors(TEXTS, 6)
    with pytest.raises(tk.ParameterError, match="weights must be"):
        tk.TreeNeighbors(weights="distance").fit(TEXTS)  # type: ignore[arg-type]

"""An index by edit distance finds what the matrix of all distances has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from treekernels.search import distance_index
from treekernels.testing.strategies import forests


@given(forests(8, 1), forests(3, 1), st.integers(0, 6), st.booleans())
def test_like_the_matrix(items: list[Any], queries: list[Any], most: int, own_costs: bool) -> None:
    X, Q = tk.Forest.from_trees(items), tk.Forest.from_trees(queries)
    distance = tk.EditDistance(rename=0.75) if own_costs else tk.EditDistance()
    index = tk.DistanceIndex(distance, n_jobs=2)
    index.add(X[:2])
    index.add(X[2:])
    assert len(index) == len(X)
    assert index.ids == list(range(len(X)))
    matrix = distance(Q, X)
    for row, near, within in zip(matrix, index.search(Q, k=3), index.within(Q, most), strict=True):
        order = np.lexsort((np.arange(len(X)), row))
        every = [(int(place), float(row[place])) for place in order]
        assert [tuple(hit) for hit in near] == every[:3]
        assert [tuple(hit) for hit in within] == [hit for hit in every if hit[1] <= most]
    own = distance(X)
    pairs = [(i, j, own[i, j]) for i in range(len(X)) for j in range(i + 1, len(X))]
    assert [tuple(pair) for pair in index.duplicates(most)] == [p for p in pairs if p[2] <= most]


def test_ids_and_many_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distance_index, "_MOST_ASKED", 10)
    index = tk.DistanceIndex()
    index.add(["(A b)", "(A c)"], ids=["one", "two"])
    for number in range(20):
        assert index.search([f"(A b (B x{number}))"], k=1)[0] == [("one", 2.0)]
    with pytest.raises(tk.DataError, match="in the index already"):
        index.add(["(A d)"], ids=["one"])
    assert tk.DistanceIndex().search(["(A b)"]) == [[]]
    with pytest.raises(tk.ParameterError, match="EditDistance"):
        tk.DistanceIndex(tk.SubtreeKernel())  # type: ignore[arg-type]

"""An index by edit distance finds what the matrix of all distances has."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from treekernels.io.files.container import write_container
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
    dags = set()
    for number in range(20):
        assert index.search([f"(A b (B x{number}))"], k=1)[0] == [("one", 2.0)]
        dags.add(index._forest.dag)
    assert len(dags) > 2, "it is made anew without the queries"
    with pytest.raises(tk.DataError, match="in the index already"):
        index.add(["(A d)"], ids=["one"])
    assert tk.DistanceIndex().search(["(A b)"]) == [[]]
    with pytest.raises(tk.ParameterError, match="EditDistance"):
        tk.DistanceIndex(tk.SubtreeKernel())  # type: ignore[arg-type]


def test_the_first_of_equally_near_trees() -> None:
    """It is found although its labels say that it may be farther away than others."""
    index = tk.DistanceIndex()
    index.add(["(A x y)", "(A c b)", "(b A c)", "(c b A)", "(b c A)"])
    assert index.search(["(A b c)"], k=1)[0] == [(0, 2.0)]


def test_saved_and_loaded(tmp_path: Path) -> None:
    distance = tk.EditDistance(insert={"b": 2}, rename={("b", "c"): 0.5})
    for index in (tk.DistanceIndex(), tk.DistanceIndex(distance)):
        index.add(["(A b)", "(A c)", "(A (B b) b)"], ids=["one", 2, "three"])
        index.search(["(X y)"])  # which the file knows nothing of
        index.save(tmp_path / "index")
        loaded = tk.DistanceIndex.load(tmp_path / "index", n_jobs=2)
        assert loaded.ids == index.ids
        assert loaded.distance == index.distance
        assert str(loaded.tree("three")) == "(A (B b) b)"
        for other in (loaded, pickle.loads(pickle.dumps(index))):
            assert other.search(["(A c)"]) == index.search(["(A c)"])
            other.add(["(A d)"], ids=["four"])
            assert other.within(["(A d)"], 0)[0] == [("four", 0.0)]
            assert other.duplicates(1) == tk_pairs(other, 1)


def tk_pairs(index: tk.DistanceIndex, most: float) -> list[Any]:
    """Return what is near each other, by the matrix of all distances."""
    names = index.ids
    matrix = index.distance([index.tree(name) for name in names])
    return [
        (names[i], names[j], matrix[j, i])
        for i in range(len(names))
        for j in range(i + 1, len(names))
        if matrix[j, i] <= most
    ]


def test_hostile_files(tmp_path: Path) -> None:
    index = tk.DistanceIndex()
    index.add(["(A b)", "(A c)"])
    good = index.__getstate__()
    path = tmp_path / "index"
    for bad in (
        {**good, "ids": {"kind": "numbers", "count": 3}},
        {**good, "ids": {"kind": "integers", "values": np.zeros(2)}},
        {**good, "ids": {"kind": "integers", "values": np.zeros(2, np.int64)}},
        {**good, "trees": [1, 2]},
        {**good, "distance": tk.SubtreeKernel()},
        {"trees": good["trees"]},
        {},
    ):
        write_container(path, "DistanceIndex", bad)
        with pytest.raises(tk.ModelFileError, match="do not fit"):
            tk.DistanceIndex.load(path)
    write_container(path, "TreeIndex", good)
    with pytest.raises(tk.ModelFileError, match="no index by edit distance"):
        tk.DistanceIndex.load(path)
    index.save(path)
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[:60], whole[:200] + b"!" + whole[201:], b""):
        path.write_bytes(damaged)
        with pytest.raises(tk.ModelFileError):
            tk.DistanceIndex.load(path)
    index = tk.DistanceIndex(tk.EditDistance(rename=lambda a, b: 1.0))
    with pytest.raises(tk.DataError, match="cannot be saved"):
        index.save(path)

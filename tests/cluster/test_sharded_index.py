"""Searching all partitions gives what one index gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees
from treekernels.cluster.index import candidates

TREES, _ = labelled_trees(120)
QUERIES, _ = labelled_trees(15, seed=1)


@pytest.mark.parametrize("kernel", [tk.SubsetTreeKernel(), tk.PartialTreeKernel()], ids=str)
def test_the_same_as_one_index(client: Any, kernel: tk.Kernel) -> None:
    single = tk.TreeIndex(kernel)
    single.add(TREES)
    for count in (1, 3, 5):
        sharded = tkd.ShardedIndex(kernel, client=client)
        sharded.add(tkd.partitions(TREES, count, client=client))
        for k in (0, 1, 7, 500):
            expected, found = single.search(QUERIES, k), sharded.search(QUERIES, k)
            assert [hits.ids for hits in found] == [hits.ids for hits in expected]
            np.testing.assert_allclose(found.similarities, expected.similarities, rtol=1e-12)


def test_ties_are_in_order_of_insertion(client: Any) -> None:
    same = tk.Forest(["(A (B b) (C c))"] * 9)
    sharded = tkd.ShardedIndex(client=client)
    sharded.add(tkd.partitions(same, 4, client=client))
    assert sharded.search(same[:1], 5)[0].ids == [0, 1, 2, 3, 4]


def test_ids_and_more_trees(client: Any) -> None:
    sharded = tkd.ShardedIndex(client=client)
    sharded.add(tkd.partitions(TREES[:50], 2, client=client), ids=[f"t{i}" for i in range(50)])
    sharded.add(tkd.partitions(TREES[50:], 3, client=client), ids=[f"t{i}" for i in range(50, 120)])
    single = tk.TreeIndex(tk.SubsetTreeKernel())
    single.add(TREES, ids=[f"t{i}" for i in range(120)])
    results = [hits.ids for hits in sharded.search(QUERIES, 4)]
    assert results == [hits.ids for hits in single.search(QUERIES, 4)]
    assert len(sharded) == 120
    with pytest.raises(tk.DataError, match="in the index already"):
        sharded.add(tkd.partitions(TREES[:1], client=client), ids=["t1"])


def test_an_index_without_trees(client: Any) -> None:
    assert len(tkd.ShardedIndex(client=client).search(QUERIES, 3)[0]) == 0


# The threads of the cluster draw random numbers meanwhile, which hypothesis takes for ours.
@pytest.mark.filterwarnings("ignore:Do not use the .random. module")
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.sampled_from([0.1, 0.5, 0.9]))),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 4),
)
def test_candidates_are_all_that_may_be_among_the_best(
    parts: list[list[tuple[int, int, float]]], k: int
) -> None:
    """Also those that are worse by rounding alone; and no others."""
    noise = np.random.RandomState(len(parts))
    result = [
        tuple(np.array([row[column] for row in rows], kind) for column, kind in enumerate("iif"))
        for rows in parts
    ]
    close = [(q, i, v.astype(float) * (1 + 1e-13 * noise.randn(len(v)))) for q, i, v in result]
    expected = []
    for rows in parts:
        own = set()
        for query, item, value in rows:
            better = sum(v > value for other in parts for q, _, v in other if q == query)
            if better < k:
                own.add(item)
        expected.append(sorted(own))
    assert [items.tolist() for items in candidates(close, k)] == expected

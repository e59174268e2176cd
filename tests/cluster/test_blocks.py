"""Gram matrices and vectors in blocks: equal bits at any partitioning, and small graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees
from treekernels.cluster.workers.slicing import rows_of_a_task

TREES, LABELS = labelled_trees(50)
KERNELS = [
    tk.SubsetTreeKernel(),
    tk.PartialTreeKernel(normalize=False),
    0.5 * tk.SubsetTreeKernel(0.3) + tk.SubtreeKernel(),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_gram_has_equal_bits_at_any_partitioning(client: Any, kernel: tk.Kernel) -> None:
    result = []
    for count in (1, 3):
        data = tkd.partitions(TREES, count, client=client)
        with client.as_current():
            result.append(tkd.gram(kernel, data, block_rows=20).compute())
    np.testing.assert_array_equal(result[0], result[1])
    np.testing.assert_array_equal(result[0], result[0].T)
    np.testing.assert_allclose(result[0], kernel(TREES), rtol=1e-12)


def test_gram_of_two_sets(client: Any) -> None:
    data = tkd.partitions(TREES[:20], 3, client=client)
    with client.as_current():
        values = tkd.gram("sst", data, TREES[20:], block_rows=8, dtype="float32").compute()
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, tk.SubsetTreeKernel()(TREES[:20], TREES[20:]), rtol=1e-6)


@pytest.mark.parametrize(("count", "rows"), [(0, 256), (5452, 1024), (24_000, 4096), (10**9, 4096)])
def test_blocks_are_large_where_there_are_many(count: int, rows: int) -> None:
    assert rows_of_a_task(count, tasks=4, most=4096) == rows


def test_blocks_of_the_usual_size_have_equal_bits(client: Any) -> None:
    trees, _ = labelled_trees(600)
    with client.as_current():
        first, three = (
            tkd.gram("sst", tkd.partitions(trees, count, client=client)) for count in (1, 3)
        )
        assert first.chunks == three.chunks == ((256, 256, 88),) * 2
        np.testing.assert_array_equal(first.compute(), three.compute())


def test_gram_goes_to_files(client: Any, tmp_path: Path) -> None:
    zarr = pytest.importorskip("zarr")
    data = tkd.partitions(TREES, 3, client=client)
    with client.as_current():
        gram = tkd.gram("sst", data, block_rows=16)
        whole = gram.compute()
        gram.to_zarr(str(tmp_path / "gram.zarr"))
        mapped = tkd.to_npy(gram, tmp_path / "gram.npy")
    np.testing.assert_array_equal(zarr.open(str(tmp_path / "gram.zarr"))[:], whole)
    np.testing.assert_array_equal(mapped, whole)


@pytest.mark.parametrize("composition", ["sign", "convolution"])
def test_vectors_are_those_of_one_machine(client: Any, composition: Any) -> None:
    embedding = tk.DistributedTrees(128, composition=composition)
    expected = embedding.transform(TREES)
    for count in (1, 4):
        data = tkd.partitions(TREES, count, client=client)
        with client.as_current():
            vectors = tkd.embed(embedding, data)
            assert vectors.shape == (50, 128)
            np.testing.assert_array_equal(vectors.compute(), expected)


def test_links_are_counted_before(client: Any) -> None:
    data = tkd.partitions(TREES, 2, client=client)
    embedding = tk.DistributedTrees(64, min_df=2)
    with pytest.raises(tk.ParameterError, match="fit the embedding before"):
        tkd.embed(embedding, data)
    embedding.fit(TREES)
    with client.as_current():
        vectors = tkd.embed(embedding, data).compute()
    np.testing.assert_array_equal(vectors, embedding.transform(TREES))


class Measured(Exception):
    """Ends a computation before it begins."""


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each graph that is sent to a scheduler; those of arrays are not computed."""
    from distributed import Client
    from distributed.protocol import dumps

    sizes: list[int] = []
    send = Client._send_to_scheduler

    def measured(self: Any, message: Any) -> None:
        if message["op"] == "update-graph":
            sizes.append(sum(len(bytes(frame)) for frame in dumps(message)))
            if any(str(key).startswith("('treekernels") for key in message["keys"]):
                raise Measured
        send(self, message)

    monkeypatch.setattr(Client, "_send_to_scheduler", measured)
    return sizes


def test_graphs_are_small_whatever_the_data(client: Any, sent: list[int]) -> None:
    many, labels = labelled_trees(1000)
    data = tkd.partitions(many, 30, client=client)
    model = tk.TreePerceptron("sst").fit(many, labels)
    idf = tk.SubsetTreeKernel(weights=tk.InverseDocumentFrequency()).fitted_on(many)
    with client.as_current():
        arrays = [
            tkd.gram("sst", data, block_rows=34),
            tkd.gram(idf, data, block_rows=34),
            tkd.embed(tk.DistributedTrees(64), data),
            tkd.predict(model, data),
            tkd.decision_function(model, data),
        ]
        assert arrays[0].numblocks == (30, 30)
        for array in arrays:
            with pytest.raises(Measured):
                array.persist()
    # That of 364,000 trees has 89 times 89 blocks of the usual size.
    assert max(sent[-5:-3]) * (89 / 30) ** 2 < 1_000_000
    assert max(sent[-3:]) < 30_000
    few = tkd.partitions(many[:100], 4, client=client)
    before = len(sent)
    tkd.TreePerceptron("sst", epochs=1, client=client).fit(few, labels[:100])
    tkd.TreeSVC("sst", C=1, max_rounds=1, tol=10, client=client).fit(few, labels[:100])
    tkd.score(model, few, labels[:100])
    assert len(sent) > before + 20
    assert max(sent[before:]) < 10_000  # each task is sent by itself

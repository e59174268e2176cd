"""Small clusters, limits of time and labelled trees, for the tests of what runs on Dask."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest

pytest.importorskip("distributed", reason="the extra dask is not installed")

# What workers import, once for all of them: they are forked from a process that has done so.
_IMPORTED = [
    "dask.array",
    "distributed",
    "sklearn.linear_model",
    "treekernels.dask",
    "treekernels.embeddings",
]


def fork_workers() -> None:
    """Let new workers be there within a second, also when one that was killed is replaced."""
    import dask
    from distributed.utils import get_mp_context

    if hasattr(os, "fork"):
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
        get_mp_context().set_forkserver_preload(_IMPORTED)


fork_workers()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise a TimeoutError if it takes longer."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"this hangs: it has taken {seconds} seconds")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def small_cluster(workers: int = 2, **options: Any) -> Iterator[Any]:
    """Lend a client of a new cluster of processes."""
    import distributed

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", **options
        )
        client = distributed.Client(cluster, set_as_default=False)
        try:
            yield client
        finally:
            client.close()
            cluster.close()


def labelled_trees(count: int = 90, classes: int = 2, seed: int = 0) -> tuple[tk.Forest, Any]:
    """Random trees of several nodes, whose labels can be learned for the most part."""
    trees = [tree for tree in random_forest(2 * count, seed) if len(tree) > 1]
    forest = tk.Forest(trees[:count])
    return forest, labels_of(forest, classes, seed)


def labels_of(forest: tk.Forest, classes: int, seed: int) -> Any:
    """Label trees by how many nodes they have, with some mistakes."""
    sizes = np.array([text.count("(") for text in forest.to_brackets()])
    ranks = np.argsort(np.argsort(sizes, kind="stable"), kind="stable")
    numbers = ranks * classes // len(sizes)
    wrong = np.random.RandomState(seed).rand(len(sizes)) < 0.1
    numbers[wrong] = (numbers[wrong] + 1) % classes
    return np.array([f"class {number}" for number in numbers], object)

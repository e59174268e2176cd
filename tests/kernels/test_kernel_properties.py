"""What must hold for any kernel and any forest, and how a computation is run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from helpers import random_forest
from interruption import assert_hears_interrupt

MANY = random_forest(200, seed=1)
FEW = random_forest(60, seed=2)
OTHERS = random_forest(40, seed=3)


@pytest.mark.parametrize("others", [None, OTHERS], ids=["symmetric", "rectangular"])
def test_out_may_be_part_of_a_larger_matrix(others: Any) -> None:
    kernel = tk.SubsetTreeKernel()
    expected = kernel(FEW, others)
    rows, columns = expected.shape
    large = np.full((2 * rows, columns + 5), -1.0)
    kernel(FEW, others, out=large[::2, 2:-3])
    assert np.array_equal(large[::2, 2:-3], expected)
    large[::2, 2:-3] = -1.0
    assert (large == -1.0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 7, 8, 9, 64, 65, 129])
def test_any_size_and_place_in_memory(size: int, dtype: Any) -> None:
    """Rows are also written as columns, in blocks and cache lines that a matrix need not fill."""
    kernel = tk.SubsetTreeKernel()
    expected = kernel(MANY[:size], MANY[:size], dtype=dtype)
    for skip in range(0, 16, 3):
        large = np.full((size, size + 16), np.nan, dtype)
        out = kernel(MANY[:size], out=large[:, skip : skip + size])
        np.testing.assert_allclose(out, expected, rtol=1e-6 if dtype == np.float32 else 1e-12)
        assert np.array_equal(out, out.T)
        assert np.isnan(large[:, :skip]).all()
        assert np.isnan(large[:, skip + size :]).all()


def _read_only(matrix: np.ndarray) -> np.ndarray:
    matrix.flags.writeable = False
    return matrix


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty(4), r"out has shape \(4,\), and the matrix \(2, 2\)"),
        (np.empty((2, 2), np.int64), "out must be of float32 or float64, not int64"),
        (np.empty((2, 2), np.float16), "out must be of float32 or float64, not float16"),
        (np.empty((2, 2), np.dtype(np.float64).newbyteorder()), "out must be of float32 or"),
        (_read_only(np.empty((2, 2))), "out is read-only"),
        (np.empty((2, 2), order="F"), "rows of out must be contiguous"),
        (np.empty((2, 4))[:, ::2], "rows of out must be contiguous"),
        (np.lib.stride_tricks.as_strided(np.empty(4), (2, 2), (8, 8)), "overlap"),
    ],
)
def test_out_that_will_not_do(out: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tk.SubsetTreeKernel()(["(A b)", "(A c)"], out=out)


LONG = tk.Forest(random_forest(150, seed=4, size=400))


@pytest.mark.parametrize(
    "kernel",
    [
        tk.ElasticTreeKernel(),
        tk.PartialTreeKernel(algorithm="qtk"),
        tk.ElasticTreeKernel() + tk.ElasticTreeKernel(0.5),
        tk.NormalizedKernel(tk.ElasticTreeKernel(normalize=False)),
    ],
    ids=repr,
)
def test_progress(kernel: tk.Kernel) -> None:
    calls: list[tuple[int, int]] = []
    kernel(LONG, progress=lambda done, total: calls.append((done, total)))
    assert len(calls) > 1
    assert len({total for _, total in calls}) == 1
    assert all(0 <= done <= total for done, total in calls)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failing_progress_stops_the_computation(n_jobs: int) -> None:
    calls: list[int] = []

    def progress(done: int, total: int) -> None:
        calls.append(done)
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        tk.ElasticTreeKernel()(tk.Forest.concatenate([LONG] * 4), n_jobs=n_jobs, progress=progress)
    assert len(calls) == 1


# What `tests/pressing.py` does not do: one pair of nodes that takes minutes, calls of Python, and
# indexes that are made before the first value.
INTERRUPTIBLE = {
    "one pair of wide nodes": (
        "X = [f\"(A {' '.join(f'(B x{i})' for i in r)})\" for r in (range(60000), range(59999))]",
        "tk.PartialTreeKernel()(X)",
        0.7,
    ),
    "mapping": (
        "X = [range(i, i + 300) for i in range(1000)]",
        "tk.MappingKernel(list, lambda p, q: 1.0)(X)",
        0.3,
    ),
    "preparation": (
        "X = tk.Forest(random_forest(1500, seed=1, size=60))[np.arange(18000) % 1500]",
        "tk.SubsetTreeKernel()(X, n_jobs=1)",
        0.5,
    ),
    "paths of chains": (
        "X = tk.Forest(['(A ' * 9000 + word + ')' * 9000 for word in 'bc'])",
        "tk.SubpathKernel()(X)",
        0.3,
    ),
}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
@pytest.mark.parametrize(("prepare", "compute", "after"), INTERRUPTIBLE.values(), ids=INTERRUPTIBLE)
def test_interrupt(prepare: str, compute: str, after: float) -> None:
    assert_hears_interrupt(prepare, compute, after=after)

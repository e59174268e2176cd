"""What must hold for any kernel and any forest, and how a computation is run."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import treekernels as tk
from helpers import ALGORITHMS, SETTINGS, Setting, make, random_forest
from interruption import assert_hears_interrupt
from treekernels.testing.strategies import Tree, forests

CLOSE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
MANY = random_forest(200, seed=1)
FEW = random_forest(60, seed=2)
OTHERS = random_forest(40, seed=3)

every_kernel = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
any_forest = forests(max_trees=8, min_trees=1)


@every_kernel
def test_is_positive_semidefinite_on_many_trees(setting: Setting) -> None:
    assert np.linalg.eigvalsh(make(setting)(MANY)).min() >= -1e-9


@every_kernel
@given(forest=any_forest)
@settings(max_examples=15)
def test_normalized_range(setting: Setting, forest: list[Tree]) -> None:
    kernel = make(setting)
    matrix = kernel(forest)
    has_norm = make(setting, normalize=False).diag(forest) > 0
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert np.array_equal(np.diagonal(matrix), has_norm.astype(float))
    assert np.array_equal(kernel.diag(forest), has_norm.astype(float))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("kernel", [tk.SubtreeKernel(), tk.SubsetTreeKernel()], ids=repr)
def test_tree_without_norm(kernel: tk.Kernel, algorithm: Any) -> None:
    """A single node has no production, so no fragment."""
    kernel.set_params(algorithm=algorithm)
    forest = ["(A)", "(A b)", "(A)"]
    assert kernel(forest).tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert kernel(forest, ["(A)"]).tolist() == [[0], [0], [0]]
    assert kernel.diag(forest).tolist() == [0, 1, 0]


@every_kernel
def test_algorithms_agree(setting: Setting) -> None:
    for normalize in (True, False):
        corpus, ftk, qtk = (
            make(setting, normalize=normalize, algorithm=algorithm)(FEW) for algorithm in ALGORITHMS
        )
        np.testing.assert_allclose(ftk, corpus, rtol=1e-12, atol=0)
        np.testing.assert_allclose(qtk, corpus, rtol=1e-12, atol=0)


@every_kernel
def test_threads_change_no_bit_pair_by_pair(setting: Setting) -> None:
    forest = tk.Forest(FEW)
    for algorithm in ("ftk", "qtk"):
        kernel = make(setting, algorithm=algorithm)
        assert np.array_equal(kernel(forest, n_jobs=3), kernel(forest, n_jobs=1))


def test_n_jobs_of_the_kernel() -> None:
    two = tk.SubsetTreeKernel(n_jobs=2)
    assert np.array_equal(two(FEW), tk.SubsetTreeKernel()(FEW))
    with pytest.raises(ValueError, match="n_jobs = 0"):
        tk.SubsetTreeKernel(n_jobs=0)(FEW)


@every_kernel
def test_one_forest_or_two(setting: Setting) -> None:
    kernel = make(setting)
    both = tk.Forest(FEW + OTHERS)
    together = kernel(both[: len(FEW)], both[len(FEW) :])
    apart = kernel(tk.Forest(FEW), tk.Forest(OTHERS))
    np.testing.assert_allclose(apart, together, **CLOSE)
    np.testing.assert_allclose(together, kernel(both)[: len(FEW), len(FEW) :], **CLOSE)
    np.testing.assert_allclose(together, kernel(OTHERS, FEW).T, **CLOSE)


@every_kernel
def test_unrelated_trees_interned_before(setting: Setting) -> None:
    unrelated = [f"(U{i} (V{i} w{i}) (x u{i}) (A v{i}))" for i in range(50)]
    forest = tk.Forest(unrelated)
    forest.extend(FEW)
    np.testing.assert_allclose(make(setting)(forest[50:]), make(setting)(FEW), **CLOSE)


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


def test_out_and_dtype_must_agree() -> None:
    with pytest.raises(ValueError, match="out is of float64, but dtype says float32"):
        tk.SubsetTreeKernel()(["(A b)"], out=np.empty((1, 1)), dtype=np.float32)


@every_kernel
def test_blocks_make_up_the_whole(setting: Setting) -> None:
    kernel = make(setting)
    for rows, others in [(1, None), (7, OTHERS), (7, None), (1000, OTHERS), (None, None)]:
        blocks = list(kernel.blocks(FEW, others, rows=rows))
        assert [where.start for where, _ in blocks[1:]] == [where.stop for where, _ in blocks[:-1]]
        assert (blocks[0][0].start, blocks[-1][0].stop) == (0, len(FEW))
        whole = np.concatenate([block for _, block in blocks])
        np.testing.assert_allclose(whole, kernel(FEW, others), **CLOSE)


def test_blocks_need_rows() -> None:
    with pytest.raises(ValueError, match="rows must be an integer from 1 up, not 0"):
        list(tk.SubsetTreeKernel().blocks(FEW, rows=0))


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


@pytest.mark.serial
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_failing_progress_stops_the_computation(n_jobs: int) -> None:
    def progress(done: int, total: int) -> None:
        raise RuntimeError("enough")

    started = time.perf_counter()
    with pytest.raises(RuntimeError, match="enough"):
        tk.ElasticTreeKernel()(tk.Forest.concatenate([LONG] * 4), n_jobs=n_jobs, progress=progress)
    assert time.perf_counter() - started < 2


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

"""What must hold for any kernel and any forest, and how a computation is run."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
@given(forest=any_forest)
@settings(max_examples=15)
def test_is_symmetric_to_the_bit(setting: Setting, forest: list[Tree]) -> None:
    for normalize in (True, False):
        matrix = make(setting, normalize=normalize)(forest)
        assert np.array_equal(matrix, matrix.T)


@every_kernel
@given(forest=any_forest)
@settings(max_examples=15)
def test_is_positive_semidefinite(setting: Setting, forest: list[Tree]) -> None:
    assert np.linalg.eigvalsh(make(setting)(forest)).min() >= -1e-9


@every_kernel
def test_is_positive_semidefinite_on_many_trees(setting: Setting) -> None:
    assert np.linalg.eigvalsh(make(setting)(MANY)).min() >= -1e-9


@every_kernel
@given(forest=any_forest)
@settings(max_examples=15)
def test_cauchy_schwarz(setting: Setting, forest: list[Tree]) -> None:
    matrix = make(setting, normalize=False)(forest)
    norms = np.sqrt(np.diagonal(matrix))
    assert (matrix <= np.outer(norms, norms) * (1 + 1e-12)).all()


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
def test_threads_change_no_bit(setting: Setting) -> None:
    kernel, forest, others = make(setting), tk.Forest(MANY), tk.Forest(OTHERS)
    square, oblong = kernel(forest, n_jobs=1), kernel(others, forest, n_jobs=1)
    for n_jobs in (2, 5, -1):
        assert np.array_equal(kernel(forest, n_jobs=n_jobs), square)
        assert np.array_equal(kernel(others, forest, n_jobs=n_jobs), oblong)


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
def test_the_same_object_twice_is_symmetric(setting: Setting) -> None:
    kernel, forest = make(setting), tk.Forest(FEW)
    assert np.array_equal(kernel(forest, forest), kernel(forest))


@every_kernel
def test_duplicates_have_equal_rows(setting: Setting) -> None:
    """To the bit against other trees; among themselves rows and columns are summed in turn."""
    kernel, half = make(setting), len(FEW)
    against_others = kernel(FEW + FEW, OTHERS)
    assert np.array_equal(against_others[:half], against_others[half:])
    among_themselves = kernel(FEW + FEW)
    np.testing.assert_allclose(among_themselves[:half], among_themselves[half:], **CLOSE)


@every_kernel
def test_permutation(setting: Setting) -> None:
    kernel, forest = make(setting), tk.Forest(FEW)
    order = np.random.default_rng(0).permutation(len(FEW))
    permuted = kernel(forest)[np.ix_(order, order)]
    np.testing.assert_allclose(kernel(forest[order]), permuted, **CLOSE)
    np.testing.assert_allclose(kernel([FEW[i] for i in order]), permuted, **CLOSE)


@every_kernel
def test_unrelated_trees_interned_before(setting: Setting) -> None:
    unrelated = [f"(U{i} (V{i} w{i}) (x u{i}) (A v{i}))" for i in range(50)]
    forest = tk.Forest(unrelated)
    forest.extend(FEW)
    np.testing.assert_allclose(make(setting)(forest[50:]), make(setting)(FEW), **CLOSE)


@every_kernel
@given(forest=any_forest, other=any_forest)
@settings(max_examples=10)
def test_the_other_trees_do_not_matter(
    setting: Setting, forest: list[Tree], other: list[Tree]
) -> None:
    kernel = make(setting)
    whole = kernel(forest + other)[: len(forest), : len(forest)]
    np.testing.assert_allclose(kernel(forest), whole, **CLOSE)


@every_kernel
def test_single_precision(setting: Setting) -> None:
    matrix = make(setting)(FEW, dtype=np.float32)
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(matrix, make(setting)(FEW), rtol=1e-6, atol=1e-37)


def test_precision_must_be_known() -> None:
    with pytest.raises(ValueError, match="dtype must be 'float32' or 'float64', not "):
        tk.SubsetTreeKernel()(FEW, dtype=np.int64)


@every_kernel
def test_out_is_filled_and_returned(setting: Setting) -> None:
    kernel = make(setting)
    for dtype in (np.float32, np.float64):
        out = np.full((len(FEW), len(OTHERS)), np.nan, dtype)
        assert kernel(FEW, OTHERS, out=out) is out
        assert np.array_equal(out, kernel(FEW, OTHERS, dtype=dtype))


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_map(dtype: Any, tmp_path: Path) -> None:
    kernel = tk.SubsetTreeKernel()
    shape = (len(FEW), len(FEW))
    out = np.memmap(tmp_path / "gram", dtype=dtype, mode="w+", shape=shape)
    kernel(FEW, out=out)
    out.flush()
    stored = np.memmap(tmp_path / "gram", dtype=dtype, mode="r", shape=shape)
    np.testing.assert_allclose(
        stored, kernel(FEW, dtype=dtype), rtol=1e-6 if dtype == np.float32 else 1e-12
    )


@every_kernel
def test_blocks_make_up_the_whole(setting: Setting) -> None:
    kernel = make(setting)
    for rows, others in [(1, None), (7, OTHERS), (7, None), (1000, OTHERS), (None, None)]:
        blocks = list(kernel.blocks(FEW, others, rows=rows))
        assert [where.start for where, _ in blocks[1:]] == [where.stop for where, _ in blocks[:-1]]
        assert (blocks[0][0].start, blocks[-1][0].stop) == (0, len(FEW))
        whole = np.concatenate([block for _, block in blocks])
        np.testing.assert_allclose(whole, kernel(FEW, others), **CLOSE)


def test_blocks_of_single_precision() -> None:
    kernel = tk.SubsetTreeKernel()
    assert all(block.dtype == np.float32 for _, block in kernel.blocks(FEW, dtype=np.float32))


def test_blocks_need_rows() -> None:
    with pytest.raises(ValueError, match="rows must be an integer from 1 up, not 0"):
        list(tk.SubsetTreeKernel().blocks(FEW, rows=0))


@given(data=st.data())
@settings(max_examples=10)
def test_any_rows_of_the_forest(data: st.DataObject) -> None:
    forest = tk.Forest(FEW)
    kernel = tk.PartialTreeKernel()
    picks = data.draw(st.lists(st.integers(0, len(FEW) - 1), max_size=10))
    expected = kernel(forest)[np.ix_(picks, picks)]
    np.testing.assert_allclose(kernel(forest[picks]), expected, **CLOSE)


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


def test_verbose_changes_no_value() -> None:
    quiet = tk.SubsetTreeKernel()(FEW)
    assert np.array_equal(tk.SubsetTreeKernel(verbose=True)(FEW), quiet)


# Computations of minutes: what to prepare, and what to interrupt.
INTERRUPTIBLE = {
    "elastic": (
        "X = tk.Forest(random_forest(1000, seed=1, size=400))",
        "tk.ElasticTreeKernel()(X)",
    ),
    "partial": (
        "X = tk.Forest(random_forest(1000, seed=1, size=400))",
        "tk.PartialTreeKernel()(X, n_jobs=2)",
    ),
    "subset": (
        "X = tk.Forest([random_tree(3000, i, 'A', reach=3) for i in range(100)])",
        "tk.SubsetTreeKernel()(X)",
    ),
    "subset, all pairs": (
        "X = tk.Forest([random_tree(3000, i, 'A', reach=3) for i in range(100)])",
        "tk.SubsetTreeKernel(algorithm='qtk')(X)",
    ),
    "one pair of wide nodes": (
        "X = [f\"(A {' '.join(f'(B x{i})' for i in r)})\" for r in (range(60000), range(59999))]",
        "tk.PartialTreeKernel()(X)",
    ),
    "diagonal": (
        "X = tk.Forest([random_tree(3000, i, 'AB', reach=30) for i in range(100)])",
        "tk.ElasticTreeKernel().diag(X)",
    ),
    "mapping": (
        "X = [range(i, i + 300) for i in range(1000)]",
        "tk.MappingKernel(list, lambda p, q: 1.0)(X)",
    ),
}


# Where nothing was checked for seconds: indexes and lists that are made before the first value, and
# the pages of a large result, which the system clears when they are first written to.
LONG_WORK = "X = tk.Forest(random_forest(1500, seed=1, size=60))[np.arange(18000) % 1500]"
CHAINS = "X = tk.Forest(['(A ' * 9000 + word + ')' * 9000 for word in 'bc'])"
PREPARED: dict[str, tuple[str, str, list[float]]] = {
    "subset": (LONG_WORK, "tk.SubsetTreeKernel()(X, n_jobs=2)", [0.2, 0.8]),
    "subset, one thread": (LONG_WORK, "tk.SubsetTreeKernel()(X, n_jobs=1)", [0.8]),
    "subpath": (LONG_WORK, "tk.SubpathKernel()(X, n_jobs=2)", [0.5]),
    "paths of chains": (CHAINS, "tk.SubpathKernel()(X)", [0.3]),
    "diagonal of chains": (CHAINS, "tk.SubpathKernel().diag(X)", [0.3]),
}
DAILY = {"partial", "one pair of wide nodes", "subset, one thread", "paths of chains"}


def by_day_or_night(cases: dict[str, Any]) -> Any:
    """Take a few by day, which differ most, and the others with the slow tests."""
    return [
        pytest.param(*case, id=name, marks=[] if name in DAILY else [pytest.mark.slow])
        for name, case in cases.items()
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
@pytest.mark.parametrize(("prepare", "compute", "after"), by_day_or_night(PREPARED))
def test_interrupt_of_preparations(prepare: str, compute: str, after: list[float]) -> None:
    for seconds in after:
        assert_hears_interrupt(prepare, compute, after=seconds)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
@pytest.mark.parametrize(("prepare", "compute"), by_day_or_night(INTERRUPTIBLE))
def test_interrupt(prepare: str, compute: str) -> None:
    assert_hears_interrupt(prepare, compute, after=0.7)

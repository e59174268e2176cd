"""Conformance: what every kernel promises, as checks that any kernel can run.

If you write a kernel of your own, use them in a test:

>>> import pytest
>>> import treekernels as tk
>>> from treekernels.testing.conformance import check_kernel, kernel_checks
>>> @pytest.mark.parametrize(("name", "check"), kernel_checks())
... def test_my_kernel(name, check):
...     check(MyKernel())
>>> check_kernel(tk.SubtreeKernel(0.5))  # all of them at once

If a check does not apply, for instance because nothing can be tuned, it raises
`unittest.SkipTest`, which pytest understands. Any other failure is an ordinary exception.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import pickle
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from treekernels import kernels
from treekernels.data.columns import length as _count
from treekernels.kernels import Kernel
from treekernels.testing.checking import (
    data_frame,
    has_columns,
    on_column,
    refused,
    rows,
    trees,
    trees_of,
)

__all__ = ["check_kernel", "kernel_checks"]

_CHECKS: dict[str, Callable[..., None]] = {}

_close = functools.partial(assert_allclose, rtol=1e-10, atol=1e-12)


def kernel_checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """Return checks of kernels by name, each to be called as ``check(kernel, examples=None)``."""
    yield from _CHECKS.items()


def check_kernel(kernel: Any, examples: Any = None) -> None:
    """Run all checks of kernels.

    Parameters
    ----------
    kernel : Kernel
    examples : sequence of examples, optional
        Ten or more examples of the kind that the kernel looks at. By default they are trees.
    """
    for _, check in kernel_checks():
        with contextlib.suppress(SkipTest):
            check(kernel, examples)


def _check(check: Callable[[Kernel, Any], None]) -> Callable[..., None]:
    """Enter a check into the list, and give it its default examples."""

    @functools.wraps(check)
    def checked(kernel: Kernel, examples: Any = None) -> None:
        check(kernel, trees() if examples is None else examples)

    _CHECKS[check.__name__] = checked
    return checked


@_check
def matrix_is_symmetric_and_finite(kernel: Kernel, X: Any) -> None:
    matrix = kernel(X)
    assert matrix.shape == (_count(X), _count(X))
    assert np.isfinite(matrix).all()
    assert matrix.any()
    _close(matrix, matrix.T)


@_check
def matrix_is_positive_semidefinite(kernel: Kernel, X: Any) -> None:
    values = np.linalg.eigvalsh(kernel(X))
    assert values.min() >= -1e-9 * max(1.0, values.max())


@_check
def parts_that_count_make_a_kernel(kernel: Kernel, X: Any) -> None:
    """The pairs of a mapping kernel are symmetric and transitive, its local kernel symmetric."""
    checks = [leaf.check_mapping for leaf in kernel.leaves() if hasattr(leaf, "check_mapping")]
    if not checks:
        raise SkipTest("there is no mapping kernel")
    for check in checks:
        check(X)


@_check
def similarity_of_labels_makes_a_kernel(kernel: Kernel, X: Any) -> None:
    """Labels that match others do so by a positive semi-definite similarity."""
    smoothed: list[Any] = [
        leaf for leaf in kernel.leaves() if getattr(leaf, "similarity", None) is not None
    ]
    if not smoothed:
        raise SkipTest("labels match only themselves")
    for leaf in smoothed:
        assert leaf.check_similarity(X) >= -1e-6


@_check
def cauchy_schwarz_holds(kernel: Kernel, X: Any) -> None:
    matrix, norms = kernel(X), kernel.diag(X)
    assert (norms >= 0).all()
    bound = np.sqrt(norms[:, None] * norms)
    assert (np.abs(matrix) <= bound * (1 + 1e-9) + 1e-12).all()


@_check
def diagonal_is_that_of_the_matrix(kernel: Kernel, X: Any) -> None:
    norms = kernel.diag(X)
    assert norms.dtype == np.float64
    _close(norms, np.diagonal(kernel(X)))


@_check
def normalized_diagonal_is_one(kernel: Kernel, X: Any) -> None:
    if not kernel.get_params(deep=False).get("normalize"):
        raise SkipTest("the kernel is not normalised")
    norms = kernel.diag(X)
    _close(norms[norms != 0], 1)


@_check
def two_arguments_give_what_one_gives(kernel: Kernel, X: Any) -> None:
    assert_array_equal(kernel(X, X), kernel(X))
    _close(kernel(X, rows(X, slice(None))), kernel(X))


@_check
def exchanged_arguments_transpose(kernel: Kernel, X: Any) -> None:
    some, others = rows(X, slice(0, 4)), rows(X, slice(4, None))
    _close(kernel(some, others), kernel(others, some).T)


@_check
def part_of_the_examples_is_part_of_the_matrix(kernel: Kernel, X: Any) -> None:
    where = np.array([5, 1, 7, 1])
    _close(kernel(rows(X, where), X), kernel(X)[where])


@_check
def order_of_examples_does_not_matter(kernel: Kernel, X: Any) -> None:
    order = np.random.RandomState(0).permutation(_count(X))
    _close(kernel(rows(X, order)), kernel(X)[order][:, order])


@_check
def threads_give_the_same_bits(kernel: Kernel, X: Any) -> None:
    assert_array_equal(kernel(X, n_jobs=2), kernel(X, n_jobs=1))
    other = rows(X, slice(None, None, 2))
    assert_array_equal(kernel(X, other, n_jobs=3), kernel(X, other, n_jobs=1))


@_check
def blocks_make_up_the_matrix(kernel: Kernel, X: Any) -> None:
    whole = kernel(X)
    seen = np.zeros(_count(X), int)
    for where, block in kernel.blocks(X, rows=5):
        _close(block, whole[where])
        seen[where] += 1
    assert (seen == 1).all()
    other = rows(X, slice(3, None))
    _close(np.concatenate([block for _, block in kernel.blocks(X, other, rows=4)]), whole[:, 3:])


@_check
def an_array_or_a_file_is_filled(kernel: Kernel, X: Any) -> None:
    shape = (_count(X), _count(X))
    out = np.full(shape, np.nan)
    assert kernel(X, out=out) is out
    assert_array_equal(out, kernel(X))
    with tempfile.TemporaryDirectory() as folder:
        mapped = np.memmap(Path(folder) / "gram", np.float64, "w+", shape=shape)
        _close(np.array(kernel(X, out=mapped)), out)
        del mapped
    refused(kernel, X, out=np.empty((_count(X), _count(X) + 1)))


@_check
def single_precision_is_close(kernel: Kernel, X: Any) -> None:
    matrix = kernel(X, dtype=np.float32)
    assert matrix.dtype == np.float32
    assert_allclose(matrix, kernel(X), rtol=1e-5, atol=1e-6)
    refused(kernel, X, dtype=np.int64)


@_check
def no_examples_give_an_empty_matrix(kernel: Kernel, X: Any) -> None:
    none = rows(X, slice(0, 0))
    assert kernel(X, none).shape == (_count(X), 0)
    assert kernel.diag(none).shape == (0,)
    assert list(kernel.blocks(none)) == []


@_check
def one_example_is_enough(kernel: Kernel, X: Any) -> None:
    for place in range(_count(X)):
        example = rows(X, slice(place, place + 1))
        _close(kernel(example), [[kernel.diag(X)[place]]])


@_check
def single_nodes_and_chains_are_trees(kernel: Kernel, X: Any) -> None:
    trees_of(X)
    shapes = ["(x)", "(x x)", "(x (x (x (x x))))", "(x x x x x)"]
    matrix = kernel(shapes)
    assert np.isfinite(matrix).all()
    _close(matrix, kernel(shapes[::-1])[::-1, ::-1])


@_check
def forms_of_trees_are_equal(kernel: Kernel, X: Any) -> None:
    forest = trees_of(X)
    expected = kernel(forest)
    _close(kernel(forest.to_brackets()), expected)
    _close(kernel(np.array(forest.to_brackets(), dtype=object)), expected)
    _close(kernel(list(forest)), expected)
    _close(kernel(forest.to_brackets(), forest), expected)


@_check
def columns_are_equal_to_the_examples(kernel: Kernel, X: Any) -> None:
    from treekernels.data.table import Table

    if has_columns(X):
        raise SkipTest("the examples have columns already")
    looking = on_column(kernel, "column")
    expected = kernel(X)
    _close(looking({"column": X, "other": np.zeros(_count(X))}), expected)
    _close(looking(Table({"column": X})), expected)
    assert "column" in refused(looking, {"other": X})


@_check
def data_frames_are_equal_to_the_examples(kernel: Kernel, X: Any) -> None:
    frame = data_frame(X, np.arange(_count(X))[::-1])
    _close(on_column(kernel, "column")(frame), kernel(X))


@_check
def clones_have_equal_parameters(kernel: Kernel, X: Any) -> None:
    from sklearn.base import clone

    other = clone(kernel)
    assert other is not kernel
    assert other == kernel
    assert_array_equal(other(X), kernel(X))
    parameters = kernel.get_params(deep=False)
    assert kernel.get_params().items() >= parameters.items()
    assert other.set_params(**clone(kernel).get_params(deep=False)) is other
    assert other == kernel == type(kernel)(**parameters)
    refused(other.set_params, there_is_no_such_parameter=1)


@_check
def representation_makes_the_kernel_again(kernel: Kernel, X: Any) -> None:
    names = {**vars(kernels), type(kernel).__name__: type(kernel)}
    if "<" in repr(kernel):  # a function among the parameters
        raise SkipTest("the parameters cannot be written down")
    made = eval(repr(kernel), names)
    assert made == kernel or made == getattr(kernel, "value", None)


@_check
def pickled_kernels_are_equal(kernel: Kernel, X: Any) -> None:
    try:
        data = pickle.dumps(kernel)
    except (pickle.PicklingError, AttributeError):
        raise SkipTest("a function among the parameters cannot be pickled") from None
    other = pickle.loads(data)
    assert other == kernel
    assert_array_equal(other(X), kernel(X))


@_check
def computing_changes_nothing(kernel: Kernel, X: Any) -> None:
    before, examples = copy.deepcopy(kernel.get_params(deep=False)), copy.deepcopy(X)
    names = set(vars(kernel))
    expected = kernel(X)
    kernel.diag(X)
    list(kernel.blocks(X, rows=3))
    assert kernel.get_params(deep=False) == before
    assert set(vars(kernel)) == names
    assert_array_equal(kernel(examples), expected)


@_check
def sums_products_and_powers_are_those_of_values(kernel: Kernel, X: Any) -> None:
    matrix = kernel(X)
    _close((kernel + kernel)(X), 2 * matrix)
    _close((kernel * kernel)(X), matrix**2)
    _close((0.5 * kernel + 1)(X), 0.5 * matrix + 1)
    _close((kernel**2).diag(X), kernel.diag(X) ** 2)


@_check
def scikit_learn_takes_it_for_a_kernel(kernel: Kernel, X: Any) -> None:
    from sklearn.gaussian_process.kernels import Kernel as Theirs

    assert isinstance(kernel, Theirs)
    assert not kernel.requires_vector_input
    assert kernel.is_stationary() in (True, False)
    assert kernel.clone_with_theta(kernel.theta) == kernel
    matrix, gradient = kernel(X, eval_gradient=True)
    assert_array_equal(matrix, kernel(X))
    assert gradient.shape == (*matrix.shape, len(kernel.theta))


@_check
def gradient_is_that_of_differences(kernel: Kernel, X: Any) -> None:
    """Derivatives by the logarithms of what can be tuned are those that values show."""
    theta, step = kernel.theta, 1e-5
    if not len(theta):
        raise SkipTest("nothing can be tuned")
    assert kernel.bounds.shape == (len(theta), 2)
    _, gradient = kernel(X, eval_gradient=True)
    assert_array_equal(kernel(X, eval_gradient=True, n_jobs=2)[1], gradient)
    for place in range(len(theta)):
        beside = np.array([theta, theta])
        beside[:, place] += [-step, step]
        if np.exp(beside[1, place]) > 1:  # the largest decay
            beside[1, place] = theta[place]
        low, high = (kernel.clone_with_theta(theta)(X) for theta in beside)
        width = beside[1, place] - beside[0, place]
        scale = max(1.0, float(np.abs(gradient).max()))
        tolerance = (1e-6 if width > step else 1e-3) * scale
        assert_allclose(gradient[:, :, place], (high - low) / width, atol=tolerance)


@_check
def a_support_vector_machine_takes_it(kernel: Kernel, X: Any) -> None:
    from sklearn.svm import SVC

    y = np.arange(_count(X)) % 2
    machine = SVC(kernel="precomputed").fit(kernel(X), y)
    direct = SVC(kernel=kernel).fit(X, y)
    _close(direct.decision_function(X), machine.decision_function(kernel(X)))

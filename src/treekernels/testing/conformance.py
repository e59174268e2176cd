"""Conformance: what every kernel and every learner promises, as checks that any of them can run.

If you write a kernel or a learner of your own, use them in a test:

>>> import pytest
>>> import treekernels as tk
>>> from treekernels.testing.conformance import check_kernel, kernel_checks
>>> @pytest.mark.parametrize(("name", "check"), kernel_checks())
... def test_my_kernel(name, check):
...     check(MyKernel())
>>> check_kernel(tk.SubtreeKernel(0.5))  # all of them at once

If a check does not apply, for instance because there is no `partial_fit`, it raises
`unittest.SkipTest`, which pytest understands. Any other failure is an ordinary exception.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import SkipTest

from treekernels.testing import (
    kernel_conformance,
    learner_checking,
    learner_conformance,
    learner_streams,
)

_ENTERED = (learner_conformance, learner_streams)  # importing these enters their checks

__all__ = ["check_kernel", "check_learner", "kernel_checks", "learner_checks"]


def kernel_checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """Return checks of kernels by name, each to be called as ``check(kernel, examples=None)``."""
    yield from kernel_conformance.CHECKS.items()


def learner_checks() -> Iterator[tuple[str, Callable[..., None]]]:
    """Return checks of learners by name, each to be called as ``check(learner, X=None, y=None)``.

    The learner must be unfitted; every check makes a clone of it.
    """
    yield from learner_checking.CHECKS.items()


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


def check_learner(learner: Any, X: Any = None, y: Any = None) -> None:
    """Run all checks of learners.

    Parameters
    ----------
    learner : estimator
        A classifier or regressor with a parameter `kernel`.
    X, y : sequences, optional
        Forty or more examples that can be learned from, with every class among any dozen that
        stand side by side. By default they are trees.
    """
    for _, check in learner_checks():
        with contextlib.suppress(SkipTest):
            check(learner, X, y)

"""The problem of a support vector machine in its dual form, and what a solver gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel
from treekernels.learners.base.summand_scales import relative_scales


@dataclass(frozen=True)
class DualProblem:
    """One machine for each column of targets, all on the same examples."""

    kernel: Kernel
    examples: Examples
    target: Floats  # of shape (examples, outputs): 1 and -1, or the values of a regression
    # Of shape (examples, outputs): the largest coefficient that each example may have: C, times its
    # weights.
    bound: Floats
    epsilon: float | None  # the error that a regression does not mind; None for classification
    fit_intercept: bool

    @cached_property
    def scales(self) -> list[float]:
        """How large each summand of the kernel is beside the smallest."""
        return relative_scales(self.kernel, self.examples)


@dataclass(frozen=True)
class SolverOptions:
    """How to solve it: nothing here changes what the solution is, up to the tolerance."""

    title: str
    tol: float
    max_iter: int
    cache_size: float
    matrix_size: float  # megabytes up to which all pairs of examples are kept
    seed: int
    n_jobs: int
    verbose: bool


@dataclass(frozen=True)
class Solution:
    """Coefficients and intercepts, and how the solver came by them."""

    coefficients: Floats  # of shape (examples, outputs)
    intercept: Floats  # of shape (outputs,)
    # Attributes of the learner that say how the solver got on.
    course: dict[str, Any] = field(default_factory=dict)
    # Whether Ctrl-C came first; then the solution is what had been found by that time.
    interrupted: bool = False
    # Of shape (features, outputs): the weights of features, for summands of the kernel for which
    # they are known better than from the coefficients.
    weights: dict[int, Floats] = field(default_factory=dict)

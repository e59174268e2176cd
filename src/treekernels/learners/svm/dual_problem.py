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
    """One machine for each column of targets, all on the same examples.

    Attributes
    ----------
    kernel : Kernel
    examples : Examples
    target : array of shape (examples, outputs)
        1 and -1, or the values of a regression.
    bound : array of shape (examples, outputs)
        The largest coefficient that each example may have: C, times its weights.
    epsilon : float or None
        The error that a regression does not mind; None for classification.
    fit_intercept : bool
    """

    kernel: Kernel
    examples: Examples
    target: Floats
    bound: Floats
    epsilon: float | None
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
    """Coefficients and intercepts, and how the solver came by them.

    Attributes
    ----------
    coefficients : array of shape (examples, outputs)
    intercept : array of shape (outputs,)
    course : dict
        Attributes of the learner that say how the solver got on.
    interrupted : bool
        Whether Ctrl-C came first; the solution is then as good as it was by then.
    weights : dict of int to array of shape (features, outputs)
        The weights of features, for summands of the kernel for which they are known better than
        from the coefficients.
    """

    coefficients: Floats
    intercept: Floats
    course: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False
    weights: dict[int, Floats] = field(default_factory=dict)

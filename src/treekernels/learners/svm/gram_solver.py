"""Support vector machines by scikit-learn on the Gram matrix, for any kernel."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from treekernels.common.memory import free_memory
from treekernels.common.text import byte_count
from treekernels.errors import KernelMemoryError, ParameterError
from treekernels.learners.svm.dual_problem import DualProblem, Solution, SolverOptions

_STEPS_OF_AN_EPOCH = 1000
_BYTES_OF_AN_EXAMPLE = 1024  # of libsvm and of scikit-learn, counted generously
_MOST_STEPS = 2**31 - 1  # what fits into the numbers of libsvm


def solve_by_gram(problem: DualProblem, options: SolverOptions) -> Solution:
    """Return the solution of scikit-learn's machines, one column of targets after the other."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import SVC, SVR

    if not problem.fit_intercept:
        raise ParameterError("solver='gram' always has an intercept: use fit_intercept=True")
    target, epsilon = problem.target, problem.epsilon
    # Examples without weight are left out here: scikit-learn would lose count of the others.
    used = np.flatnonzero(problem.bound.any(axis=1))
    gram = problem.kernel(problem.examples.take(used), n_jobs=options.n_jobs)
    coefficients = np.zeros(target.shape)
    intercept = np.zeros(target.shape[1])
    common = {"kernel": "precomputed", "cache_size": options.cache_size, "tol": options.tol}
    iterations = 0
    stopped = False
    for output, (wanted, bound) in enumerate(
        zip(target[used].T, problem.bound[used].T, strict=True)
    ):
        some = np.flatnonzero(bound)
        # An epoch looks at each example once, and a step of scikit-learn changes two coefficients;
        # small problems that are left to it are ill-conditioned, and their steps take no time.
        steps = max(len(some), _STEPS_OF_AN_EPOCH)
        common["max_iter"] = min(options.max_iter * steps, _MOST_STEPS)
        square = gram if len(some) == len(used) else gram[np.ix_(some, some)]
        _check_memory(len(some), options.cache_size)
        machine: Any
        if epsilon is None:
            machine, goal = SVC(C=1.0, **common), wanted[some] > 0
        else:
            machine, goal = SVR(C=1.0, epsilon=epsilon, **common), wanted[some]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(square, goal, sample_weight=bound[some])
        stopped = stopped or bool(np.max(machine.n_iter_) >= common["max_iter"])
        coefficients[used[some[machine.support_]], output] = machine.dual_coef_[0]
        intercept[output] = machine.intercept_[0]
        iterations += int(np.sum(machine.n_iter_))
    if stopped:
        warnings.warn(
            f"{options.title} stopped after max_iter={options.max_iter} epochs: use a larger "
            "max_iter or tol, or a smaller C",
            ConvergenceWarning,
            stacklevel=2,
        )
    return Solution(coefficients, intercept, {"n_iter_": iterations})


def _check_memory(count: int, cache_size: float) -> None:
    """Raise a `KernelMemoryError` if libsvm may run out of memory, which would end the process.

    What it takes is known beforehand: rows of the matrix in single precision, as many as fit into
    its cache or as there are, and some numbers for each example.
    """
    rows = min(max(cache_size * 2**20, 8 * count), 4 * count**2)
    needed = int(rows) + _BYTES_OF_AN_EXAMPLE * (count + 1024)
    free = free_memory()
    try:
        if free is not None and needed > free:
            raise MemoryError
        np.empty(needed, np.uint8)  # a limit of this process, such as ulimit -v, would refuse it
    except MemoryError:
        raise KernelMemoryError(
            f"the machine of scikit-learn would need {byte_count(needed)} beside the Gram matrix, "
            "more than there is: use a smaller cache_size, or solver='forest'"
        ) from None

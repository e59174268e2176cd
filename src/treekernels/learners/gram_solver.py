"""Support vector machines by scikit-learn on the Gram matrix, for any kernel."""

from __future__ import annotations

import numpy as np

from treekernels.errors import ParameterError
from treekernels.learners.dual_problem import DualProblem, Solution, SolverOptions

__all__ = ["solve_by_gram"]


def solve_by_gram(problem: DualProblem, options: SolverOptions) -> Solution:
    """Return the solution of scikit-learn's machines, one column of targets after the other."""
    from sklearn.svm import SVC, SVR

    if not problem.fit_intercept:
        raise ParameterError("solver='gram' always has an intercept: use fit_intercept=True")
    target, epsilon = problem.target, problem.epsilon
    # Examples without weight are left out here: scikit-learn would lose count of the others.
    used = np.flatnonzero(problem.bound.any(axis=1))
    gram = problem.kernel(problem.examples.take(used).X, n_jobs=options.n_jobs)
    coefficients = np.zeros(target.shape)
    intercept = np.zeros(target.shape[1])
    common = {"kernel": "precomputed", "cache_size": options.cache_size, "tol": options.tol}
    iterations = 0
    for output, (wanted, bound) in enumerate(
        zip(target[used].T, problem.bound[used].T, strict=True)
    ):
        some = np.flatnonzero(bound)
        own = gram if len(some) == len(used) else gram[np.ix_(some, some)]
        if epsilon is None:
            machine = SVC(C=1.0, **common).fit(own, wanted[some] > 0, sample_weight=bound[some])
        else:
            machine = SVR(C=1.0, epsilon=epsilon, **common)
            machine.fit(own, wanted[some], sample_weight=bound[some])
        coefficients[used[some[machine.support_]], output] = machine.dual_coef_[0]
        intercept[output] = machine.intercept_[0]
        iterations += int(np.sum(machine.n_iter_))
    return Solution(coefficients, intercept, {"n_iter_": iterations})

"""TreeSVR: support vector regression on a weighted forest."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.common.checks import check_numbers, number, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.learners.base.callbacks import tearing_down
from treekernels.learners.base.comparison import Contest, compare_numbers, seed_of
from treekernels.learners.base.example_weights import check_sample_weight
from treekernels.learners.base.labels import one_column
from treekernels.learners.base.scikit_learn import RegressorPart
from treekernels.learners.models.model_owner import changes_model, reads_model
from treekernels.learners.svm.machine import Outputs, SupportVectorMachine

__all__ = ["TreeSVR"]


@parameter_class
class TreeSVR(RegressorPart, SupportVectorMachine):
    """Support vector regression: the same problem that scikit-learn's ``SVR`` solves.

    Parameters
    ----------
    C : float or "auto", default=1.0
        How much weight a training example may get; "auto" is one divided by the mean of K(x, x).
    epsilon : float, default=0.1
        Errors up to this size cost nothing.

    Notes
    -----
    The machine minimises [1]_::

        |w|^2 / 2 + C * sum_i max(0, |y_i - f(x_i)| - epsilon)

    with f and w as in `TreeSVC`.

    References
    ----------
    .. [1] A. J. Smola and B. Schölkopf, "A Tutorial on Support Vector Regression", Statistics and
       Computing 14(3), 2004.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(A b)", "(A (B b))", "(A (B (B b)))", "(A (B (B (B b))))"]
    >>> machine = tk.TreeSVR(C=100, epsilon=0.01, random_state=0).fit(trees, [1, 2, 3, 4])
    >>> machine.predict(trees).round(1).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    epsilon: float = 0.1

    parameter_rules = rules(epsilon=number(0), **SupportVectorMachine.parameter_rules)

    @tearing_down
    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeSVR:
        """Find the support examples.

        Parameters
        ----------
        X : sequence of examples
        y : sequence of float
        sample_weight : sequence of float, optional
            Factors for the C of each example.

        Returns
        -------
        self
        """
        self._check_parameters()
        values = check_numbers("y", one_column(y))
        target = values[:, None]
        outputs = Outputs(target, np.ones(target.shape), float(self.epsilon), {})
        contest = partial(self._contest, values, sample_weight)
        self._fit(X, values, sample_weight, lambda: outputs, contest)
        return self

    def _contest(self, y: Floats, sample_weight: Any) -> Contest:
        weights = None if sample_weight is None else check_sample_weight(sample_weight, len(y))
        return compare_numbers(y, self._penalty_for, seed_of(self.random_state), weights)

    @reads_model
    def predict(self, X: Any) -> Floats:
        """Return the value of each example."""
        values: Floats = self._scores(X)[:, 0] + self.intercept_[0]
        return values

    @reads_model
    def _state(self) -> dict[str, Any]:
        return self._machine_state()

    def _restore(self, state: dict[str, Any]) -> None:
        self._restore_machine(state, 1)

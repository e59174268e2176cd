"""TreeSVC: support vector classification on a weighted forest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MethodType
from typing import Any, Literal

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_flag, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.data.table import Table
from treekernels.learners.base.callbacks import tearing_down
from treekernels.learners.base.comparison import Contest, compare_classes, seed_of
from treekernels.learners.base.example_weights import (
    check_class_weight,
    combined_weights,
    weights_in_outputs,
    weights_of_classes,
)
from treekernels.learners.base.labels import encoded, known_classes, one_column, signs_of_classes
from treekernels.learners.base.learner import Classifier
from treekernels.learners.base.selection import Selection
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import changes_model, reads_model
from treekernels.learners.svm.machine import Outputs, SupportVectorMachine

__all__ = ["TreeSVC"]


def _weigh_examples(class_weight: Any, classes: Array, labels: Any, y: Any) -> Floats:
    """Return the weight of each example in each output."""
    count = len(classes)
    if class_weight is None:
        return weights_in_outputs(labels, count)
    if isinstance(class_weight, str) and count > 2:
        shares = np.bincount(labels, minlength=count) / len(labels)
        return weights_in_outputs(labels, count, shares=shares)
    return weights_in_outputs(labels, count, weights_of_classes(class_weight, classes, y))


class _WithProbability:
    """A method that a machine has only with ``probability=True``.

    scikit-learn has `available_if` for this, whose error does not say what to do.
    """

    def __init__(self, method: Callable[..., Floats]) -> None:
        self.method = method
        self.__doc__ = method.__doc__

    def __get__(self, machine: Any, owner: type) -> Any:
        if machine is None:
            return self.method
        if not machine.probability:
            raise AttributeError(
                "predict_proba needs probability=True, which has to be set before fit"
            )
        return MethodType(self.method, machine)


@parameter_class
class TreeSVC(Classifier, SupportVectorMachine):
    """A support vector machine; with more than two classes, each is set against all others.

    For each class it solves the same problem as scikit-learn's ``SVC(kernel="precomputed")``,
    including the intercept, by dual coordinate descent. All classes share each comparison of
    subtrees, and the memory it needs grows with the number of distinct subtrees and with
    `cache_size`. Where the Gram matrix fits into that cache (by default up to about 5,790
    examples), the descent makes and uses it, since that is faster; with more examples it does
    without.

    Parameters
    ----------
    kernel : Kernel, str or None, default="auto"
        The kernel, or an expression such as ``"sst(0.3)"`` that describes one. With "auto" or None,
        `fit` chooses it: it compares a portfolio of kernels on a sample of the training data, in
        rounds. All are compared on 300 examples or somewhat more, the better half of them on twice
        as many, and so on, up to a fourth of all examples, but at least 1,200 and at most 2,400.
        The score is the accuracy when one example after the other is left out, with kernel ridge
        regression for this C (`sklearn.kernel_ridge.KernelRidge` with ``alpha=1 / (2 * C)``),
        `class_weight` and `sample_weight`. The best mean wins; if a kernel that comes before it in
        the order of `selection_` is within two standard errors of it on the same examples, that one
        is taken. Subset trees come first in this order, and stay to the last round, alone and in
        sums, for large fragments gain most from more examples. The sample is that of
        `random_state`, and always the same without one. Kernels whose cost, estimated from the
        number of nodes, goes beyond some seconds are left out. Of several columns, each is looked
        at alone, and the sum of what was chosen is used: for trees as above, for vectors a
        normalised linear or an RBF kernel, and for anchored pairs the `TripartiteKernel`. With less
        than 20 examples, nothing is compared: the kernel is ``SubsetTreeKernel()`` for trees of
        less than 80 nodes, and what a `TreeIndex` would take for larger ones.
    C : float or "auto", default=10.0
        How much weight a training example may get. Normalised kernels lie between 0 and 1, for
        which 10 is a better start than the 1 of scikit-learn: docs/choosing.md has the
        measurements. "auto" is the default of SVM-light: one divided by the mean of K(x, x).
    class_weight : dict or "balanced", optional
        Factors for the C of the examples of each class. With more than two classes, the factor of
        a class applies to its own examples where it is set against all others (the cost factor j
        of SVM-light); "balanced" gives them as much weight as all others together.
    probability : bool, default=False
        Whether to calibrate probabilities as well, for `predict_proba`. That is done by
        cross-validation and takes five more fits.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    support_ : array of int
        The places of the training examples that have weight.
    support_examples_ : Forest or columns
        These examples themselves.
    dual_coef_ : array of shape (support examples, classes)
        Their weights; for two classes there is one column. Where a linear kernel is 100 times as
        large as another summand, its features have weights of their own, which say more than these.
    intercept_ : array
        One for each column of `dual_coef_`.
    kernel_ : Kernel
        The kernel that was used, with what it has learned.
    selection_ : Selection or None
        If `fit` has chosen the kernel, the table of what was compared, and a sentence on what was
        chosen.
    solver_ : str
        The solver that was used.
    n_iter_ : int
        How many epochs it took.
    objective_, gap_ : float
        The objective and the duality gap of all classes together, for solver "forest".

    Notes
    -----
    For each class, with labels y of 1 and -1, the machine minimises [1]_::

        |w|^2 / 2 + C * sum_i max(0, 1 - y_i * f(x_i)),    f(x) = sum_i alpha_i K(x_i, x) + b

    where ``|w|^2`` is ``sum_ij alpha_i alpha_j K(x_i, x_j)``. The descent changes one alpha at a
    time, as in [2]_, and keeps w as one DAG of weighted subtrees, as in [3]_.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-Vector Networks", Machine Learning 20(3), 1995.
    .. [2] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A Dual
       Coordinate Descent Method for Large-scale Linear SVM", ICML 2008.
    .. [3] G. Da San Martino, A. Sperduti, F. Aiolli and A. Moschitti, "Efficient Online Learning
       for Mapping Kernels on Linguistic Structures", AAAI 2019.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(T (A a) (B b))", "(T (C c) (A a))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> machine.predict(["(S (A x) (B b))", "(T (C x) (A a))"]).tolist()
    ['s', 't']
    >>> machine.support_examples_
    <Forest: 4 trees, 20 nodes, 10 distinct subtrees, 8 labels>

    Records of fields that stand in either order, for which subset trees are no use:

    >>> records = [f"(r (f{n} x) (a x) (b x) (g{n} x))" for n in range(15)]
    >>> others = [f"(r (f{n} x) (b x) (a x) (g{n} x))" for n in range(15, 30)]
    >>> kinds = ["ab"] * 15 + ["ba"] * 15
    >>> machine = tk.TreeSVC(random_state=0).fit(records + others, kinds)
    >>> machine.selection_.kernel
    SubsetTreeKernel() + TreeFeaturesKernel(weights='idf')
    """

    C: float | Literal["auto"] = 10.0
    class_weight: Any = None
    probability: bool = False

    parameter_rules = rules(
        class_weight=check_class_weight,
        probability=check_flag,
        **SupportVectorMachine.parameter_rules,
    )

    @tearing_down
    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeSVC:
        """Find the support examples.

        Parameters
        ----------
        X : sequence of examples
        y : sequence of labels
        sample_weight : sequence of float, optional
            Factors for the C of each example.

        Returns
        -------
        self
        """
        self._check_parameters()
        y = one_column(y)
        calibrate = partial(self._calibrate, X, y, sample_weight) if self.probability else None
        outputs = partial(self._outputs, y)
        contest = partial(self._contest, y, sample_weight)
        self._fit(X, y, sample_weight, outputs, contest, calibrate)
        return self

    def _contest(self, y: Array, sample_weight: Any) -> Contest:
        classes, labels = encoded(y)
        weights = combined_weights(sample_weight, self.class_weight, classes, labels)
        return compare_classes(y, self._penalty_for, seed_of(self.random_state), weights)

    def _outputs(self, y: Array) -> Outputs:
        classes, labels = encoded(y)
        target = signs_of_classes(labels, len(classes))
        weights = _weigh_examples(self.class_weight, classes, labels, y)
        return Outputs(target, weights, None, {"classes_": classes, "calibration_": None})

    def _merged(self, other: Any, theirs: Model, learned: dict[str, Any]) -> dict[str, Any]:
        return {**super()._merged(other, theirs, learned), "calibration_": None}

    @reads_model
    def decision_function(self, X: Any) -> Floats:
        """Return the scores: one for each class, or of the second class alone if there are two."""
        scores = self._scores(X) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _calibrate(self, X: Any, y: Any, sample_weight: Any, selection: Selection | None) -> Floats:
        """Fit sigmoids through scikit-learn; return their slopes and offsets.

        The clones have the same `class_weight`, of which the sigmoids themselves know nothing, and
        the kernel that was chosen, if one was.
        """
        from sklearn import get_config
        from sklearn.base import clone
        from sklearn.calibration import CalibratedClassifierCV

        plain = clone(self).set_params(probability=False, checkpoint=None, verbose=False)
        if selection is not None:
            plain.kernel = selection.kernel
        vars(plain).pop("_skl_callbacks", None)  # which watch this machine, not its clones
        if get_config().get("enable_metadata_routing", False):
            plain.set_fit_request(sample_weight=True)
        if isinstance(X, Mapping) and not hasattr(X, "shape"):
            X = Table(X)  # its length is that of its columns, as scikit-learn expects
        calibrated = CalibratedClassifierCV(plain, ensemble=False)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        calibrated.fit(X, y, **weights)
        sigmoids = calibrated.calibrated_classifiers_[0].calibrators
        return np.array([[sigmoid.a_, sigmoid.b_] for sigmoid in sigmoids])

    @_WithProbability
    @reads_model
    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class; this needs ``probability=True``.

        Returns
        -------
        array of shape (n_examples, n_classes)
            Its columns are in the order of `classes_`.
        """
        self._check_fitted()
        if self.calibration_ is None:
            raise AttributeError(
                "predict_proba needs probability=True when fitting, and a fit that was not "
                "interrupted before the calibration was done"
            )
        from scipy.special import expit

        scores = self.decision_function(X)
        slopes, offsets = self.calibration_.T
        if scores.ndim == 1:
            second = expit(-(slopes[0] * scores + offsets[0]))
            return np.column_stack([1 - second, second])
        shares = expit(-(slopes * scores + offsets))
        total = shares.sum(axis=1, keepdims=True)
        probabilities: Floats = np.where(
            total > 0, shares / np.maximum(total, 1e-300), 1 / len(slopes)
        )
        return probabilities

    @reads_model
    def _state(self) -> dict[str, Any]:
        return {
            **self._machine_state(),
            "classes": self.classes_,
            "calibration": self.calibration_,
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.classes_ = known_classes(state["classes"])
        self.calibration_ = state["calibration"]
        if self.calibration_ is not None and self.calibration_.shape[1:] != (2,):
            raise ValueError("the calibration has another shape")
        self._restore_machine(state, len(self.classes_) if len(self.classes_) > 2 else 1)

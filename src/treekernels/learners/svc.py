"""TreeSVC: support vector classification on a weighted forest."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone

from treekernels.common.checks import check_flag, rules
from treekernels.kernels import Kernel
from treekernels.learners.base import Matrix, encoded, known_classes
from treekernels.learners.dual_problem import DualProblem
from treekernels.learners.example_weights import check_class_weight, weights_of_classes
from treekernels.learners.model_owner import changes_model, reads_model
from treekernels.learners.svm import Solver, SupportVectorMachine, weigh_bounds

__all__ = ["TreeSVC"]


def _weigh_examples(class_weight: Any, classes: NDArray[Any], labels: Any, y: Any) -> Matrix:
    """Return the weight of each example in each output.

    With two classes there is one output, and both have a weight in it. With more there is one for
    each class, in which its weight is that of its own examples against all others.
    """
    count = len(classes)
    weights: Matrix = np.ones((len(labels), count if count > 2 else 1))
    own = labels[:, None] == np.arange(count)
    if count == 2:
        weights[:, 0] = weights_of_classes(class_weight, classes, y)[labels]
    elif isinstance(class_weight, str):  # "balanced": either side of an output weighs half
        share = own.mean(axis=0)
        weights = np.where(own, 0.5 / share, 0.5 / (1 - share))
    elif class_weight is not None:
        weights[own] = weights_of_classes(class_weight, classes, y)[labels]
    return weights


class TreeSVC(ClassifierMixin, SupportVectorMachine):  # type: ignore[misc]
    """A support vector machine, one against all others for more than two classes.

    The problem is that of scikit-learn's ``SVC(kernel="precomputed")``, intercept included, one for
    each class. It is solved by dual coordinate descent: all classes share each comparison of
    subtrees, and memory stays proportional to the distinct subtrees and `cache_size`. Where the
    Gram matrix fits into the cache (by default up to some 5,790 examples), the descent makes and
    uses it, since that is faster; beyond, it does without.

    Parameters
    ----------
    kernel : Kernel, default=SubsetTreeKernel()
    C : float or "auto", default=10.0
        How much a training example may weigh. Normalised kernels lie between 0 and 1, for which 10
        is a better start than the 1 of scikit-learn: docs/choosing.md has the measurements.
        "auto" is the default of SVM-light, one over the mean of K(x, x).
    solver : {"auto", "forest", "gram"}, default="auto"
        "forest" is the descent, which needs no Gram matrix; it takes tree kernels, mapping, linear
        and polynomial kernels, and their weighted sums. "gram" takes any kernel, makes the Gram
        matrix if it fits into memory, and hands it to scikit-learn.
        "auto" takes the first where it can, and the second also where the first is still not
        done after 300 epochs on at most 2,000 examples. For partial and elastic trees it lets the
        descent make a Gram matrix of up to 1 GB, or an eighth of the free memory if that is less,
        since they are far faster with it. `verbose` says what was chosen.
    tol : float, default=1e-3
        Stop when the duality gap is this part of the objective, over all classes.
    max_iter : int, default=10000
        Epochs at most.
    class_weight : dict or "balanced", optional
        Factors for the C of the examples of each class. With more than two classes, that of a
        class holds where it stands against all others, for its own examples (the cost factor j of
        SVM-light); "balanced" lets them weigh as much as all others together.
    fit_intercept : bool, default=True
    probability : bool, default=False
        Also fit `predict_proba`, by cross-validated calibration; that takes five more fits.
    cache_size : float, default=128
        Megabytes for comparisons that are kept instead of made again: all of them, 4 bytes each, if
        they fit, or else those needed most often.
    random_state : int, RandomState or None
        For the seed of the order in which examples are visited.
    checkpoint : path, optional
        Where `fit` saves its state now and then, and resumes from; removed at the end.
    n_jobs : int, optional
        Threads for prediction, for Gram matrices, and for looks at all examples.
    verbose : bool, default=False

    Attributes
    ----------
    classes_ : array
    support_ : array of int
        Which training examples have weight.
    support_examples_ : Forest or columns
    dual_coef_ : array of shape (support examples, classes)
        Their weights; one column for two classes. Where a linear kernel is 100 times as large as
        another summand, its features have weights of their own, which say more than these.
    intercept_ : array
    solver_ : str
        The solver that was used.
    n_iter_ : int
    objective_, gap_ : float
        Of all classes together, for solver "forest".

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (C c))", "(T (A a) (B b))", "(T (C c) (A a))"]
    >>> machine = tk.TreeSVC(C=10, random_state=0).fit(trees, ["s", "s", "t", "t"])
    >>> machine.predict(["(S (A x) (B b))", "(T (C x) (A a))"]).tolist()
    ['s', 't']
    >>> machine.support_examples_
    <Forest: 4 trees, 20 nodes, 10 distinct subtrees, 8 labels>
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        *,
        C: float | Literal["auto"] = 10.0,
        solver: Solver = "auto",
        tol: float = 1e-3,
        max_iter: int = 10_000,
        class_weight: Any = None,
        fit_intercept: bool = True,
        probability: bool = False,
        cache_size: float = 128,
        random_state: Any = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.probability = probability
        self.cache_size = cache_size
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.verbose = verbose

    parameter_rules = rules(
        class_weight=check_class_weight,
        probability=check_flag,
        **SupportVectorMachine.parameter_rules,
    )

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
        examples = self._examples(X, y)
        classes, labels = encoded(y)
        weights = _weigh_examples(self.class_weight, classes, labels, y)
        bound = weigh_bounds(self._penalty(examples) * weights, sample_weight)
        members = np.arange(len(classes)) if len(classes) > 2 else np.array([1])
        target = np.where(labels[:, None] == members, 1.0, -1.0)
        problem = DualProblem(self.kernel_, examples, target, bound, None, bool(self.fit_intercept))
        checkpoint = self._open_checkpoint(examples, target, bound)
        fitted, interrupted = self._solve(problem, checkpoint)
        calibration = None
        if self.probability and not interrupted:
            try:
                calibration = self._calibrate(X, y, sample_weight)
            except KeyboardInterrupt:  # the machine itself is there, and is kept
                interrupted = True
        fitted |= {"input_columns": examples.features}
        self._adopt({**fitted, "classes_": classes, "calibration_": calibration})
        if interrupted:
            raise KeyboardInterrupt
        if checkpoint is not None:
            checkpoint.remove()
        return self

    @reads_model
    def decision_function(self, X: Any) -> Matrix:
        """Return the scores: one for each class, or of the second class alone if there are two."""
        scores = self._scores(X) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @reads_model
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each example."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[chosen]
        return predicted

    def _calibrate(self, X: Any, y: Any, sample_weight: Any) -> Matrix:
        """Fit sigmoids through scikit-learn; return their slopes and offsets.

        The clones have the same `class_weight`, of which the sigmoids themselves know nothing.
        """
        from sklearn.calibration import CalibratedClassifierCV

        plain = clone(self).set_params(probability=False, checkpoint=None, verbose=False)
        calibrated = CalibratedClassifierCV(plain, ensemble=False).fit(X, y, sample_weight)
        sigmoids = calibrated.calibrated_classifiers_[0].calibrators
        return np.array([[sigmoid.a_, sigmoid.b_] for sigmoid in sigmoids])

    @reads_model
    def predict_proba(self, X: Any) -> Matrix:
        """Return the probability of each class; needs ``probability=True``."""
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
        probabilities: Matrix = np.where(
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

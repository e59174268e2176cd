"""What the learners have in common: the kernel, the examples, the classes."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import Rule, check_parameters, check_verbose, rules
from treekernels.common.progress import progress_bar
from treekernels.common.random_states import check_random_state
from treekernels.data.estimator import TreeEstimator
from treekernels.data.examples import Examples
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel, SubsetTreeKernel
from treekernels.kernels.base.kernel import check_n_jobs, thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.learners.base.comparison import Contest
from treekernels.learners.base.kernel_parameter import KernelParameter
from treekernels.learners.base.portfolio import default_kernel_for
from treekernels.learners.base.scikit_learn import CallbackSupport, ClassifierPart, Estimator
from treekernels.learners.base.selection import Selection, select_kernel
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import ModelOwner, reads_model
from treekernels.learners.models.summand_model import WeightedExamples


def _check_path(name: str, value: Any) -> Any:
    if value is not None and not isinstance(value, str | os.PathLike):
        raise ParameterError(f"{name} must be the name of a file, or None, not {value!r}")
    return value


def _check_random_state(name: str, value: Any) -> Any:
    check_random_state(value, name)
    return value


class Learner(ModelOwner, KernelParameter, TreeEstimator, CallbackSupport, Estimator):
    """An estimator whose model is a weighted sum of examples, seen through a kernel.

    Parameters
    ----------
    kernel : Kernel, str or None, default="auto"
        The kernel, or an expression such as ``"sst(0.3)"`` that describes one. With "auto" or None,
        `fit` chooses it as in `TreeSVC`; numbers are compared by R², and rankings by NDCG on whole
        queries.
    random_state : int, RandomState or None
        Determines the order in which examples are visited.
    checkpoint : path, optional
        A file in which `fit` saves its state now and then, and from which it resumes. It is removed
        at the end.
    n_jobs : int, optional
        Threads for learning and prediction; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar, and say what is done.
    """

    n_jobs: int | None
    verbose: bool
    chooses_kernel = True

    parameter_rules: Mapping[str, Rule] = rules(
        random_state=_check_random_state,
        checkpoint=_check_path,
        n_jobs=check_n_jobs,
        verbose=check_verbose,
    )

    _sometimes_fitted: tuple[str, ...] = ()  # attributes that not every fit sets

    def _adopt(self, fitted: Mapping[str, Any]) -> None:
        """Become what was learned aside, in one step: Ctrl-C comes before it or after it."""
        kept = {name: old for name, old in vars(self).items() if name not in self._sometimes_fitted}
        new = {name: value for name, value in fitted.items() if name != "_lock"}
        self.__dict__ = {**kept, **new}

    fitted_kernel_: Kernel | None = None  # where `fit` has learned weights of the kernel
    selection_: Selection | None = None  # where `fit` has chosen the kernel

    @property
    def kernel_(self) -> Kernel:
        """The kernel in use: what `fit` has chosen, or `kernel`, or what it describes as a text.

        Once the learner is fitted, it has the weights that `fit` has learned.
        """
        if self.fitted_kernel_ is not None:
            return self.fitted_kernel_
        if self._is_automatic():
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("kernel='auto' is chosen by fit, which has not been called yet")
        return as_kernel(self.kernel)

    def _kernel_fitted_on(
        self, examples: Examples, contest: Callable[[], Contest], *, separable: bool = False
    ) -> tuple[Kernel, dict[str, Any]]:
        """Return the kernel to learn with, and the attributes that say how it was learned.

        Parameters
        ----------
        contest : callable
            Says how kernels are compared, if there is one to be chosen.
        separable : bool, default=False
            Choose among kernels that can be learned with part by part.
        """
        selection = None
        if self._is_automatic():
            name = type(self).__name__
            selection = select_kernel(
                examples, contest(), name, thread_count(self.n_jobs), separable=separable
            )
            if self.verbose:
                print(f"{name}: {selection.sentence}")
        kernel = as_kernel(self.kernel) if selection is None else selection.kernel
        kernel.check_parameters()
        learned = selection is not None or kernel.needs_fit
        kernel = kernel.fitted_on(examples)
        return kernel, {"fitted_kernel_": kernel if learned else None, "selection_": selection}

    def _kernel_state(self) -> dict[str, Any]:
        """Return what there is to save of the kernel beside the parameters."""
        state: dict[str, Any] = {}
        if self.fitted_kernel_ is not None:
            state["kernel"] = self.fitted_kernel_
        if self.selection_ is not None:
            state["selection"] = self.selection_.state()
        return state

    def _restore_kernel(self, state: Mapping[str, Any]) -> None:
        self.fitted_kernel_ = state.get("kernel")
        if self.fitted_kernel_ is None and self._is_automatic():
            self.fitted_kernel_ = SubsetTreeKernel()  # the default where nothing was chosen
        if self.fitted_kernel_ is not None and not isinstance(self.fitted_kernel_, Kernel):
            raise ValueError("the learned kernel is not a kernel")
        selection = state.get("selection")
        self.selection_ = None if selection is None else Selection.restored(selection)

    def learned_kernel(self) -> Kernel:
        """Return the kernel that was learned with, whatever `kernel` has been set to since."""
        self._check_fitted()
        learned: Kernel = vars(self).get("_kernel") or self._model.kernel
        return learned

    def _check_parameters(self) -> None:
        """Raise a `ParameterError` if a parameter is not what it may be."""
        check_parameters(self, self.parameter_rules)

    def _check_fitted(self) -> None:
        if "_model" not in vars(self):  # to ask scikit-learn takes longer than to score a tree
            from sklearn.utils.validation import check_is_fitted

            check_is_fitted(self)

    def _learned_from(
        self, X: Any, y: Array, *, going_on: bool = False
    ) -> tuple[Examples, dict[str, Any]]:
        """Return what the kernel looks at of X, which has the labels y, and X's columns."""
        model = vars(self).get("_model") if going_on else None
        if model is not None:
            kernel = model.kernel
        elif self._is_automatic():
            kernel = default_kernel_for(X)
        else:
            kernel = as_kernel(self.kernel)
        examples, columns = self._take_examples(X, kernel, as_before=going_on)
        count = len(examples)
        if count != len(y):
            raise DataError(f"X has {count} examples, and y {len(y)} labels")
        if count == 0:
            raise DataError("there are no examples to learn from")
        return examples, columns

    def _examples(self, X: Any) -> Examples:
        """Return what the model looks at of X."""
        return self._examples_like_before(X, self._model.kernel)

    def _scores(self, X: Any) -> Floats:
        self._check_fitted()
        with progress_bar(type(self).__name__, verbose=bool(self.verbose)) as progress:
            return self._model.score(self._examples(X), Run(thread_count(self.n_jobs), progress))

    # Attributes that `_merged` asks another learner for.
    _merged_names: tuple[str, ...] = ("support_", "dual_coef_")

    def merge(self, other: Any) -> Any:
        """Add another fitted learner of the same kind: scores become the sum of both.

        Intercepts add up as well. `support_` has the places of both, each in its own training data.
        Probabilities are lost, and votes cannot be added up: use ``average="mean"`` or None.

        Parameters
        ----------
        other : learner of the same kind, parameters and classes
            It stays as it is.

        Returns
        -------
        self
        """
        self._check_fitted()
        if type(self) is not type(other):
            raise DataError(f"{type(self).__name__} and {type(other).__name__} do not add up")
        theirs, learned = other.copy_learned("classes_", *self._merged_names)
        classes = learned["classes_"]
        if classes is not None and not np.array_equal(vars(self)["classes_"], classes):
            raise DataError("only learners of the same classes add up")
        with self._lock.writing():
            self._adopt(self._merged(other, theirs, learned))
        return self

    def _merged(self, other: Any, theirs: Model, learned: dict[str, Any]) -> dict[str, Any]:
        """Return what the learner becomes with a copy of another's model and attributes.

        Learners without support examples do something else.
        """
        model = self._model.snapshot().restored()
        model.merge(theirs)
        both = {name: [vars(self)[name], learned[name]] for name in ("support_", "dual_coef_")}
        return {name: np.concatenate(arrays) for name, arrays in both.items()} | {"_model": model}

    @property
    @reads_model
    def n_model_nodes_(self) -> int:
        """The size of the model: distinct subtrees, and what other kernels keep."""
        self._check_fitted()
        return self._model.size

    @reads_model
    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        self._check_fitted()
        return self._model.feature_counts()

    @reads_model
    def weighted_examples(self) -> list[WeightedExamples]:
        """Return what was learned as weighted examples, one list for each kernel with fragments.

        The columns of the weights are those of `decision_function`.
        """
        self._check_fitted()
        return self._model.weighted_examples()


class Classifier(ClassifierPart, Learner):
    """A learner that chooses the class with the best score."""

    classes_: Array

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Return the scores: one for each class, or of the second class alone if there are two."""

    @reads_model
    def predict(self, X: Any) -> Array:
        """Return the class of each example."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted: Array = self.classes_[chosen]
        return predicted

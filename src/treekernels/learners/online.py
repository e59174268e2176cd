"""OnlineLearner: a classifier that learns from one example after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state

from treekernels.errors import DataError, ParameterError
from treekernels.kernels.base import Kernel, Run, thread_count
from treekernels.learners.base import Matrix
from treekernels.learners.callbacks import fit_task, tearing_down
from treekernels.learners.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.examples import Examples
from treekernels.learners.model import Model
from treekernels.learners.model_owner import changes_model, reads_model
from treekernels.learners.online_course import Average, OnlineCourse
from treekernels.learners.scales import relative_scales, warn_of_scales, warn_of_small_summands
from treekernels.learners.summand_model import WeightedExamples
from treekernels.learners.targets import encoded, one_column
from treekernels.learners.training_set import TrainingSet

__all__ = ["Average", "OnlineLearner"]


class OnlineLearner(ClassifierMixin, OnlineCourse):  # type: ignore[misc]
    """A classifier that sees one example after the other and changes its model when it has to."""

    @tearing_down
    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from scratch, going through the examples `epochs` times.

        Parameters
        ----------
        X : sequence of examples
        y : sequence of labels
        sample_weight : sequence of float, optional
            How much each example counts, times the weight of its class. One of weight 0 is left
            out, as if it were not there.

        Returns
        -------
        self
        """
        self._check_parameters()
        y = one_column(y)
        examples = self._examples(X, y)
        classes, labels = encoded(y)
        data = TrainingSet(examples, labels).weighted(sample_weight, self.class_weight, classes)
        if not len(data):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        kernel, fitted_kernel = self._kernel_fitted_on(data.examples)
        warn_of_scales(kernel, relative_scales(kernel, data.examples))
        warn_of_small_summands(kernel, data.examples)
        seed = int(check_random_state(self.random_state).randint(2**31))
        checkpoint = self._open_checkpoint(data, classes)
        learner = self._beginner(classes, seed, fitted_kernel)
        learner.input_columns_ = examples.features
        state = None if checkpoint is None else checkpoint.read()
        if state is not None:
            learner._restore(state)
        orders = learner._orders(len(data))
        with fit_task(self, X, y, sample_weight, len(orders)) as task, self._adopting(learner):
            if task.is_watched:
                learn = partial(learner._learn_by_epochs, data, orders, task, checkpoint)
            else:
                total = self.epochs * len(data)
                learn = partial(learner._learn, data, orders, total=total, checkpoint=checkpoint)
            learner._learn_whatever_size(learn)
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Go on learning from a batch, once, in the order given.

        A stream of batches gives the same model, up to rounding, as one big batch in the same
        order; batches of 256 examples and more are faster than single ones. Nothing is shuffled
        here: examples that come sorted by class make a poor model, so shuffle them
        before.

        Parameters
        ----------
        X : sequence of examples
        y : sequence of labels
        classes : sequence of labels, optional
            All classes that will ever come; needed in the first call, unless `y` has them all.
        sample_weight : sequence of float, optional
            As in `fit`. What ``class_weight="balanced"`` would be is not known from a batch; give
            weights by class instead.

        Returns
        -------
        self
        """
        self._check_parameters()
        y = one_column(y)
        examples = self._examples(X, y, going_on=True)
        self._learn_more(examples, y, classes, sample_weight)
        return self

    @changes_model
    def _learn_more(self, examples: Examples, y: Any, classes: Any, sample_weight: Any) -> None:
        if isinstance(self.class_weight, str):
            raise ParameterError(
                "class_weight='balanced' needs to see all examples, and partial_fit sees a batch: "
                "give it weights by class, such as those of compute_class_weight in "
                "sklearn.utils.class_weight"
            )
        known = getattr(self, "classes_", None)
        if known is None and self.kernel_.needs_fit:
            raise ParameterError(
                "the kernel's weights need to see all trees, and partial_fit sees a batch: give "
                "the learner kernel.fitted_on(trees), or begin with fit"
            )
        if known is not None and classes is not None:
            given = np.unique(np.asarray(classes))
            if not np.array_equal(given, known):
                raise DataError("the classes differ from those of the first call")
        all_classes, labels = encoded(y, known if known is not None else classes)
        data = TrainingSet(examples, labels).weighted(sample_weight, self.class_weight, all_classes)
        if known is None and len(data):
            warn_of_scales(self.kernel_, relative_scales(self.kernel_, data.examples))
        order = np.arange(len(data), dtype=np.uint32)
        learner = self if known is not None else self._beginner(all_classes, 0)
        learner.input_columns_ = examples.features
        with self._adopting(learner):
            learn = partial(learner._learn, data, [order], done=0, total=len(data))
            if known is None:
                learner._learn_whatever_size(learn)
            else:
                learn()

    def _beginner(
        self, classes: NDArray[Any], seed: int, fitted_kernel: Kernel | None = None
    ) -> Any:
        """Return a learner with the same parameters that has learned nothing yet.

        `fit` lets it learn aside, so that what was learned before is there until something new is.
        """
        learner = type(self)(**self.get_params(deep=False))
        learner.fitted_kernel_ = fitted_kernel
        learner._start(classes)
        learner._seed = seed
        return learner

    @contextmanager
    def _adopting(self, learner: OnlineLearner) -> Iterator[None]:
        """Become another learner in the end, and at Ctrl-C if it has learned something by then."""
        try:
            yield
        except KeyboardInterrupt:
            if learner.t_ > 0:
                self._adopt(vars(learner))
            raise
        self._adopt(vars(learner))

    def merge(self, other: OnlineLearner) -> OnlineLearner:
        """Add what another learner of the same kind has learned: scores become the sum of both.

        Parameters
        ----------
        other : fitted learner with the same parameters and classes
            It stays as it is. Votes cannot be added up: use ``average="mean"`` or None.

        Returns
        -------
        self
        """
        self._check_fitted()
        if type(self) is not type(other):
            raise DataError(f"{type(self).__name__} and {type(other).__name__} do not add up")
        theirs, learned = other.copy_learned("classes_", "t_", "n_updates_", "loss_")
        if not np.array_equal(self.classes_, learned["classes_"]):
            raise DataError("only learners of the same classes add up")
        if self.average != other.average or self.average == "vote":
            raise DataError("only learners with average='mean', or both with None, add up")
        with self._lock.writing():
            now = self._model
            merged = Model(now.kernel, now.n_outputs, one_by_one=now.one_by_one)
            together = self.t_ + learned["t_"]
            for model, time_ in ((now, self.t_), (theirs, learned["t_"])):
                factors = np.ones(merged.n_outputs)
                if self.average == "mean":  # the mean is the last model less its sum over the time
                    factors[self._n_outputs :] = together / max(1, time_)
                merged.merge(model, factors)
            self._model = merged
            self.t_ = together
            self.n_updates_ += learned["n_updates_"]
            self.loss_ += learned["loss_"]
        return self

    @reads_model
    def decision_function(self, X: Any) -> Matrix:
        """Return the scores: one for each class, or of the second class alone if there are two.

        With ``average="vote"`` a score is the share of the votes that a class gets, or for two
        classes the votes for the second less those for the first.
        """
        self._check_fitted()
        if self._votes is not None:
            run = Run(thread_count(self.n_jobs))
            scores = self._votes.count(self._kernel, self._examples(X), self.t_, run)
        else:
            scores = self._scores(X)
            if self.average == "mean":
                own, sums = np.split(scores, 2, axis=1)
                scores = own - sums / max(1, self.t_)
        return scores[:, 0] if self._n_outputs == 1 else scores

    @reads_model
    def weighted_examples(self) -> list[WeightedExamples]:
        """Return what was learned as weighted examples, the mean of all models if it is kept."""
        found = super().weighted_examples()
        if self.average == "mean":
            for weighted in found:
                now, before = np.split(weighted.weights, 2, axis=1)
                weighted.weights = now - before / max(1, self.t_)
        return found

    @reads_model
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each example."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted: NDArray[Any] = self.classes_[chosen]
        return predicted

    def _open_checkpoint(self, data: TrainingSet, classes: NDArray[Any]) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params()
        for name in ("checkpoint", "n_jobs", "verbose"):
            parameters.pop(name)
        digest = f"{classes.tolist()!r} {data.digest()}"
        name = type(self).__name__
        return Checkpoint(self.checkpoint, name, parameter_digest(parameters), digest)

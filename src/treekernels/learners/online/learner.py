"""OnlineLearner: learning from one example after the other on a weighted forest."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_flag, choice, integer, rules
from treekernels.common.native_errors import (
    MODEL_TOO_LARGE,
    SCORE_TOO_LARGE,
    translate_native_errors,
)
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import Progress, describe, progress_bar
from treekernels.common.random_states import check_random_state
from treekernels.data.examples import Examples
from treekernels.errors import DataError, KernelOverflowError, ParameterError
from treekernels.kernels.base.kernel import Kernel, thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.learners.base.callbacks import FitTask, fit_task, tearing_down
from treekernels.learners.base.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.base.comparison import Contest, compare_classes, seed_of
from treekernels.learners.base.example_weights import (
    TrainingSet,
    check_class_weight,
    combined_weights,
)
from treekernels.learners.base.labels import encoded, known_classes, one_column
from treekernels.learners.base.learner import Classifier, Learner
from treekernels.learners.base.summand_scales import (
    relative_scales,
    warn_of_scales,
    warn_of_small_summands,
)
from treekernels.learners.models.model import Model
from treekernels.learners.models.model_owner import changes_model, reads_model
from treekernels.learners.models.summand_model import WeightedExamples
from treekernels.learners.online.interruption import defer_interrupt
from treekernels.learners.online.votes import Votes

Average = Literal["vote", "mean"] | None

# Examples between two checkpoints. The larger, the more of their subtrees are looked at once.
_BATCH = 262144
_FEWEST_OF_STREAM = 100  # examples in a first batch that are worth a comparison of kernels
_PENALTY = 10.0  # of the machine by which kernels are compared, as in `TreeSVC`


@parameter_class
class OnlineLearner(Classifier):
    """A classifier that sees one example after the other and changes its model when it has to.

    Parameters
    ----------
    epochs : int, default=5
        How many times `fit` goes through the examples. `partial_fit` goes through them once.
    average : {"mean", "vote", None}, default="mean"
        Take the mean of all models that there were on the way, each for as long as it lasted
        ("mean"); let them vote ("vote"); or take the last one. The mean is as accurate as the votes
        (F1 0.842 and 0.843 on arguments of verbs), is one small model that can be merged and
        explained, and predicts many times faster: voting needs the kernel of an example with every
        support example.
    shuffle : bool, default=True
        Take the examples in random order in `fit`; those of a class often come together.
    solver : {"forest", "standard"}, default="forest"
        "forest" learns tree kernels, linear kernels and their weighted sums without comparing
        examples, and keeps support examples for other kernels. "standard" keeps support trees one
        by one and compares each example with all of them: the baseline of Da San Martino et al.
        (2019), and far slower. It also steps in where the trees are so large that their kernel
        values are numbers only once they are normalised.
    class_weight : dict or "balanced", optional
        Factors for the weights of the examples of each class, as in scikit-learn; "balanced" makes
        up for their numbers, in `fit` only. An example of weight w changes the model by w times as
        much. Time, over which models are averaged, goes on by one whatever an example weighs.
    """

    kernel: Kernel | str | None = "auto"
    _: KW_ONLY
    epochs: int = 5
    average: Average = "mean"
    shuffle: bool = True
    random_state: Any = None
    solver: Literal["forest", "standard"] = "forest"
    class_weight: Any = None
    checkpoint: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        epochs=integer(1),
        average=choice("vote", "mean", None),
        shuffle=check_flag,
        solver=choice("forest", "standard"),
        class_weight=check_class_weight,
        **Learner.parameter_rules,
    )

    @abstractmethod
    def _rule(self) -> tuple[_native.Rule, float]:
        """Return the rule by which the model changes, and its parameter."""

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
        examples, columns = self._learned_from(X, y)
        classes, labels = encoded(y)
        data = TrainingSet(examples, labels).weighted(sample_weight, self.class_weight, classes)
        if not len(data):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        contest = partial(self._compare_on, data, classes)
        kernel, about_kernel = self._kernel_fitted_on(data.examples, contest)
        warn_of_scales(kernel, relative_scales(kernel, data.examples))
        warn_of_small_summands(kernel, data.examples)
        seed = int(check_random_state(self.random_state).randint(2**31))
        checkpoint = self._open_checkpoint(data, classes)
        learner = self._beginner(classes, seed, about_kernel)
        learner.input_columns_ = columns
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
            learner._model.settle()
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _contest(self, y: Array, sample_weight: Any) -> Contest:
        classes, labels = encoded(y)
        weights = combined_weights(sample_weight, self.class_weight, classes, labels)
        return compare_classes(y, lambda mean: _PENALTY, seed_of(self.random_state), weights)

    def _compare_on(self, data: TrainingSet, classes: Array) -> Contest:
        y, seed = classes[data.labels], seed_of(self.random_state)
        return compare_classes(y, lambda mean: _PENALTY, seed, data.weights)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Go on learning from a batch, once, in the order given.

        A stream of batches gives the same model, up to rounding, as one big batch in the same
        order; batches of 256 examples and more are faster than single ones. Nothing is shuffled
        here: examples that come sorted by class make a poor model, so shuffle them
        before. With ``kernel="auto"``, the kernel is chosen by the first batch if that has 100
        examples or more, and is the default kernel otherwise; it is never chosen again.

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
        examples, columns = self._learned_from(X, y, going_on=True)
        self._learn_more(examples, columns, y, classes, sample_weight)
        return self

    @changes_model
    def _learn_more(
        self,
        examples: Examples,
        columns: dict[str, Any],
        y: Array,
        classes: Any,
        sample_weight: Any,
    ) -> None:
        if isinstance(self.class_weight, str):
            raise ParameterError(
                "class_weight='balanced' needs to see all examples, and partial_fit sees a batch: "
                "give it weights by class, such as those of compute_class_weight in "
                "sklearn.utils.class_weight"
            )
        known = getattr(self, "classes_", None)
        if known is None and not self._is_automatic() and self.kernel_.needs_fit:
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
        order = np.arange(len(data), dtype=np.uint32)
        learner = self if known is not None else self._beginner_of_stream(data, all_classes)
        learner.input_columns_ = columns
        with self._adopting(learner):
            learn = partial(learner._learn, data, [order], done=0, total=len(data))
            if known is None:
                learner._learn_whatever_size(learn)
            else:
                learn()

    def _beginner_of_stream(self, data: TrainingSet, classes: Array) -> Any:
        """Return a learner that begins with a batch, by which its kernel is chosen if need be."""
        about_kernel: dict[str, Any] = {}
        if self._is_automatic():

            def contest() -> Contest:
                return replace(self._compare_on(data, classes), fewest=_FEWEST_OF_STREAM)

            _, about_kernel = self._kernel_fitted_on(data.examples, contest)
        learner = self._beginner(classes, 0, about_kernel)
        if len(data):
            warn_of_scales(learner.kernel_, relative_scales(learner.kernel_, data.examples))
        return learner

    def _beginner(
        self, classes: Array, seed: int, about_kernel: Mapping[str, Any] | None = None
    ) -> Any:
        """Return a learner with the same parameters that has learned nothing yet.

        `fit` lets it learn aside, so that what was learned before is there until something new is.
        """
        learner = type(self)(**self.get_params(deep=False))
        for name, value in (about_kernel or {}).items():
            setattr(learner, name, value)
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

    def _start(self, classes: Array, solver: str | None = None) -> None:
        self._check_parameters()
        self.solver_ = solver or self.solver
        self.classes_ = classes
        self._n_outputs = 1 if len(classes) == 2 else len(classes)
        self._votes = Votes(self._n_outputs) if self.average == "vote" else None
        outputs = self._n_outputs * (2 if self.average == "mean" else 1)
        kernel = self._kernel = self.kernel_.remembering()
        if self.solver == "standard":
            kernel = one_by_one(kernel)
        self._model = Model(kernel, outputs, one_by_one=self.solver_ == "standard")
        self.t_ = 0
        self.n_updates_ = 0
        self.loss_ = 0.0

    def _orders(self, count: int) -> list[NDArray[np.uint32]]:
        random = np.random.RandomState(self._seed)
        orders = []
        for _ in range(self.epochs):
            order = random.permutation(count) if self.shuffle else np.arange(count)
            orders.append(order.astype(np.uint32))
        return orders

    def _learn_whatever_size(self, learn: Callable[[], None]) -> None:
        """Learn, from scratch with trees one by one if they are too large for a weighted forest.

        Their normalised values are numbers then, but those of the forest are not.
        """
        try:
            learn()
        except KernelOverflowError:
            if self.solver_ == "standard":
                raise
            self._start(self.classes_, "standard")
            learn()

    def _learn(
        self,
        data: TrainingSet,
        orders: list[NDArray[np.uint32]],
        *,
        total: int,
        done: int | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Go through the examples in the orders given, but for the first `done` of them.

        These are by default all that it has seen.
        """
        done = self.t_ if done is None else done
        size = self._model.batch_size or _BATCH
        order = np.concatenate(orders)
        started = time.perf_counter()
        too_large = MODEL_TOO_LARGE if self.solver_ == "forest" else SCORE_TOO_LARGE
        with (
            translate_native_errors(too_large),
            progress_bar(type(self).__name__, verbose=bool(self.verbose)) as bar,
        ):
            for first in range(done, len(order), size):
                batch = order[first : first + size]
                if bar is not None:
                    speed = (first - done) / max(1e-9, time.perf_counter() - started)
                    describe(bar, self._describe(speed))
                progress = _batch_progress(bar, first, total)
                self._learn_batch(data, batch, progress)
                if checkpoint is not None and first + size < len(order):
                    checkpoint.write(self._state())

    def _learn_by_epochs(
        self,
        data: TrainingSet,
        orders: list[NDArray[np.uint32]],
        task: FitTask,
        checkpoint: Checkpoint | None,
    ) -> None:
        """Do the same with callbacks, which are called for each epoch and may end it there.

        Some of the epochs may have been done before, as a checkpoint tells.
        """
        count = len(data)
        for number, order in enumerate(orders):
            done = min(count, max(0, self.t_ - number * count))
            learn = partial(
                self._learn, data, [order], done=done, total=count, checkpoint=checkpoint
            )
            if task.run_epoch(learn, self._learned_so_far):
                return

    def _learned_so_far(self) -> dict[str, Any]:
        """Return what another learner of the same parameters needs to predict like this one."""
        parameters = self.get_params(deep=False)
        learned = {
            name: value
            for name, value in vars(self).items()
            if name not in parameters and name != "_lock"
        }
        return {**learned, "_model": self._model.snapshot().restored()}

    def _describe(self, speed: float) -> str:
        return (
            f"loss {self.loss_ / max(1, self.t_):.3f}, {self.n_updates_:,} updates, "
            f"{self._model.size:,} nodes, {speed:,.0f} examples/s"
        )

    def _learn_batch(self, data: TrainingSet, batch: NDArray[np.uint32], progress: Any) -> None:
        if self._model.batch_size is not None:  # only these examples are compared with each other
            data = data.take(batch.astype(np.intp))
            batch = np.arange(len(batch), dtype=np.uint32)
        rule, C = self._rule()
        mean = self.average == "mean"
        summands = self._model.native_summands(data.examples)
        with defer_interrupt(progress) as listening:
            loss, self.t_, updates, failure = _native.learn_online(
                *(summands, rule, C, len(self.classes_), mean),
                *(data.labels, batch, self.t_, thread_count(self.n_jobs)),
                *(listening, data.weights),
            )
            self.loss_ += loss
            self.n_updates_ += len(updates[0])
            if self._model.keeps_examples or self._votes is not None:
                self._note(data.examples, updates)
        if isinstance(failure, BaseException):  # Ctrl-C, or whatever else ended it
            raise failure

    def _note(self, examples: Examples, updates: Any) -> None:
        """Keep the examples that have changed the model, with their coefficients."""
        times, places, to, from_, amounts = updates
        alphas = np.zeros((len(times), self._model.n_outputs))
        rows = np.arange(len(times))
        alphas[rows, to] += amounts
        several = from_ != np.uint32(0xFFFFFFFF)
        alphas[rows[several], from_[several]] -= amounts[several]
        if self.average == "mean":
            alphas[:, self._n_outputs :] = alphas[:, : self._n_outputs] * times[:, None]
        support = examples.take(places.astype(np.intp))
        self._model.note_learned(support, alphas)
        if self._votes is not None and len(times):
            self._votes = self._votes.extended(support, alphas, times)

    _merged_names = ("t_", "n_updates_", "loss_")

    def _merged(self, other: Any, theirs: Model, learned: dict[str, Any]) -> dict[str, Any]:
        if self.average != other.average or self.average == "vote":
            raise DataError("only learners with average='mean', or both with None, add up")
        now = self._model
        merged = Model(now.kernel, now.n_outputs, one_by_one=now.one_by_one)
        together = self.t_ + learned["t_"]
        for model, time_ in ((now, self.t_), (theirs, learned["t_"])):
            factors = np.ones(merged.n_outputs)
            if self.average == "mean":  # the mean is the last model less its sum over the time
                factors[self._n_outputs :] = together / max(1, time_)
            merged.merge(model, factors)
        return {
            "_model": merged,
            "t_": together,
            "n_updates_": self.n_updates_ + learned["n_updates_"],
            "loss_": self.loss_ + learned["loss_"],
        }

    @reads_model
    def decision_function(self, X: Any) -> Floats:
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
                scores = self._mean(scores)
        return scores[:, 0] if self._n_outputs == 1 else scores

    @reads_model
    def weighted_examples(self) -> list[WeightedExamples]:
        """Return what was learned as weighted examples, the mean of all models if it is kept."""
        examples = super().weighted_examples()
        if self.average == "mean":
            for weighted in examples:
                weighted.weights = self._mean(weighted.weights)
                if weighted.features is not None:
                    weighted.features = self._mean(weighted.features)
        return examples

    def _mean(self, weights: Floats) -> Floats:
        """Return the mean of all models from the last one and the sums, side by side."""
        current, sums = np.split(weights, 2, axis=1)
        mean: Floats = current - sums / max(1, self.t_)
        return mean

    def _open_checkpoint(self, data: TrainingSet, classes: Array) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params()
        for name in ("checkpoint", "n_jobs", "verbose"):
            parameters.pop(name)
        digest = f"{classes.tolist()!r} {data.digest()}"
        name = type(self).__name__
        return Checkpoint(self.checkpoint, name, parameter_digest(parameters), digest)

    @reads_model
    def _state(self) -> dict[str, Any]:
        self._check_fitted()
        return {
            "classes": self.classes_,
            "t": self.t_,
            "n_updates": self.n_updates_,
            "loss": self.loss_,
            "solver": self.solver_,
            "seed": self._seed,
            "model": self._model.state(),
            "votes": None if self._votes is None else self._votes.state(),
            **self._kernel_state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._restore_kernel(state)
        solver = choice("forest", "standard")("solver", state.get("solver", self.solver))
        self._start(known_classes(state["classes"]), solver)
        self.t_ = int(state["t"])
        self.n_updates_ = int(state["n_updates"])
        if min(self.t_, self.n_updates_) < 0 or self.t_ >= 2**63:
            raise ValueError("not as many examples as can be seen")
        self.loss_ = float(state["loss"])
        self._seed = int(state["seed"])
        self._model.restore(state["model"])
        if self._votes is not None:
            self._votes.restore(state["votes"], self.kernel_)


def one_by_one(kernel: Any) -> Any:
    """Return a kernel that compares trees pair by pair, as a standard kernel perceptron does."""
    from sklearn.base import clone

    if not any("algorithm" in leaf.get_params(deep=False) for leaf in kernel.leaves()):
        return kernel
    copy = clone(kernel)
    for leaf in copy.leaves():
        if "algorithm" in leaf.get_params(deep=False):
            leaf.algorithm = "ftk"
    return copy


def _batch_progress(bar: Progress | None, before: int, total: int) -> Progress | None:
    if bar is None:
        return None
    return lambda done, _: bar(before + done, total)

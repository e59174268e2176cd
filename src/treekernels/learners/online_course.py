"""OnlineCourse: how an on-line learner goes from example to example, and what it keeps of them."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.checks import check_flag, choice, integer, rules
from treekernels.common.native_errors import (
    MODEL_TOO_LARGE,
    SCORE_TOO_LARGE,
    translate_native_errors,
)
from treekernels.common.progress import Progress, describe, progress_bar
from treekernels.errors import KernelOverflowError
from treekernels.kernels.base import thread_count
from treekernels.learners.base import Learner
from treekernels.learners.callbacks import FitTask
from treekernels.learners.checkpoints import Checkpoint
from treekernels.learners.example_weights import check_class_weight
from treekernels.learners.examples import Examples
from treekernels.learners.interrupts import defer_interrupt
from treekernels.learners.model import Model
from treekernels.learners.model_owner import reads_model
from treekernels.learners.targets import known_classes
from treekernels.learners.training_set import TrainingSet
from treekernels.learners.votes import Votes

__all__ = ["Average", "OnlineCourse"]

Average = Literal["vote", "mean"] | None

# Examples between two checkpoints. The larger, the more of their subtrees are looked at once.
_BATCH = 262144


class OnlineCourse(Learner):
    """A model that changes from example to example, with all that is needed to go on later."""

    epochs: int
    average: Average
    shuffle: bool
    random_state: Any
    solver: str
    class_weight: Any
    checkpoint: Any

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

    def _start(self, classes: NDArray[Any], solver: str | None = None) -> None:
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

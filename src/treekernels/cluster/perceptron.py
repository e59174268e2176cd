"""TreePerceptron on a cluster, by iterative parameter mixing."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treekernels.cluster.learning.labels import ClassLabels
from treekernels.cluster.learning.learner import ClusterLearner, sum_of_models
from treekernels.cluster.learning.shards import (
    columns_of_parts,
    examples_of,
    joined_parts,
    training_set,
    weights_for,
)
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.recovery import repeat, results_of, send
from treekernels.common.checks import integer, optional, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.common.progress import describe, progress_bar
from treekernels.errors import DataError, ParameterError
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.base.example_weights import TrainingSet
from treekernels.learners.models.model import ModelSnapshot
from treekernels.learners.perceptron import TreePerceptron as LocalPerceptron

__all__ = ["TreePerceptron"]


@parameter_class
class TreePerceptron(ClusterLearner, LocalPerceptron):
    """The perceptron on the partitions of a cluster, mixed after every epoch.

    In each epoch every partition goes on from the same model, through its own examples, in random
    order (McDonald, Hall and Mann 2010). The next epoch starts from the mean of the models that
    come out, each weighted by the number of its examples. With one partition it learns what the
    ordinary `treekernels.TreePerceptron` learns.

    Parameters
    ----------
    epochs : int, optional
        How many times to go through the examples. By default five times for each partition that
        has some, but not more than twenty times: in a mean of four models, what one of them learns
        counts a fourth, and it takes four times as many epochs to get as far.
    average : {"mean", None}, default="mean"
        The mean of all models on the way, in all partitions and epochs, or the last mixed one.
        Votes cannot be mixed.
    checkpoint : path, optional
        A file in which `fit` saves its state after each epoch, and from which it resumes. It is
        removed at the end.

    Attributes
    ----------
    classes_, t_, n_updates_, loss_
        As for `treekernels.TreePerceptron`, over all partitions.
    """

    fixed_parameters = ("solver",)
    epochs: int | None = None  # type: ignore[assignment]
    client: Any = None

    solver = "forest"
    local_class = LocalPerceptron
    free_to_change = ("epochs",)
    parameter_rules = rules(**{**LocalPerceptron.parameter_rules, "epochs": optional(integer(1))})

    def fit_partitions(
        self, data: Partitions, y: Partitions, sample_weight: Any, about_kernel: dict[str, Any]
    ) -> Checkpoint | None:
        """Learn from all partitions, `epochs` times."""
        kernel = about_kernel["fitted_kernel_"] or self.checked_kernel()
        if self.average == "vote":
            raise ParameterError("votes cannot be mixed: use average='mean' or None")
        labels = ClassLabels.of(y).weighted(self.class_weight)
        columns = [data.map(examples_of, kernel), y, weights_for(sample_weight, data)]
        shards = joined_parts(training_set, columns, labels)
        counts = shards.collect(len)
        epochs = self.epochs or min(20, 5 * sum(count > 0 for count in counts))
        if not sum(counts):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        learner = self._beginner(labels.classes, 0, about_kernel)
        learner.input_columns_ = columns_of_parts(data)
        seed = int(check_random_state(self.random_state).randint(2**31))
        checkpoint = self.open_checkpoint(shards, repr(labels.classes.tolist()))
        state = None if checkpoint is None else checkpoint.read()
        if state is not None:
            learner._restore(state["learner"])
            seed = int(state["seed"])
        with (
            self._adopting(learner),
            progress_bar(type(self).__name__, verbose=bool(self.verbose)) as bar,
        ):
            mixture = Mixture.of(learner)
            try:
                for epoch in range(learner.t_ // sum(counts), epochs):
                    loss = mixture.loss / max(1, mixture.t)
                    describe(bar, f"epoch {epoch + 1}, loss {loss:.3f}")
                    mixture = learner.mix_epoch(mixture, shards, counts, epoch, seed)
                    if bar is not None:
                        bar(epoch + 1, epochs)
                    if checkpoint is not None and epoch + 1 < epochs:
                        mixture.become(learner)
                        checkpoint.write({"learner": learner._state(), "seed": seed})
            finally:
                mixture.become(learner)
        return checkpoint

    def local_parameters(self) -> dict[str, Any]:
        """Return the parameters that the ordinary learner is to have: epochs, if they are given."""
        parameters = super().local_parameters()
        if self.epochs is None:
            del parameters["epochs"]
        return parameters

    def mix_epoch(
        self, mixture: Mixture, shards: Partitions, counts: list[int], epoch: int, seed: int
    ) -> Mixture:
        """Go through all partitions once, and return the mixture of what comes out."""
        client, total = shards.client, sum(counts)
        here_only: dict[str, Any] = dict.fromkeys(
            ["client", "checkpoint", "n_jobs", "random_state"]
        )
        here_only |= {"verbose": False, "kernel": self.kernel_}
        bare = type(self)(**{**self.get_params(deep=False), **here_only})
        first = next(place for place, count in enumerate(counts) if count)

        def attempt() -> list[Any]:
            lent = send(client, (bare, self.classes_, mixture.model))
            epochs = [
                client.submit(
                    learn_epoch,
                    *(lent, shard, count / total, float(place == first), epoch, seed + place),
                    pure=False,
                )
                for place, (shard, count) in enumerate(zip(shards.futures, counts, strict=True))
            ]
            models = [client.submit(itemgetter(0), done, pure=False) for done in epochs]
            figures = [client.submit(itemgetter(1, 2), done, pure=False) for done in epochs]
            return results_of(client, [sum_of_models(client, models), *figures])

        model, *figures = repeat(client, attempt, shards.parts)
        loss, updates = np.sum(figures, axis=0)
        return Mixture(
            model, mixture.t + total, mixture.loss + float(loss), mixture.updates + int(updates)
        )

    def learn_epoch(
        self,
        classes: NDArray[Any],
        start: ModelSnapshot,
        data: TrainingSet,
        share: float,
        past: float,
        epoch: int,
        seed: int,
    ) -> tuple[ModelSnapshot, float, int]:
        """Go through one partition once; return what it adds to the mixed model, and how it went.

        Time starts where it would be if this partition were all there is. So the sums over time of
        all partitions, which ``average="mean"`` needs, simply add up. One partition goes on with
        the sums of earlier epochs (`past` is 1), and the others begin at zero.
        """
        self._start(classes)
        if not len(data):
            return self._model.snapshot(), 0.0, 0
        parts = [self._n_outputs, self._model.n_outputs - self._n_outputs]  # the model, and sums
        self._model = start.scaled(np.repeat([1.0, past], parts)).restored()
        self.t_ = epoch * len(data)
        self._learn(data, [self._order(len(data), epoch, seed)], done=0, total=len(data))
        learned = self._model.snapshot().scaled(np.repeat([share, 1.0], parts))
        return learned, self.loss_, self.n_updates_

    def _order(self, count: int, epoch: int, seed: int) -> NDArray[np.uint32]:
        random = np.random.RandomState(seed % 2**32)
        for _ in range(epoch):
            random.permutation(count)
        order = random.permutation(count) if self.shuffle else np.arange(count)
        return order.astype(np.uint32)


@dataclass(frozen=True)
class Mixture:
    """What all partitions together have learned after some epochs."""

    model: ModelSnapshot
    t: int  # how many examples were seen
    loss: float
    updates: int

    @classmethod
    def of(cls, learner: TreePerceptron) -> Mixture:
        """Return what a learner has learned so far."""
        return cls(learner._model.snapshot(), learner.t_, learner.loss_, learner.n_updates_)

    def become(self, learner: TreePerceptron) -> None:
        """Let a learner have learned this."""
        learner._model = self.model.restored()
        learner.t_, learner.loss_, learner.n_updates_ = self.t, self.loss, self.updates


def learn_epoch(
    lent: tuple[TreePerceptron, NDArray[Any], ModelSnapshot],
    data: TrainingSet,
    *options: Any,
) -> tuple[ModelSnapshot, float, int]:
    """Let a learner go through one partition, on a worker."""
    from sklearn.base import clone

    learner, classes, start = lent  # which other tasks use as well
    copy: TreePerceptron = clone(learner)
    return copy.learn_epoch(classes, start, data, *options)

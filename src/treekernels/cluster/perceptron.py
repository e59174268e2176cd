"""TreePerceptron on a cluster, by iterative parameter mixing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from treekernels.cluster.estimator import ClusterLearner
from treekernels.cluster.merging import sum_of_models
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.shards import (
    ClassTargets,
    columns_of_parts,
    examples_of,
    joined_parts,
    refuse_unfitted,
    weights_for,
)
from treekernels.cluster.targets import Labels, paired
from treekernels.cluster.waiting import repeat, results_of, send
from treekernels.common.progress import describe, progress_bar
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.expression import as_kernel
from treekernels.learners import TreePerceptron as LocalPerceptron
from treekernels.learners.model import Model, ModelSnapshot
from treekernels.learners.model_owner import changes_model
from treekernels.learners.online import Average
from treekernels.learners.training_set import TrainingSet

__all__ = ["TreePerceptron"]


class TreePerceptron(ClusterLearner, LocalPerceptron):
    """The perceptron on the partitions of a cluster, mixed after every epoch.

    In each epoch every partition goes on from the same model, through its own examples, in random
    order (McDonald, Hall and Mann 2010). The next epoch starts from the mean of the models that
    come out, each weighted by the number of its examples. With one partition it learns what the
    ordinary `treekernels.TreePerceptron` learns.

    Parameters
    ----------
    kernel, epochs, shuffle, random_state, class_weight, checkpoint, verbose
        As for `treekernels.TreePerceptron`. The checkpoint is written after each epoch.
    average : {"mean", None}, default="mean"
        The mean of all models on the way, in all partitions and epochs, or the last mixed one.
        Votes cannot be mixed.
    n_jobs : int, optional
        Threads for prediction on this machine; workers use one for each task.
    client : distributed.Client, optional
        By default the one in use.

    Attributes
    ----------
    classes_, t_, n_updates_, loss_
        As for `treekernels.TreePerceptron`, over all partitions.
    """

    local_class = LocalPerceptron
    solver = "forest"
    free_to_change = ("epochs",)

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        epochs: int = 5,
        average: Average = "mean",
        shuffle: bool = True,
        random_state: Any = None,
        class_weight: Any = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        client: Any = None,
    ) -> None:
        self.keep_parameters(vars())

    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreePerceptron:
        """Learn from all partitions, `epochs` times.

        Parameters
        ----------
        X : Partitions, or anything that `partitions` takes
        y : Partitions, Dask collection or array of labels
        sample_weight : Partitions, Dask collection or array, optional
            How much each example counts.

        Returns
        -------
        self
        """
        self._check_parameters()
        if self.average == "vote":
            raise ParameterError("votes cannot be mixed: use average='mean' or None")
        kernel = as_kernel(self.kernel)
        refuse_unfitted(kernel)
        data = self.partitioned(X)
        labels = Labels(y := paired(y, data))
        targets = ClassTargets.of(labels, self._weights_by_class(labels))
        examples = data.map(examples_of, kernel)
        shards = joined_parts(targets.training_set, [examples, y, weights_for(sample_weight, data)])
        counts = shards.collect(len)
        if not sum(counts):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        learner = self._beginner(targets.classes, 0)
        learner.input_columns_ = columns_of_parts(data)
        seed = int(check_random_state(self.random_state).randint(2**31))
        checkpoint = self.open_checkpoint(shards, repr(targets.classes.tolist()))
        state = None if checkpoint is None else checkpoint.read()
        if state is not None:
            learner._restore(state["learner"])
            seed = int(state["seed"])
        with (
            self._adopting(learner),
            progress_bar(type(self).__name__, verbose=bool(self.verbose)) as bar,
        ):
            for epoch in range(learner.t_ // sum(counts), self.epochs):
                describe(bar, f"epoch {epoch + 1}, loss {learner.loss_ / max(1, learner.t_):.3f}")
                learner.mix_epoch(shards, counts, epoch, seed)
                if bar is not None:
                    bar(epoch + 1, self.epochs)
                if checkpoint is not None and epoch + 1 < self.epochs:
                    checkpoint.write({"learner": learner._state(), "seed": seed})
        if checkpoint is not None:
            checkpoint.remove()
        return self

    def _weights_by_class(self, labels: Labels) -> Any:
        return labels.balanced() if isinstance(self.class_weight, str) else self.class_weight

    def mix_epoch(self, shards: Partitions, counts: list[int], epoch: int, seed: int) -> None:
        """Go through all partitions once, and become the mixture of what comes out."""
        client, total = shards.client, sum(counts)
        bare = type(self)(**{**self.get_params(deep=False), **_BARE})
        start = self._model.snapshot()

        def attempt() -> list[Any]:
            lent = send(client, (bare, self.classes_, start))
            epochs = [
                client.submit(
                    learn_epoch, lent, shard, count / total, epoch, seed + place, pure=False
                )
                for place, (shard, count) in enumerate(zip(shards.futures, counts, strict=True))
            ]
            models = [client.submit(_model_of, done, pure=False) for done in epochs]
            figures = [client.submit(_figures_of, done, pure=False) for done in epochs]
            return results_of(client, [sum_of_models(client, models), *figures])

        mixed, *figures = repeat(client, attempt, shards.parts)
        model = mixed.restored()
        if self.average == "mean":  # the sums over time of what was learned before
            model.merge(start.restored(), np.repeat([0.0, 1.0], model.n_outputs // 2))
        loss, updates = np.sum(figures, axis=0)
        self.__dict__.update(  # in one step, for Ctrl-C
            _model=model,
            t_=self.t_ + total,
            loss_=self.loss_ + float(loss),
            n_updates_=self.n_updates_ + int(updates),
        )

    def learn_epoch(
        self,
        classes: NDArray[Any],
        start: ModelSnapshot,
        data: TrainingSet,
        share: float,
        epoch: int,
        seed: int,
    ) -> tuple[ModelSnapshot, float, int]:
        """Go through one partition once; return what it adds to the mixed model, and how it went.

        Time starts where it would be if this partition were all there is. So the sums over time of
        all partitions, which ``average="mean"`` needs, simply add up.
        """
        self._start(classes)
        outputs = self._model.n_outputs
        parts = [self._n_outputs, outputs - self._n_outputs]  # the model, and its sums over time
        scaled = Model(self._model.kernel, outputs)
        if len(data):
            self._model.merge(start.restored(), np.repeat([1.0, 0.0], parts))
            self.t_ = epoch * len(data)
            self._learn(data, [self._order(len(data), epoch, seed)], done=0, total=len(data))
            scaled.merge(self._model, np.repeat([share, 1.0], parts))
        return scaled.snapshot(), self.loss_, self.n_updates_

    def _order(self, count: int, epoch: int, seed: int) -> NDArray[np.uint32]:
        random = np.random.RandomState(seed % 2**32)
        for _ in range(epoch):
            random.permutation(count)
        order = random.permutation(count) if self.shuffle else np.arange(count)
        return order.astype(np.uint32)


_BARE: dict[str, Any] = {
    "client": None,
    "checkpoint": None,
    "n_jobs": None,
    "verbose": False,
    "random_state": None,
}


def learn_epoch(
    lent: tuple[TreePerceptron, NDArray[Any], ModelSnapshot],
    data: TrainingSet,
    share: float,
    epoch: int,
    seed: int,
) -> tuple[ModelSnapshot, float, int]:
    """Let a learner go through one partition, on a worker."""
    from sklearn.base import clone

    learner, classes, start = lent  # which other tasks use as well
    own: TreePerceptron = clone(learner)
    return own.learn_epoch(classes, start, data, share, epoch, seed)


def _model_of(result: tuple[ModelSnapshot, float, int]) -> ModelSnapshot:
    return result[0]


def _figures_of(result: tuple[ModelSnapshot, float, int]) -> tuple[float, int]:
    return result[1:]

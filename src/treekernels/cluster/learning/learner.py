"""What the learners of a cluster have in common."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from treekernels.cluster.learning.labels import align_labels
from treekernels.cluster.learning.shards import weights_for
from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.predict import decision_function, predict, score
from treekernels.cluster.workers.clients import client_of
from treekernels.cluster.workers.slicing import join_rows
from treekernels.common.arrays import Places
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.learners.base.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.base.comparison import Contest, seed_of
from treekernels.learners.base.labels import one_column
from treekernels.learners.base.learner import Learner
from treekernels.learners.models.model import ModelSnapshot
from treekernels.learners.models.model_owner import changes_model

_SAMPLE = 9600  # examples by which a kernel is chosen


class ClusterLearner(Learner):
    """A learner that also takes partitions: `fit` needs a cluster, and all else does without.

    It is one of the ordinary learners, and stands before it among the base classes.

    Parameters
    ----------
    n_jobs : int, optional
        Threads for prediction on this computer; workers use one for each task.
    client : distributed.Client, optional
        By default the one in use.
    """

    client: Any
    _contest: Callable[[Any, Any], Contest]  # how kernels are compared, given y and its weights
    local_class: type  # what `to_local` makes
    cluster_parameters: tuple[str, ...] = ("client",)  # those that the local class does not have
    free_to_change: tuple[str, ...] = ()  # parameters with which a checkpoint may be gone on with

    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from all partitions together.

        Parameters
        ----------
        X : Partitions, or anything that `partitions` takes
        y : Partitions, Dask collection or array
            The labels or numbers, one for each example.
        sample_weight : Partitions, Dask collection or array, optional
            How much each example counts: in a support vector machine, a factor for its C.

        Returns
        -------
        self
        """
        self._check_parameters()
        if not self._is_automatic():
            self.checked_kernel()  # before any data are sent
        data = self.partitioned(X)
        if not len(data):
            raise DataError("there are no examples to learn from")
        labels = align_labels(y, data)
        about_kernel = self.chosen_kernel(data, labels, sample_weight)
        checkpoint = self.fit_partitions(data, labels, sample_weight, about_kernel)
        if checkpoint is not None:
            checkpoint.remove()
        return self

    @abstractmethod
    def fit_partitions(
        self, data: Partitions, y: Partitions, sample_weight: Any, about_kernel: dict[str, Any]
    ) -> Checkpoint | None:
        """Learn from examples and their labels or numbers; return the checkpoint, if any.

        `about_kernel` has the attributes that say which kernel it is.
        """

    def chosen_kernel(self, data: Partitions, y: Partitions, sample_weight: Any) -> dict[str, Any]:
        """Return the kernel as attributes: if none is named, the one that a sample chooses.

        The sample comes here, is the same for the same `random_state`, and is also what weights of
        the kernel are learned from.
        """
        if not self._is_automatic():
            return {"fitted_kernel_": None, "selection_": None}
        seed = seed_of(self.random_state)
        rows = np.sort(np.random.RandomState(seed).permutation(len(data))[:_SAMPLE])
        ends = np.cumsum(data.lengths)
        places = np.split(rows, np.searchsorted(rows, ends[:-1]))
        within = [place - start for place, start in zip(places, [0, *ends[:-1]], strict=True)]
        weights = weights_for(sample_weight, data)
        X, labels, given = (
            None if part is None else join_rows(part.collect(_rows_of, each=lambda: within))
            for part in (data, y, weights)
        )
        labels = one_column(labels)
        examples, _ = self._learned_from(X, labels)
        learned, about_kernel = self._kernel_fitted_on(
            examples, partial(self._contest, labels, given), separable=True
        )
        return {**about_kernel, "fitted_kernel_": learned}

    def checked_kernel(self) -> Kernel:
        """Return the kernel, unless it would have to see all trees at once."""
        kernel = as_kernel(self.kernel)
        kernel.check_parameters()
        if kernel.needs_fit:
            raise ParameterError(
                "the kernel's weights need to see all trees, and a worker sees a part of them: "
                "give the learner kernel.fitted_on(trees)"
            )
        return kernel

    def predict(self, X: Any) -> Any:
        """Return what is predicted of each example: a ``dask.array`` for partitions.

        For anything else, such as a `Forest` or a list of trees, it is computed here.
        """
        if _is_distributed(X):
            return predict(self.to_local(), X, client=self.client)
        return super().predict(X)

    def decision_function(self, X: Any) -> Any:
        """Return the scores of each example: a ``dask.array`` for partitions."""
        if _is_distributed(X):
            return decision_function(self.to_local(), X, client=self.client)
        return super().decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R² of a regression."""
        if _is_distributed(X):
            return score(self.to_local(), X, y, client=self.client)
        return float(super().score(X, y, sample_weight))

    def to_local(self) -> Any:
        """Return the same as an ordinary learner of `treekernels`, fitted if this one is."""
        parameters = self.get_params(deep=False)
        local = self.local_class(**self.local_parameters())
        state = self.__getstate__()
        local.__setstate__({n: value for n, value in state.items() if n not in parameters})
        return local

    def local_parameters(self) -> dict[str, Any]:
        """Return the parameters that the ordinary learner is to have."""
        parameters = self.get_params(deep=False)
        return {n: v for n, v in parameters.items() if n not in self.cluster_parameters}

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the client, which belongs to this process."""
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> Any:
        """Return one with the same parameters, and with the same client, not a copy of it."""
        from sklearn.base import clone

        parameters = self.get_params(deep=False)
        del parameters["client"]
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**{**copies, "client": self.client})

    def partitioned(self, X: Any) -> Partitions:
        """Return examples as partitions, on the cluster that this learner works with."""
        client = None if isinstance(X, Partitions) else client_of(self.client)
        return partitions(X, client=client)

    def open_checkpoint(self, shards: Partitions, about: str = "") -> Checkpoint | None:
        """Return the checkpoint of this problem, whose file is read before anything is computed.

        The shards have a digest, and `about` says what else the result depends on.
        """
        path = self.checkpoint
        if path is None:
            return None
        parameters = self.get_params()
        for name in ("checkpoint", "n_jobs", "verbose", "client", *self.free_to_change):
            parameters.pop(name)
        data = hashlib.sha256("\n".join([about, *shards.collect(_digest)]).encode()).hexdigest()
        name = f"{type(self).__name__} on a cluster"
        checkpoint = Checkpoint(path, name, parameter_digest(parameters), data)
        checkpoint.read()
        return checkpoint


def _rows_of(part: Any, rows: Places) -> Any:
    return part[rows]


def _digest(shard: Any) -> str:
    return shard.digest() if len(shard) else "empty"


def _is_distributed(X: Any) -> bool:
    return isinstance(X, Partitions) or hasattr(X, "__dask_graph__")


def add_models(first: ModelSnapshot, second: ModelSnapshot) -> ModelSnapshot:
    """Return the sum of two models."""
    model = first.restored()
    model.merge(second.restored())
    return model.snapshot()


def sum_of_models(client: Any, futures: Sequence[Any]) -> Any:
    """Return a future of the sum of models, added up in pairs.

    The pairs depend on the number of models alone, so that the sum has the same bits wherever and
    whenever they are computed.
    """
    level = list(futures)
    while len(level) > 1:
        pairs = [
            client.submit(add_models, *level[place : place + 2], pure=False)
            for place in range(0, len(level) - 1, 2)
        ]
        level = pairs + level[2 * len(pairs) :]
    return level[0]

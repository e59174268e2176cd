"""What the learners of a cluster have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treekernels.cluster.clients import client_of
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.prediction import decision_function, predict, score

__all__ = ["ClusterLearner"]


class ClusterLearner:
    """A learner that also takes partitions: `fit` needs a cluster, and all else does without.

    It is one of the ordinary learners, and stands before it among the base classes.
    """

    client: Any
    local_class: type  # what `to_local` makes
    cluster_parameters: tuple[str, ...] = ("client",)  # those that the local class does not have

    def predict(self, X: Any) -> Any:
        """Return what is predicted of each example: a ``dask.array`` for partitions.

        Of anything else, such as a `Forest` or a list of trees, it is computed here.
        """
        if _is_distributed(X):
            return predict(self.to_local(), X, client=self.client)
        return super().predict(X)  # type: ignore[misc]

    def decision_function(self, X: Any) -> Any:
        """Return the scores of each example: a ``dask.array`` for partitions."""
        if _is_distributed(X):
            return decision_function(self.to_local(), X, client=self.client)
        return super().decision_function(X)  # type: ignore[misc]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy, or R² of a regression."""
        if _is_distributed(X):
            return score(self.to_local(), X, y, client=self.client)
        return float(super().score(X, y, sample_weight))  # type: ignore[misc]

    def to_local(self) -> Any:
        """Return the same as an ordinary learner of `treekernels`, fitted if this one is."""
        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        kept = {n: v for n, v in parameters.items() if n not in self.cluster_parameters}
        local = self.local_class(**kept)
        state = self.__getstate__()
        learned: Mapping[str, Any] = {n: v for n, v in state.items() if n not in parameters}
        local.__setstate__(learned)
        return local

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the client, which belongs to this process."""
        return {**super().__getstate__(), "client": None}  # type: ignore[misc]

    def __sklearn_clone__(self) -> Any:
        """Return one with the same parameters, and with the same client, not a copy of it."""
        from sklearn.base import clone

        parameters = self.get_params(deep=False)  # type: ignore[attr-defined]
        client = parameters.pop("client")
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        copies["client"] = client
        return type(self)(**copies)

    def connected_client(self) -> Any:
        """Return the client to work with."""
        return client_of(self.client)


def _is_distributed(X: Any) -> bool:
    return isinstance(X, Partitions) or hasattr(X, "__dask_graph__")

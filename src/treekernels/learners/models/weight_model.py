"""The model of the linear kernel: the weights of features."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.errors import DataError
from treekernels.kernels.base.feature_rows import FeatureKernel, FeatureRows
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.summand_model import Change, SummandModel


class WeightModel(SummandModel):
    """A weight for each feature and output: the linear kernel, or a constant."""

    weight_names = ("weights",)

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        assert isinstance(summand.kernel, FeatureKernel)
        self.summand = summand
        self.kernel = summand.kernel
        self.weights = np.zeros((0, n_outputs))
        self.names: tuple[str, ...] | None = None  # of the features, where they have names

    def _rows(self, examples: Examples) -> FeatureRows:
        rows = self.kernel.feature_rows(examples)
        if len(self.weights) and (rows.names is None) != (self.names is None):
            raise DataError("features have names here and had none in learning, or the other way")
        if self.names is not None:
            rows = rows.aligned(self.names)
        if len(self.weights) not in (0, rows.width):
            raise DataError(
                f"the vectors have {rows.width} features, and those learned from "
                f"{len(self.weights)}"
            )
        return rows

    def _rows_to_learn(self, examples: Examples) -> FeatureRows:
        """Return the vectors; the first to be learned from say how many weights there are."""
        names = self.kernel.feature_rows(examples).names
        if names is not None and (self.names is not None or not len(self.weights)):
            self._make_room(names)
        rows = self._rows(examples)
        if not len(self.weights):
            self.weights = np.zeros((rows.width, self.weights.shape[1]))
        return rows

    def _make_room(self, names: tuple[str, ...]) -> None:
        """Give features that are new by name a weight of 0."""
        all_names = tuple(dict.fromkeys((*(self.names or ()), *names)))
        more = np.zeros((len(all_names) - len(self.weights), self.weights.shape[1]))
        self.weights = np.concatenate([self.weights, more])
        self.names = all_names

    def native_summand(self, examples: Examples) -> _native.Summand:
        rows = self._rows_to_learn(examples)
        return rows.linear_summand(self.summand.weight, self.weights.shape[1], self.weights)

    def factors(self, examples: Examples) -> Floats | None:
        self._rows(examples)
        return None

    def addition(self, examples: Examples, alphas: Floats) -> list[Change]:
        rows = self._rows_to_learn(examples)
        return [(self, "weights", self.weights + rows.matrix().T @ alphas)]

    def set_weights(self, weights: Floats) -> None:
        self.weights = np.array(weights)

    def check_merge(self, other: WeightModel) -> None:
        if self.names is not None and other.names is not None:
            return
        if len(self.weights) and len(other.weights) not in (0, len(self.weights)):
            raise DataError(
                f"one model has learned from vectors of {len(self.weights)} features, and the "
                f"other from {len(other.weights)}"
            )

    def merging(self, other: WeightModel, factors: Floats) -> list[Change]:
        if not len(self.weights):
            return [(self, "weights", factors * other.weights), (self, "names", other.names)]
        if self.names is not None and other.names is not None:
            self._make_room(other.names)
            places = [self.names.index(name) for name in other.names]
            weights = self.weights.copy()
            weights[places] += factors * other.weights
            return [(self, "weights", weights)]
        if len(other.weights):
            return [(self, "weights", self.weights + factors * other.weights)]
        return []

    def score(self, examples: Examples, out: Floats, run: Run) -> None:
        rows = self._rows(examples)
        if len(self.weights):
            out += self.summand.weight * (rows.matrix() @ self.weights)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"weights": self.weights.copy()}
        if self.names is not None:
            state["names"] = list(self.names)
        return state

    def restore(self, state: dict[str, Any]) -> None:
        weights = state["weights"]
        if weights.ndim != 2 or weights.shape[1] != self.weights.shape[1]:
            raise ValueError("the weights have another shape than the model")
        names = state.get("names")
        if names is not None and (len(names) != len(weights) or len(set(names)) != len(names)):
            raise ValueError("the features do not have a name each")
        self.names = None if names is None else tuple(map(str, names))
        self.weights = np.array(weights, np.float64)

    def feature_counts(self) -> dict[Any, int]:
        on = self.kernel.on
        return {on: len(self.weights)} if isinstance(on, str) and self.names is None else {}

    @property
    def size(self) -> int:
        return len(self.weights)

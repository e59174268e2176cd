"""The model of any kernel: the examples themselves, with their coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.summand_model import (
    Change,
    SummandModel,
    WeightedExamples,
    normalizing_factors,
)

# Examples that are learned from at a time: few, since each batch takes a Gram matrix.
_BATCH = 512


class SupportModel(SummandModel):
    """Support examples with their coefficients, for any kernel."""

    weight_names = ("alphas",)

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        self.n_outputs = n_outputs
        # Joined when they are needed. It is one list of both, replaced and never changed, so that
        # two threads that score may each do so.
        self._parts: list[tuple[Examples, Floats]] = []

    def native_summand(self, examples: Examples) -> _native.Summand:
        gram = self.summand.weight * self.summand.kernel(examples)
        scores = np.zeros((len(examples), self.n_outputs))
        self.score(examples, scores, Run())
        return _native.MatrixSummand(gram, scores)

    @property
    def batch_size(self) -> int | None:
        return _BATCH

    def learned(self, examples: Examples, alphas: Floats) -> list[Change]:
        return self.addition(examples, alphas)

    def addition(self, examples: Examples, alphas: Floats) -> list[Change]:
        rows = np.flatnonzero(alphas.any(axis=1))
        if not len(rows):
            return []
        support = examples.only(self.summand.kernel.inputs()).take(rows)
        return [(self, "_parts", [*self._parts, (support, np.array(alphas[rows]))])]

    def merging(self, other: SupportModel, factors: Floats) -> list[Change]:
        more = [(examples, factors * alphas) for examples, alphas in other._parts]
        return [(self, "_parts", [*self._parts, *more])]

    def score(self, examples: Examples, out: Floats, run: Run) -> None:
        if not self._parts:
            return
        support, alphas = self._joined()
        matrix = self.summand.kernel.matrix_of(examples, support, run)
        step = max(1, (64 << 20) // max(1, 8 * len(support)))
        bounds = range(0, len(examples), step)
        for number, first in enumerate(bounds):
            last = min(first + step, len(examples))
            block = np.empty((last - first, len(support)))
            matrix.fill_rows(first, last, block, run.part(number, len(bounds)))
            out[first:last] += self.summand.weight * (block @ alphas)

    def _joined(self) -> tuple[Examples, Floats]:
        """Return all support examples as one, with their coefficients."""
        parts = self._parts
        if len(parts) > 1:
            examples, alphas = zip(*parts, strict=True)
            parts = [(Examples.concatenate(list(examples)), np.concatenate(alphas))]
            self._parts = parts
        return parts[0]

    def state(self) -> dict[str, Any]:
        if not self._parts:
            return {}
        support, alphas = self._joined()
        return {"columns": dict(support.columns), "alphas": alphas}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        if state["alphas"].ndim != 2 or state["alphas"].shape[1] != self.n_outputs:
            raise ValueError("the coefficients have another shape than the model")
        examples = Examples.restored(state["columns"], self.summand.kernel.inputs())
        if len(examples) != len(state["alphas"]):
            raise ValueError("there are not as many coefficients as support examples")
        self._parts = [(examples, np.asarray(state["alphas"], np.float64))]

    def weighted_examples(self) -> WeightedExamples | None:
        kernel = self.summand.kernel
        if kernel.fragments is None:
            return None
        pairs = kernel.takes == "pairs"
        if not self._parts:
            empty = np.zeros((0, self.n_outputs))
            return WeightedExamples(self.summand, Pairs() if pairs else Forest(), empty, False)
        support, alphas = self._joined()
        examples = support.pairs(kernel.on) if pairs else support.trees(kernel.on)
        weights = alphas * normalizing_factors(kernel, examples)[:, np.newaxis]
        return WeightedExamples(self.summand, examples, weights, single_subtrees=False)

    def feature_counts(self) -> dict[Any, int]:
        if not self._parts:
            return {}
        columns = self._parts[0][0].columns.items()
        return {name: column.shape[1] for name, column in columns if hasattr(column, "tocsr")}

    @property
    def size(self) -> int:
        return sum(len(examples) for examples, _ in self._parts)

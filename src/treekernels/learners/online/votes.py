"""Votes: a voted perceptron's models, each of which votes for as long as it lasted.

The models differ by one example each, so the support examples in order, with their coefficients and
times, are all of them. (Freund and Schapire 1999)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel
from treekernels.kernels.base.matrices import Run

_BLOCK = 8 << 20  # bytes of the kernel between examples and support that there are at a time


class Votes:
    """The history of a model, which never changes: what is learned makes a new one.

    Parameters
    ----------
    n_outputs : int
        The number of scores: one for two classes, otherwise one for each class.
    """

    def __init__(self, n_outputs: int) -> None:
        self.n_outputs = n_outputs
        self.support: list[Examples] = []  # joined when it is needed, and never changed
        self.alphas = np.empty((0, n_outputs))
        self.times = np.empty(0, np.uint64)

    def extended(self, support: Examples, alphas: Floats, times: NDArray[np.uint64]) -> Votes:
        """Return the votes with the updates of one more batch."""
        votes = Votes(self.n_outputs)
        votes.support = [*self.support, support]
        votes.alphas = np.concatenate([self.alphas, alphas[:, : self.n_outputs]])
        votes.times = np.concatenate([self.times, times])
        return votes

    def count(self, kernel: Kernel, examples: Examples, now: int, run: Run) -> Floats:
        """Count the votes on examples: shares for each class, or for the second less the first."""
        if not self.support:
            return np.zeros((len(examples), self.n_outputs))
        support, columns = self._joined().distinct()
        rows, places = examples.distinct()
        lasted = np.diff(np.append(self.times, now)).astype(np.float64)
        matrix = kernel.matrix_of(rows, support, run)
        votes = np.empty((len(rows), self.n_outputs))
        step = max(1, _BLOCK // (8 * len(support)))
        bounds = range(0, len(rows), step)
        for number, first in enumerate(bounds):
            last = min(first + step, len(rows))
            values = np.empty((last - first, len(support)))
            matrix.fill_rows(first, last, values, run.part(number, len(bounds)))
            _native.count_votes(
                columns.astype(np.uint32),
                *(self.alphas, lasted, values, votes[first:last], run.n_jobs),
            )
        return np.asarray((votes / max(1.0, lasted.sum()))[places])

    def _joined(self) -> Examples:
        support = Examples.concatenate(self.support)
        self.support = [support]
        return support

    def state(self) -> dict[str, Any]:
        """Return what there is to save."""
        columns = {}
        if self.support:
            columns = dict(self._joined().columns)
        return {"columns": columns, "alphas": self.alphas, "times": self.times}

    def restore(self, state: dict[str, Any], kernel: Kernel) -> None:
        """Become what was saved."""
        columns = state["columns"]
        self.support = [Examples.restored(columns, kernel.inputs())] if columns else []
        self.alphas = np.asarray(state["alphas"], np.float64)
        self.times = np.asarray(state["times"], np.uint64)
        count = len(self.support[0]) if self.support else 0
        if self.alphas.shape != (count, self.n_outputs) or self.times.shape != (count,):
            raise ValueError("the votes do not fit their support examples")

"""Feature vectors as the native learners take them: sparse rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treekernels import _native

__all__ = ["FeatureRows"]


class FeatureRows(NamedTuple):
    """The arrays of a sparse matrix, and the number of its columns."""

    width: int
    offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, vectors: Any) -> FeatureRows:
        """Return the rows of a matrix, dense or sparse."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix(vectors)
        if not matrix.has_canonical_format:  # entries may be given in parts
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(
            matrix.shape[1],
            np.ascontiguousarray(matrix.indptr, np.int64),
            np.ascontiguousarray(matrix.indices, np.int32),
            np.ascontiguousarray(matrix.data, np.float64),
        )

    def matrix(self) -> Any:
        """Return the rows as a sparse matrix of SciPy."""
        from scipy.sparse import csr_matrix

        shape = (len(self.offsets) - 1, self.width)
        return csr_matrix((self.values, self.features, self.offsets), shape=shape)

    def linear_summand(
        self, weight: float, n_outputs: int, weights: NDArray[np.float64] | None = None
    ) -> _native.Summand:
        """Return the rows under the linear kernel; what is learned goes into `weights`, or new."""
        if weights is None:
            weights = np.zeros((self.width, n_outputs))
        return _native.LinearSummand(weights, self.offsets, self.features, self.values, weight)

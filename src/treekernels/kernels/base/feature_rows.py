"""FeatureRows: feature vectors as the native learners take them, and kernels that have them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Floats, Indices
from treekernels.data.examples import Examples
from treekernels.data.vectors import NamedVectors, Vectors, missing_rows, without_missing
from treekernels.kernels.base.kernel import Kernel


class FeatureRows(NamedTuple):
    """The arrays of a sparse matrix, the number of its columns, and their names if any."""

    width: int
    offsets: Indices
    features: NDArray[np.int32]
    values: Floats
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, vectors: Vectors) -> FeatureRows:
        """Return the rows of a matrix, dense or sparse, or of `NamedVectors`; missing ones as 0."""
        from scipy.sparse import csr_matrix

        names = vectors.names if isinstance(vectors, NamedVectors) else None
        matrix = vectors.matrix if isinstance(vectors, NamedVectors) else vectors
        matrix = csr_matrix(without_missing(matrix, missing_rows(matrix)))
        if not matrix.has_canonical_format:  # entries may be given in parts
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return cls(
            matrix.shape[1],
            np.ascontiguousarray(matrix.indptr, np.int64),
            np.ascontiguousarray(matrix.indices, np.int32),
            np.ascontiguousarray(matrix.data, np.float64),
            names,
        )

    def aligned(self, names: tuple[str, ...]) -> FeatureRows:
        """Return the rows with features in the order of other names."""
        vectors = NamedVectors(self.matrix(), self.names or ())
        return FeatureRows.of(NamedVectors(vectors.aligned(names), names))

    def matrix(self) -> Any:
        """Return the rows as a sparse matrix of SciPy."""
        from scipy.sparse import csr_matrix

        shape = (len(self.offsets) - 1, self.width)
        return csr_matrix((self.values, self.features, self.offsets), shape=shape)

    def linear_summand(
        self, weight: float, n_outputs: int, weights: Floats | None = None
    ) -> _native.Summand:
        """Return the rows under the linear kernel; what is learned goes into `weights`, or new."""
        if weights is None:
            weights = np.zeros((self.width, n_outputs))
        return _native.LinearSummand(weights, self.offsets, self.features, self.values, weight)


class FeatureKernel(Kernel):
    """The dot product of features, of which a model keeps the weights."""

    learned_as = "weights"
    needs_gram = False

    @abstractmethod
    def feature_rows(self, X: Examples) -> FeatureRows:
        """Return the features of each example."""

    def native_summand(
        self, X: Examples, weight: float, n_outputs: int, memory: int
    ) -> _native.Summand:
        return self.feature_rows(X).linear_summand(weight, n_outputs)

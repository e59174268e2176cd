"""Terms: a kernel as a weighted sum, and how each summand of it can be learned with.

Tree kernels that decompose into subtrees have a weighted forest, the linear kernel has explicit
weights, and any other kernel keeps its support examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.kernels import (
    ConstantKernel,
    Kernel,
    LinearKernel,
    PolynomialKernel,
    ProductKernel,
    SubsetTreeKernel,
    SubtreeKernel,
    SumKernel,
)
from treekernels.kernels.trees import decay_of, weight_of

__all__ = ["Term", "checked_kernel", "terms_of"]


@dataclass(frozen=True)
class Term:
    """``weight * kernel``, one summand."""

    kernel: Kernel
    weight: float

    @property
    def has_forest(self) -> bool:
        """Whether there is a weighted forest for the kernel."""
        kernel = self.kernel
        return isinstance(kernel, SubsetTreeKernel | SubtreeKernel) and (
            kernel.algorithm == "corpus"
        )

    @property
    def has_weights(self) -> bool:
        """Whether a model of the kernel is a vector of weights."""
        return isinstance(self.kernel, LinearKernel | ConstantKernel)

    @property
    def decomposes(self) -> bool:
        """Whether a support vector machine can be trained without the Gram matrix."""
        return self.has_forest or self.has_weights or isinstance(self.kernel, PolynomialKernel)

    def core(self) -> dict[str, Any]:
        """Give the parameters of the native forest."""
        kernel = self.kernel
        assert isinstance(kernel, SubsetTreeKernel | SubtreeKernel)
        return {
            "kind": _native.Kind.subset
            if isinstance(kernel, SubsetTreeKernel)
            else _native.Kind.subtree,
            "decay": decay_of("decay", kernel.decay),
            "leaf_weight": weight_of("leaf_weight", kernel.leaf_weight),
            "normalize": bool(kernel.normalize),
            "weight": self.weight,
        }


def checked_kernel(kernel: Any) -> Kernel:
    """Give the kernel of a learner, the default for None."""
    if kernel is None:
        return SubsetTreeKernel()
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel must be a kernel such as SubsetTreeKernel(), not {kernel!r}")
    return kernel


def terms_of(kernel: Kernel) -> list[Term]:
    """Write a kernel as a sum: nested sums and constant factors are taken apart."""
    terms: list[Term] = []
    open_ = [(kernel, 1.0)]
    while open_:
        one, weight = open_.pop()
        if isinstance(one, SumKernel):
            open_ += [(one.k2, weight), (one.k1, weight)]
        elif isinstance(one, ProductKernel) and isinstance(one.k1, ConstantKernel):
            open_.append((one.k2, weight * one.k1._checked()))
        elif isinstance(one, ProductKernel) and isinstance(one.k2, ConstantKernel):
            open_.append((one.k1, weight * one.k2._checked()))
        else:
            terms.append(Term(one, weight))
    return terms


def sparse_rows(
    kernel: Kernel, X: Any
) -> tuple[int, NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Give the vectors that a kernel looks at: their width, and the arrays of a sparse matrix."""
    from scipy.sparse import csr_matrix

    from treekernels.kernels.columns import length, vectors_of

    if isinstance(kernel, ConstantKernel):
        matrix = csr_matrix(np.full((length(X), 1), np.sqrt(kernel._checked())))
    else:
        matrix = csr_matrix(vectors_of(X, getattr(kernel, "on", None)))
    if not matrix.has_canonical_format:  # entries may be given in parts
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return (
        matrix.shape[1],
        np.ascontiguousarray(matrix.indptr, np.int64),
        np.ascontiguousarray(matrix.indices, np.int32),
        np.ascontiguousarray(matrix.data, np.float64),
    )

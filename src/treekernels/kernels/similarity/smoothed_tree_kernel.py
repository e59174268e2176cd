"""SmoothedTreeKernel: tree kernels in which different labels may match."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.errors import ParameterError
from treekernels.kernels.base.tree_kernel import NativeKernel, TreeKernel
from treekernels.kernels.similarity.labels import (
    LabelPairs,
    LabelSimilarity,
    as_lazy,
    labels_of,
    similar_pairs,
)

_MOST_LABELS = 20_000  # whose eigenvalues can be computed


class SmoothedTreeKernel(TreeKernel):
    """A tree kernel in which different labels may match.

    Parameters
    ----------
    similarity : mapping, WordVectors, SimilarLabels or callable, optional
        How well different labels match: a dict of numbers by pairs of labels, in either order; a
        dict of classes by label, whose members match as if they were equal; word vectors;
        or a function of two labels. Labels of which nothing is said match only themselves. The
        kernel is positive semi-definite if the similarity is, which `check_similarity` checks.
    """

    similarity: LabelSimilarity

    @abstractmethod
    def native_kernel_with(self, pairs: LabelPairs) -> NativeKernel:
        """Return the kernel of the native core, in which these pairs of labels match."""

    def native_kernel(self) -> NativeKernel:
        """Return the kernel before any trees are known: only pairs from a table match."""
        return self.native_kernel_with(similar_pairs(self.similarity, ()))

    def native_kernel_for(self, *forests: Forest) -> NativeKernel:
        if as_lazy(self.similarity) is None:
            return self.native_kernel()
        labels = {label for forest in forests for label in labels_of(forest)}
        return self.native_kernel_with(similar_pairs(self.similarity, sorted(labels)))

    def check_similarity(self, X: Any, *, tolerance: float = 1e-6) -> float:
        """Check that the similarity is positive semi-definite for the labels of some trees.

        If it is, then so is the kernel. If it is not, the kernel may still be; but nothing says so,
        and a support vector machine may not find its best solution.

        Parameters
        ----------
        X : trees
        tolerance : float
            By how much the smallest eigenvalue may be below 0.

        Returns
        -------
        float
            The smallest eigenvalue of the matrix of similarities.

        Raises
        ------
        ParameterError
            If it is less than the tolerance allows. The error names labels that are part of it.

        Examples
        --------
        >>> import treekernels as tk
        >>> kernel = tk.PartialTreeKernel(similarity={("a", "b"): 0.9, ("b", "c"): 0.9})
        >>> try:
        ...     kernel.check_similarity(["(A a b c)"])
        ... except tk.ParameterError as error:
        ...     print(str(error).partition(":")[0])
        the similarity is not positive semi-definite
        >>> milder = tk.PartialTreeKernel(similarity={("a", "b"): 0.7, ("b", "c"): 0.7})
        >>> round(milder.check_similarity(["(A a b c)"]), 3)
        0.01
        """
        self.check_parameters()
        labels = labels_of(self.examples(X).trees(self.on))
        pairs = similar_pairs(self.similarity, labels)
        smallest, culprits = _smallest_eigenvalue(pairs, labels)
        if smallest < -tolerance:
            listed = ", ".join(map(repr, culprits))
            raise ParameterError(
                f"the similarity is not positive semi-definite: the smallest eigenvalue is "
                f"{smallest:.3g}, with {listed} among others; smaller similarities or a larger "
                "power help"
            )
        return smallest


def _smallest_eigenvalue(pairs: LabelPairs, labels: Iterable[str]) -> tuple[float, list[str]]:
    """Return the smallest eigenvalue of a matrix of similarities, and the labels that make it.

    Labels that are not linked with each other are looked at one group after the other.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    names = sorted(set(labels) & {label for a, b, _ in pairs for label in (a, b)})
    if not names:
        return 1.0, []
    place = {name: i for i, name in enumerate(names)}
    there = [(place[a], place[b], v) for a, b, v in pairs if a in place and b in place]
    values: dict[tuple[int, int], float] = {(i, i): 1.0 for i in range(len(names))}
    for a, b, value in there:
        values[a, b] = values[b, a] = value
    rows, columns = np.array(list(values), np.intp).T
    matrix = coo_matrix((list(values.values()), (rows, columns)), (len(names),) * 2).tocsr()
    _, groups = connected_components(matrix, directed=False)
    smallest, culprits = 1.0, list[str]()
    for group in range(int(groups.max()) + 1):
        members = np.flatnonzero(groups == group)
        if len(members) > _MOST_LABELS:
            raise ParameterError(
                f"{len(members):,} labels are linked with each other, too many to be checked: "
                "check some of the trees"
            )
        eigenvalues, vectors = np.linalg.eigh(matrix[members][:, members].toarray())
        if eigenvalues[0] < smallest:
            smallest = float(eigenvalues[0])
            largest = np.argsort(-np.abs(vectors[:, 0]))[:3]
            culprits = [names[members[i]] for i in largest]
    return smallest, culprits

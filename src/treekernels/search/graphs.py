"""Graphs of similar trees, as scikit-learn's clusterings take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.kernels.base.matrices import matrix_for
from treekernels.search.results import Duplicates

__all__ = ["distances_of", "neighbor_graph"]


def neighbor_graph(
    pairs: Duplicates, there: NDArray[np.intp], diagonal: NDArray[np.float64]
) -> Any:
    """Return the similarities of pairs as a symmetric sparse matrix.

    Parameters
    ----------
    pairs : Duplicates
    there : array of int
        The numbers of the trees that have a row, in ascending order.
    diagonal : array
        K(x, x) of each of them.
    """
    from scipy.sparse import csr_matrix

    first, second = np.searchsorted(there, pairs.first), np.searchsorted(there, pairs.second)
    own = np.arange(len(there))
    values = np.concatenate([pairs.similarities, pairs.similarities, diagonal])
    places = np.concatenate([first, second, own]), np.concatenate([second, first, own])
    return csr_matrix((values, places), shape=(len(there),) * 2)


def distances_of(graph: Any, *, dense: bool) -> Any:
    """Return a graph of similarities as one of distances; what is not in it is sqrt(2) apart."""
    graph.data = np.sqrt(np.maximum(0.0, 2.0 - 2.0 * graph.data))
    if not dense:
        return graph
    distances = matrix_for(graph.shape, None, None)
    distances.fill(np.sqrt(2.0))
    listed = graph.tocoo()
    distances[listed.row, listed.col] = listed.data
    np.fill_diagonal(distances, 0.0)
    return distances

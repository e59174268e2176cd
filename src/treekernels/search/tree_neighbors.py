"""TreeNeighbors: the nearest trees as an estimator of scikit-learn, and their votes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from treekernels.common.checks import check_choice, check_integer, check_number
from treekernels.data.columns import length
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.search.index.results import Results
from treekernels.search.tree_index import TreeIndex

__all__ = ["TreeNeighbors"]


class TreeNeighbors(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The nearest trees, and a classifier by their votes.

    Distances are those of the kernel's space, ``sqrt(2 - 2 K)``, from 0 for equal trees to
    ``sqrt(2)`` for those that have nothing in common; the kernel must be normalised. All answers
    are exact.

    Parameters
    ----------
    kernel : Kernel or "auto", default="auto"
        With "auto", it is chosen by what the trees are, as `TreeIndex` does it.
    n_neighbors : int, default=5
        How many neighbours vote.
    weights : {"uniform", "similarity"}, default="uniform"
        Whether each vote counts the same, or as much as its kernel value.
    n_jobs : int, optional
        Threads to use, -1 for all cores.

    Attributes
    ----------
    index_ : TreeIndex
        The trees, which may be searched in other ways too.
    classes_ : array
        The labels, if there were any.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a) (B b))", "(T (A d) (B c))"]
    >>> model = tk.TreeNeighbors(n_neighbors=2).fit(trees, ["s", "s", "t", "t"])
    >>> model.predict(["(S (A d) (B b))"]).tolist()
    ['s']
    >>> distances, places = model.kneighbors(["(T (A a) (B c))"])
    >>> places.tolist()
    [[1, 2]]
    """

    def __init__(
        self,
        kernel: Kernel | Literal["auto"] | None = "auto",
        n_neighbors: int = 5,
        *,
        weights: Literal["uniform", "similarity"] = "uniform",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> TreeNeighbors:
        """Keep the trees, and their labels if there are any."""
        check_integer("n_neighbors", self.n_neighbors, 1)
        check_choice("weights", self.weights, {"uniform": 0, "similarity": 1})
        index = TreeIndex(self.kernel, n_jobs=self.n_jobs)
        if not getattr(index.kernel, "normalize", False):
            raise ParameterError("distances need a kernel with normalize=True")
        if y is not None and length(X) != len(y):
            raise DataError(f"there are {length(X)} trees and {len(y)} labels: give each tree one")
        index.add(X)
        if len(index) == 0:
            raise DataError("there are no trees to find neighbours among")
        self.index_ = index
        if y is not None:
            self.classes_, self._labels = np.unique(np.asarray(y), return_inverse=True)
        return self

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the distances and the places of the nearest trees, the nearest first.

        Parameters
        ----------
        X : trees, optional
            By default those that were fitted; a tree is then not its own neighbour.
        n_neighbors : int, optional
            By default that of the estimator.
        return_distance : bool, default=True
            Or else the places alone.

        Returns
        -------
        array of shape (n_queries, n_neighbors), twice
        """
        check_is_fitted(self, "index_")
        count = check_integer("n_neighbors", n_neighbors or self.n_neighbors, 1)
        others = len(self.index_) - (X is None)
        if count > others:
            raise ParameterError(f"n_neighbors is {count}, and there are {others} trees to choose")
        queries = self.index_.trees(range(len(self.index_))) if X is None else X
        wide = count + (X is None)
        results = self.index_.search(queries, wide)
        places = results.items.reshape(-1, wide).astype(np.int64)
        values = results.similarities.reshape(-1, wide)
        if X is None:
            itself = places == np.arange(len(places))[:, np.newaxis]
            # If as many equal trees come before it, the last one is left out instead.
            itself[~itself.any(axis=1), -1] = True
            places = places[~itself].reshape(-1, count)
            values = values[~itself].reshape(-1, count)
        return (_distances(values), places) if return_distance else places

    def radius_neighbors(self, X: Any, radius: float = 1.0, return_distance: bool = True) -> Any:
        """Return the distances and the places of all trees within a radius, the nearest first.

        Returns
        -------
        array of arrays, twice
            One for each query.
        """
        check_is_fitted(self, "index_")
        limit = check_number("radius", radius, 0)
        results = self.index_.within(X, 1.0 - limit * limit / 2.0)
        places = _arrays([hits.items.astype(np.int64) for hits in results])
        if not return_distance:
            return places
        return _arrays([_distances(hits.similarities) for hits in results]), places

    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """Return the neighbours as a sparse matrix, of ones or of distances."""
        from scipy.sparse import csr_matrix

        check_choice("mode", mode, {"connectivity": 0, "distance": 1})
        distances, places = self.kneighbors(X, n_neighbors)
        rows, count = places.shape
        data = distances.ravel() if mode == "distance" else np.ones(rows * count)
        offsets = np.arange(0, rows * count + 1, count)
        return csr_matrix((data, places.ravel(), offsets), shape=(rows, len(self.index_)))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the votes that each class gets."""
        check_is_fitted(self, "classes_")
        results: Results = self.index_.search(X, check_integer("n_neighbors", self.n_neighbors, 1))
        votes = np.zeros((len(results), len(self.classes_)))
        for row, hits in zip(votes, results, strict=True):
            weights = np.ones(len(hits)) if self.weights == "uniform" else hits.similarities
            np.add.at(row, self._labels[hits.items], weights)
            if not row.any():
                row += 1.0  # nothing is like it
        shares: NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the most votes, of equal ones the first in `classes_`."""
        votes = self.predict_proba(X)
        winners: NDArray[Any] = self.classes_[np.argmax(votes, axis=1)]
        return winners


def _distances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(np.maximum(0.0, 2.0 - 2.0 * values))


def _arrays(parts: list[NDArray[Any]]) -> NDArray[Any]:
    result = np.empty(len(parts), object)
    result[:] = parts
    return result

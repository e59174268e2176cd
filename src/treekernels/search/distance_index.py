"""DistanceIndex: trees that can be searched for those nearest to another one by edit distance."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treekernels import _native
from treekernels.common.checks import check_integer, check_number
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.forest import Forest
from treekernels.distance.edit_distance import EditDistance, memory
from treekernels.errors import ParameterError
from treekernels.kernels.base.kernel import thread_count
from treekernels.search.index.ids import Ids

__all__ = ["DistanceIndex", "DistancePair", "Neighbor"]

_MOST_ASKED = 1_000_000


class Neighbor(NamedTuple):
    """A tree that was found, and how far it is from the query."""

    id: Any
    distance: float


class DistancePair(NamedTuple):
    """Two trees that are near each other; the first was added before the second."""

    first: Any
    second: Any
    distance: float


class DistanceIndex:
    """Trees that can be searched for those nearest to another one by edit distance, exactly.

    If every edit costs 1, most trees are passed over: their numbers of nodes and their labels show
    that they are too far away. With other costs, all trees are compared.

    Parameters
    ----------
    distance : EditDistance, optional
        By default that in which every edit costs 1.
    n_jobs : int, optional
        Threads to use, -1 for all cores. No answer depends on it.
    verbose : bool, default=False
        Show progress.

    See Also
    --------
    TreeIndex : the same by a kernel, for millions of trees.

    Examples
    --------
    >>> import treekernels as tk
    >>> index = tk.DistanceIndex()
    >>> index.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(S (NP we))"])
    >>> index.search(["(S (NP you) (VP run))"], k=2)[0]
    [Neighbor(id=0, distance=1.0), Neighbor(id=1, distance=1.0)]
    >>> index.within(["(S (NP we) (VP run))"], 1)[0]
    [Neighbor(id=0, distance=0.0), Neighbor(id=1, distance=1.0)]
    >>> index.duplicates(1)
    [DistancePair(first=0, second=1, distance=1.0)]
    """

    def __init__(
        self,
        distance: EditDistance | None = None,
        *,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        if distance is not None and not isinstance(distance, EditDistance):
            raise ParameterError(f"distance must be an EditDistance or None, not {distance!r}")
        self.distance = distance or EditDistance()
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._forest = Forest()
        self._ids = Ids()
        self._asked = 0  # nodes of queries that are in the DAG as well

    def add(self, X: Any, ids: Iterable[Any] | None = None) -> None:
        """Add trees: all of them or, should one be unfit, none.

        Parameters
        ----------
        X : trees, or a table with a column of trees
        ids : sequence of int or str, optional
            What to call them, each once; by default their numbers in order of insertion.
        """
        trees = self.distance.trees(X)
        new = self._ids.check_new(ids, len(trees), np.zeros(len(self), np.uint8))
        self._forest.extend(trees)
        self._ids.extend(new)

    def __len__(self) -> int:
        return len(self._forest)

    @property
    def ids(self) -> list[Any]:
        """The ids of all trees, in order of insertion."""
        return [self._ids[place] for place in range(len(self))]

    def search(
        self, X: Any, k: int = 10, *, progress: Progress | None = None
    ) -> list[list[Neighbor]]:
        """Return the k nearest trees for each query, the nearest first, equal ones in order.

        Parameters
        ----------
        X : trees, or a table with a column of trees
            The queries.
        k : int, default=10
            How many to find; fewer if the index does not have as many.
        progress : callable, optional
            Called now and then with the queries done and in all.
        """
        return self._named(self._near(X, check_integer("k", k, 0), np.inf, progress))

    def within(
        self, X: Any, max_distance: float, *, progress: Progress | None = None
    ) -> list[list[Neighbor]]:
        """Return all trees that are at most so far from each query, the nearest first."""
        most = check_number("max_distance", max_distance, 0)
        return self._named(self._near(X, len(self), most, progress))

    def duplicates(
        self, max_distance: float, *, progress: Progress | None = None
    ) -> list[DistancePair]:
        """Return all pairs of trees that are at most so far from each other, in order.

        If costs depend on the direction, it is the distance from the second tree to the first.
        """
        most = check_number("max_distance", max_distance, 0)
        offsets, places, values = self._near(self._forest, len(self), most, progress)
        second = np.repeat(np.arange(len(self)), np.diff(offsets.astype(np.int64)))
        kept = places < second
        order = np.lexsort((second[kept], places[kept]))
        return [
            DistancePair(self._ids[int(first)], self._ids[int(other)], float(value))
            for first, other, value in zip(
                places[kept][order], second[kept][order], values[kept][order], strict=True
            )
        ]

    def _near(self, X: Any, count: int, most: float, progress: Progress | None) -> Any:
        queries = self.distance.trees(X)
        both = self._together(queries)
        with progress_bar("DistanceIndex", verbose=self.verbose, callback=progress) as bar:
            costs = self.distance.native_costs(both)
            with translate_native_errors():
                return _native.nearest_trees(
                    both.dag,
                    both.roots[len(self) :],
                    both.roots[: len(self)],
                    costs,
                    count,
                    most,
                    memory(),
                    thread_count(self.n_jobs),
                    bar,
                )

    def _together(self, queries: Forest) -> Forest:
        """Return the trees of the index and queries in one forest.

        That adds queries to the DAG of the index, which is made anew before it has grown too much.
        """
        trees = self._forest
        if queries.dag is trees.dag:
            return Forest.concatenate([trees, queries])
        self._asked += int(queries.sizes.sum())
        if self._asked > _MOST_ASKED + int(trees.sizes.sum()):
            trees, self._asked = Forest.concatenate([Forest(), trees]), 0
            self._forest = trees
        new = trees.dag.import_nodes(queries.dag, queries.roots)
        return Forest.from_roots(trees.dag, np.concatenate([trees.roots, new]))

    def _named(self, found: Any) -> list[list[Neighbor]]:
        offsets, places, values = found
        hits = [
            Neighbor(self._ids[place], value)
            for place, value in zip(places.tolist(), values.tolist(), strict=True)
        ]
        ends = offsets.tolist()
        return [hits[first:last] for first, last in pairwise(ends)]

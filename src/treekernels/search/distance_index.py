"""DistanceIndex: trees that can be searched for those nearest to another one by edit distance."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from treekernels import _native
from treekernels.common.checks import check_integer, check_number
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.distance.edit_distance import EditDistance, memory
from treekernels.errors import ModelFileError, ParameterError
from treekernels.io.files.container import MALFORMED, read_container, write_container
from treekernels.kernels.base.kernel import thread_count
from treekernels.search.index.ids import Ids

__all__ = ["DistanceIndex", "DistancePair", "Neighbor"]

_KIND = "DistanceIndex"
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

    If every edit costs 1, most trees are passed over: their numbers of nodes, their labels, and the
    order of these show that they are too far away. With other costs, all trees are compared.

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
        self._labels = _native.LabelLists()  # those of all trees
        self._ids = Ids()
        self._asked = 0  # nodes of queries that are in the DAG as well
        self._changing = threading.Lock()

    def add(self, X: Any, ids: Iterable[Any] | None = None) -> None:
        """Add trees: all of them or, should one be unfit, none.

        Parameters
        ----------
        X : trees, or a table with a column of trees
        ids : sequence of int or str, optional
            What to call them, each once; by default their numbers in order of insertion.
        """
        trees = self.distance.trees(X)
        with self._changing:
            new = self._ids.check_new(ids, len(trees), np.zeros(len(self), np.uint8))
            forest = self._with(trees)
            self._labels.add(forest.dag, forest.roots[len(self) :])
            self._forest = forest
            self._ids.extend(new)

    def __len__(self) -> int:
        return len(self._forest)

    @property
    def ids(self) -> list[Any]:
        """The ids of all trees, in order of insertion."""
        return [self._ids[place] for place in range(len(self._ids))]

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
        offsets, places, values = self._near(None, len(self), most, progress)
        second = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
        order = np.lexsort((second, places))
        return [
            DistancePair(self._ids[int(first)], self._ids[int(other)], float(value))
            for first, other, value in zip(places[order], second[order], values[order], strict=True)
        ]

    def tree(self, id: Any) -> Tree:
        """Return the tree with an id."""
        return self._forest[self._ids.find([id], np.zeros(len(self), np.uint8))[0]]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index as plain data, in one file, which is complete or not written at all.

        Costs that are functions cannot be saved; tables can.
        """
        write_container(path, _KIND, self.__getstate__())

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], *, n_jobs: int | None = None, verbose: bool = False
    ) -> DistanceIndex:
        """Return an index that was saved.

        Raises
        ------
        ModelFileError
            When the file is not such an index, is cut off, or was altered.

        Examples
        --------
        >>> import tempfile, treekernels as tk
        >>> index = tk.DistanceIndex()
        >>> index.add(["(A b)", "(A c)"], ids=["b", "c"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/trees.tkd")
        ...     tk.DistanceIndex.load(f"{folder}/trees.tkd").search(["(A c)"], k=1)[0]
        [Neighbor(id='c', distance=0.0)]
        """
        kind, content = read_container(path)
        if kind != _KIND:
            raise ModelFileError(f"{path}: holds {kind!r}, which is no index by edit distance")
        index = cls.__new__(cls)
        try:
            index.__setstate__({**content, "n_jobs": n_jobs, "verbose": verbose})
        except MALFORMED as error:
            raise ModelFileError(f"{path}: the parts of the index do not fit ({error})") from error
        return index

    def __getstate__(self) -> dict[str, Any]:
        with self._changing:
            # What queries have left in the DAG is not saved.
            forest = Forest.concatenate([Forest(), self._forest])
            return {"distance": self.distance, "trees": forest, "ids": self._ids.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        trees, distance = state["trees"], state["distance"]
        if not isinstance(trees, Forest) or not isinstance(distance, EditDistance):
            raise ValueError("it has no trees, or no distance")
        self.__init__(  # type: ignore[misc]
            distance, n_jobs=state.get("n_jobs"), verbose=bool(state.get("verbose"))
        )
        self.add(trees)
        self._ids = Ids.from_state(state["ids"])
        if len(set(self.ids)) != len(self._ids) or len(self._ids) != len(trees):
            raise ValueError("trees do not have an id each")

    def _near(self, X: Any, count: int, most: float, progress: Progress | None) -> Any:
        """Return what is near each tree of X; or, for None, near each tree and before it."""
        queries = None if X is None else self.distance.trees(X)
        with self._changing:
            both = self._forest if queries is None else self._together(queries)
            labels, known = self._labels, len(self)
        with progress_bar("DistanceIndex", verbose=self.verbose, callback=progress) as bar:
            costs = self.distance.native_costs(both)
            with translate_native_errors():
                return _native.nearest_trees(
                    both.dag,
                    both.roots if queries is None else both.roots[known:],
                    both.roots[:known],
                    costs,
                    labels,
                    queries is None,
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
        if queries.dag is not self._forest.dag:
            self._asked += int(queries.sizes.sum())
            if self._asked > _MOST_ASKED + int(self._forest.sizes.sum()):
                forest, labels = Forest.concatenate([Forest(), self._forest]), _native.LabelLists()
                labels.add(forest.dag, forest.roots)
                self._forest, self._labels, self._asked = forest, labels, 0
        return self._with(queries)

    def _with(self, more: Forest) -> Forest:
        """Return the trees of the index and others in a forest of the same DAG."""
        trees = self._forest
        new = more.roots if more.dag is trees.dag else trees.dag.import_nodes(more.dag, more.roots)
        return Forest.from_roots(trees.dag, np.concatenate([trees.roots, new]))

    def _named(self, found: Any) -> list[list[Neighbor]]:
        offsets, places, values = found
        hits = [
            Neighbor(self._ids[place], value)
            for place, value in zip(places.tolist(), values.tolist(), strict=True)
        ]
        ends = offsets.tolist()
        return [hits[first:last] for first, last in pairwise(ends)]

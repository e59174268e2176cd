"""ApproximateSearch: candidates by vectors, and exact values for them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from treekernels.common.checks import check_integer
from treekernels.common.optional import require
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import forest_of
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.embeddings import DistributedTrees
from treekernels.errors import ParameterError
from treekernels.kernels import Kernel, SubtreeKernel
from treekernels.kernels.weights.productions import default_decay
from treekernels.search.index.results import Results
from treekernels.search.tree_index import TreeIndex

__all__ = ["ApproximateSearch"]

_LARGEST_DECAY = 0.2  # above it, most of a large tree's vector is noise
_ROWS = 4096


class ApproximateSearch:
    """Search an index by vectors: some trees may be missed, and the similarities are exact.

    The vectors of the trees go into an index of the package faiss (``pip install
    faiss-cpu``). For each query it finds candidates in a time that hardly grows with the
    number of trees; the kernel then compares the query with these. So what is found has the
    similarity that the exact search would give, in the same order, but a tree that is not among the
    candidates is missed. Use it where `TreeIndex.search` is too slow: for kernels that have no
    index of their own, such as `PartialTreeKernel`, and where hardly any tree is like the queries.

    It follows the index: trees that were added to it are taken in by the next search, and those
    that were removed are passed over.

    Parameters
    ----------
    index : TreeIndex
        Its kernel must be normalised.
    candidates : int, default=100
        How many trees are compared exactly for each query. The more, the fewer are missed.
    vectors : transformer, optional
        What makes vectors of a forest, whose dot products are the larger the more similar two trees
        are. By default ``DistributedTrees(1024, normalize=True)`` with the decay of the kernel, or
        0.2 if that is larger.
    layout : str, default="HNSW32"
        The index of faiss, as its ``index_factory`` takes it. "HNSW32" is a graph that is searched
        from neighbour to neighbour; "Flat" compares with all vectors.

    Examples
    --------
    >>> import treekernels as tk
    >>> index = tk.TreeIndex(tk.PartialTreeKernel())
    >>> index.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(T a)"])
    >>> search = tk.ApproximateSearch(index, candidates=2)
    >>> search.search(["(S (NP we) (VP run))"], k=1)[0]
    <Hits: 0: 1>
    """

    def __init__(
        self,
        index: TreeIndex,
        *,
        candidates: int = 100,
        vectors: Any = None,
        layout: str = "HNSW32",
    ) -> None:
        self.index = index
        self.candidates = check_integer("candidates", candidates, 1)
        self.layout = layout
        self.vectors = vectors
        self._faiss = require("faiss", "faiss", "approximate search")
        self._changing = threading.Lock()
        self._near: Any = None  # the index of faiss
        self._transformer: Any = None
        self._forest = Forest()
        self._items: NDArray[np.uint32] = np.empty(0, np.uint32)  # by number in the forest
        self._next = 0  # the first item that has no vector yet
        if not getattr(index.kernel, "normalize", False):
            raise ParameterError("approximate search needs a kernel with normalize=True")

    def search(self, X: Any, k: int = 10, *, progress: Progress | None = None) -> Results:
        """Return about the k trees of the index that are most like each of some others.

        Parameters
        ----------
        X : trees, or a table with a column of trees
            The queries.
        k : int, default=10
            How many to find, at most as many as there are candidates.
        progress : callable, optional
            Called now and then with the queries done and in all.

        Returns
        -------
        Results
            As of `TreeIndex.search`.
        """
        k = check_integer("k", k, 0)
        if k > self.candidates:
            raise ParameterError(
                f"k={k} is more than the {self.candidates} candidates: ask for more candidates"
            )
        queries = forest_of(X, None if isinstance(X, Forest) else self.index.column)
        with self._changing:
            self._catch_up()
            forest, items, near = self._forest, self._items, self._near
            removed = self.index.removed
        offsets, hits, values = [0], [np.empty(0, np.uint32)], [np.empty(0)]
        with progress_bar("searching", verbose=self.index.verbose, callback=progress) as report:
            for start in range(0, len(queries) if near is not None else 0, _ROWS):
                part = queries[start : start + _ROWS]
                wanted = min(self.candidates, len(items))
                for row, numbers in enumerate(near.search(self._vectors_of(part), wanted)[1]):
                    candidates = np.sort(numbers[numbers >= 0])
                    candidates = candidates[~removed[items[candidates]]]
                    similar = self._similarities(part[row : row + 1], forest[candidates])
                    best = np.argsort(-similar, kind="stable")[:k]
                    hits.append(items[candidates[best]])
                    values.append(similar[best])
                    offsets.append(offsets[-1] + len(best))
                    if report is not None:
                        report(start + row + 1, len(queries))
        offsets += [offsets[-1]] * (len(queries) + 1 - len(offsets))  # nothing was indexed yet
        return self.index.results(
            np.array(offsets, np.uint64), np.concatenate(hits), np.concatenate(values)
        )

    def _similarities(self, query: Forest, candidates: Forest) -> NDArray[np.float64]:
        if len(candidates) == 0:
            return np.empty(0)
        # Copied apart from all the others, so that a kernel looks at nothing else.
        few, column = Forest.concatenate([query, candidates]), self.index.column
        values = self.index.kernel(Examples({column: few[:1]}), Examples({column: few[1:]}))
        row: NDArray[np.float64] = values[0]
        return row

    def _catch_up(self) -> None:
        """Take in the trees that were added to the index since the last search."""
        removed = self.index.removed
        new = np.arange(self._next, len(removed), dtype=np.uint32)
        new = new[~removed[self._next :]]
        if len(new):
            trees = self.index.numbered(new)
            if self._transformer is None:
                vectorizer = self.vectors or vectors_for(self.index.kernel)
                self._transformer = clone(vectorizer).fit(trees)
            vectors = self._vectors_of(trees)
            if self._near is None:
                metric = self._faiss.METRIC_INNER_PRODUCT
                near = self._faiss.index_factory(vectors.shape[1], self.layout, metric)
                near.train(vectors)
            else:
                near = self._faiss.clone_index(self._near)  # others may be searching it
            near.add(vectors)
            self._forest = Forest.concatenate([self._forest, trees]) if len(self._forest) else trees
            self._items = np.concatenate([self._items, new])
            self._near = near
        self._next = len(removed)

    def _vectors_of(self, trees: Forest) -> NDArray[np.float32]:
        return np.ascontiguousarray(self._transformer.transform(trees), np.float32)

    def __repr__(self) -> str:
        return f"<ApproximateSearch: {self.candidates} candidates by {self.layout}, {self.index!r}>"


def vectors_for(kernel: Kernel) -> DistributedTrees:
    """Return what makes vectors that go with a kernel, as far as there are such vectors."""
    decay = min(_LARGEST_DECAY, default_decay(getattr(kernel, "decay", _LARGEST_DECAY)))
    if isinstance(kernel, SubtreeKernel):
        return DistributedTrees(1024, decay, kernel="subtree", normalize=True)
    return DistributedTrees(1024, decay, normalize=True)

"""TreeIndex: trees that can be searched for those most like another one."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from treekernels.common.checks import check_integer, check_number
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import forest_of
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ModelFileError, ParameterError
from treekernels.io.files.container import MALFORMED, map_container, write_container
from treekernels.io.formats import reading_of
from treekernels.kernels import Kernel
from treekernels.kernels.automatic import AutomaticKernel
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.kernel import thread_count
from treekernels.kernels.base.matrices import Run, matrix_for
from treekernels.search.index.expansion import Neighborhood
from treekernels.search.index.ids import Ids
from treekernels.search.index.native_store import NativeAnswers
from treekernels.search.index.origins import origins_of
from treekernels.search.index.results import Duplicates, Results
from treekernels.search.index.stores import store_for

if TYPE_CHECKING:
    from treekernels.explanation.fragment import Fragments

__all__ = ["TreeIndex"]

_KIND = "TreeIndex"
_AUTOMATIC = "auto"


class TreeIndex:
    """Trees that can be searched for those most like another one, exactly as their kernel says.

    Every similarity is a kernel value: ``search`` gives what sorting a row of the Gram matrix
    would, and ``duplicates`` what looking through all of the matrix would. With a
    `SubsetTreeKernel`, a `SubtreeKernel`, or a kernel whose features can be counted
    (`TreeFeaturesKernel`, `PQGramKernel`, `SubpathKernel`), most trees are passed over, because a
    bound shows that they cannot be among the answers; the values may differ from those of the Gram
    matrix in the last digits, by some ``1e-13`` of the value. Other tree kernels, and sums of them,
    are searched through rows of their Gram matrix, so that it is best to ask for many trees at a
    time.

    Parameters
    ----------
    kernel : Kernel or "auto", default="auto"
        With "auto", the kernel is chosen when the first trees are added, by what they are: code,
        pages, documents or sentences. After that, it is the attribute `kernel`. The parameters of
        one that you name are read when the index is made. Weights that are to be learned, as in
        ``SubsetTreeKernel(weights="idf")``, are learned from the first trees that are added, and
        stay as they are when more are added later.
    n_jobs : int, optional
        Threads to use, -1 for all cores. No answer depends on it.
    verbose : bool, default=False
        Show progress.

    See Also
    --------
    TreeNeighbors : the same as an estimator of scikit-learn.

    Notes
    -----
    The fragments of a tree are sorted by the production at their root and by its last child that
    goes on. By the Cauchy-Schwarz inequality, with ``K_s`` for the fragments of one sort::

        K(x, y) = sum_s K_s(x, y) <= sum_s sqrt(K_s(x, x) * K_s(y, y))

    so that the dot product of two sparse vectors bounds the similarity, and trees whose bound is
    too low are never compared, as in the search for similar sparse vectors of [1]_.

    References
    ----------
    .. [1] R. J. Bayardo, Y. Ma and R. Srikant, "Scaling Up All Pairs Similarity Search", WWW 2007.

    Examples
    --------
    >>> import treekernels as tk
    >>> index = tk.TreeIndex()
    >>> index.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(S (NP we) (VP sit))"])
    >>> for hit in index.search(["(S (NP you) (VP run))"], k=2)[0]:
    ...     print(hit.id, round(hit.similarity, 3))
    0 0.636
    1 0.636
    >>> index.add(["(S (NP you) (VP run))"], ids=["mine"])
    >>> index.search(["(S (NP you) (VP run))"], k=1)[0].ids
    ['mine']
    """

    reading_: dict[str, Any] | None = None
    """How ``treekernels index build`` read the trees, if it was told."""

    notes_: dict[str, Any] | None = None
    """Plain data that are saved with the index, such as which files its trees are from."""

    def __init__(
        self,
        kernel: Kernel | Literal["auto"] | None = "auto",
        *,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = _as_kernel(kernel)
        self.n_jobs = n_jobs
        self.verbose = verbose
        self._on = _column_of_trees(self.kernel)
        self._store = store_for(self.kernel, self._on)
        self._ids = Ids()
        self._neighborhood: Neighborhood | None = None  # until trees are added or removed
        self._changing = threading.Lock()  # ids and trees are added and removed together

    def add(
        self,
        X: Any,
        ids: Iterable[Any] | None = None,
        *,
        origins: Sequence[Mapping[str, str]] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Add trees: all of them or, should one be unfit, none.

        Parameters
        ----------
        X : trees, or a table with a column of trees
            What a table that was read with ``origin=True`` says of its trees (file and line, name,
            text) is shown beside them when they are found.
        ids : sequence of int or str, optional
            What to call them, each once; by default their numbers in order of insertion.
        origins : sequence of dict, optional
            The same for each tree, as texts under some of the keys "place", "name" and "text".
        progress : callable, optional
            Called now and then with the trees done and in all.
        """
        forest = self._forest(X)
        origins = origins_of(X) if origins is None else list(origins)
        if origins is not None and len(origins) != len(forest):
            raise DataError(f"there are {len(forest)} trees and {len(origins)} origins")
        with self._changing, self._running(progress) as run:
            new = self._ids.check_new(ids, len(forest), self._store.removed)
            if self.kernel.needs_fit and not forest.is_empty.all():
                kernel = self.kernel.fitted_on(Examples({self._on: forest}))
                store = store_for(kernel, self._on)
                removed = self._store.removed  # all trees so far are empty, if there are any
                store.add(self._store.trees(np.arange(len(removed), dtype=np.uint32)), run)
                store.remove(np.flatnonzero(removed).astype(np.uint32))
                store.add(forest, run)
                self.kernel, self._store = kernel, store
            else:
                self._store.add(forest, run)
            self._neighborhood = None
            self._ids.extend(new, origins)

    def remove(self, ids: Iterable[Any]) -> None:
        """Remove trees; if one of them is not there, none is removed.

        The ids may be used again. The trees that stay keep their order.
        """
        with self._changing:
            items = np.array(sorted(set(self._find(ids))), np.uint32)
            self._store.remove(items)
            self._neighborhood = None
            self._ids.forget(items.tolist())

    def search(
        self,
        X: Any,
        k: int = 10,
        *,
        expand: int | None = None,
        progress: Progress | None = None,
    ) -> Results:
        """Return the k trees of the index that are most like each of some others.

        Parameters
        ----------
        X : trees, or a table with a column of trees
            The queries.
        k : int, default=10
            How many to find; fewer if the index does not have as many.
        expand : int, optional
            Replace each similarity by a mean: that of the `expand` trees of the index which are
            nearest to the query with those nearest to the other tree, itself included. What many of
            its neighbours are like counts then, so that the answers depend on the whole collection,
            and change when trees are added or removed. It needs some of the right trees among the
            nearest ones, of which there should be about as many as there are trees of a kind; 20
            is good for groups of a hundred. The nearest trees of all trees of the index are found
            by the first such search, which takes as long as to search for all of them, and are kept
            until the index changes. Each search takes up to `expand` times as long. Meanwhile
            trees that others want to add or remove have to wait.
        progress : callable, optional
            Called now and then with the queries done and in all.

        Returns
        -------
        Results
            For each query its `Hits`: ids and similarities, the largest first, equal ones in order
            of insertion.

        Notes
        -----
        With `expand`, and N(x) for the nearest trees of x in the index::

            E(q, x) = mean of K(a, b) over all a in N(q) and b in N(x)

        Examples
        --------
        >>> import treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(S (NP we) (VP run))", "(S (NP we) (VP sit))", "(S (NP you) (VP sit))"])
        >>> index.search(["(S (NP we) (VP run))"], k=2)[0]
        <Hits: 0: 1, 1: 0.6364>
        >>> index.search(["(S (NP we) (VP run))"], k=2, expand=2)[0]
        <Hits: 0: 0.8182, 1: 0.8182>
        """
        k = check_integer("k", k, 0)
        if expand is not None:
            return self._expanded(self._forest(X), k, check_integer("expand", expand, 1), progress)
        with self._running(progress) as run:
            return Results(self._ids, *self._store.search(self._forest(X), k, run))

    def _expanded(self, queries: Forest, k: int, expand: int, progress: Progress | None) -> Results:
        """Search by means over neighbours, which are those of one state of the index."""
        with self._changing, self._running(progress) as run:
            near = self._near(expand, run)
            hits = near.search(self.kernel, self._on, self._store, queries, k, expand, run)
            return Results(self._ids, *hits)

    def _near(self, expand: int, run: Run) -> Neighborhood:
        """Return which trees are nearest to each; the caller has the lock."""
        if self._neighborhood is None or not self._neighborhood.reaches(expand):
            self._neighborhood = Neighborhood.of(self._store, expand, run)
        return self._neighborhood

    def within(self, X: Any, threshold: float, *, progress: Progress | None = None) -> Results:
        """Return all trees of the index that are similar enough to each of some others.

        Examples
        --------
        >>> import treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(T a)"])
        >>> index.within(["(S (NP we) (VP run))"], 0.5)[0]
        <Hits: 0: 1, 1: 0.6364>
        """
        least = check_number("threshold", threshold)
        with self._running(progress) as run:
            return Results(self._ids, *self._store.within(self._forest(X), least, run))

    def duplicates(self, threshold: float = 0.9, *, progress: Progress | None = None) -> Duplicates:
        """Return all pairs of trees of the index that are similar enough to each other.

        Parameters
        ----------
        threshold : float, default=0.9
            Above 0.

        Returns
        -------
        Duplicates
            The pairs, in order of insertion; its `groups` are the trees that pairs join.

        Examples
        --------
        >>> import treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(T a)", "(T a)"])
        >>> for pair in index.duplicates(0.6):
        ...     print(pair.first, pair.second, round(pair.similarity, 3))
        0 1 0.636
        2 3 1.0
        >>> index.duplicates(0.6).groups
        [[0, 1], [2, 3]]
        """
        least = check_number("threshold", threshold, above=0)
        with self._running(progress) as run:
            return Duplicates(self._ids, *self._store.pairs(least, run))

    def neighbor_graph(
        self, threshold: float, *, expand: int | None = None, progress: Progress | None = None
    ) -> Any:
        """Return the similarities of at least `threshold` as a sparse matrix, for clustering.

        Parameters
        ----------
        threshold : float
            Above 0.
        expand : int, optional
            Replace each similarity by the mean over as many nearest trees of both, as in `search`,
            on the diagonal too. Groups of many trees are told apart much better then.

        Returns
        -------
        sparse matrix of shape (len(index), len(index))
            Symmetric, with K(x, x) on the diagonal; rows in order of insertion.
            `SpectralClustering` takes it as it is (``affinity="precomputed"``); see
            `distance_graph` for others.
        """
        from scipy.sparse import csr_matrix

        if expand is not None:
            least = check_number("threshold", threshold, above=0)
            width = check_integer("expand", expand, 1)
            with self._changing, self._running(progress) as run:
                near = self._near(width, run)
                return near.graph(self.kernel, self._on, self._store, least, width, run)
        pairs = self.duplicates(threshold, progress=progress)
        present = np.flatnonzero(~self.removed)  # the trees that have a row
        diagonal = self.kernel.diag(Examples({self._on: self.numbered(present)}))
        first, second = (np.searchsorted(present, side) for side in (pairs.first, pairs.second))
        rows = np.arange(len(present))
        places = np.concatenate([first, second, rows]), np.concatenate([second, first, rows])
        values = np.concatenate([pairs.similarities, pairs.similarities, diagonal])
        return csr_matrix((values, places), shape=(len(present),) * 2)

    def distance_graph(
        self,
        threshold: float,
        *,
        dense: bool = False,
        expand: int | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """Return ``sqrt(2 - 2 K)`` of what is at least `threshold` similar, as a sparse matrix.

        For ``DBSCAN(metric="precomputed")`` and other estimators that take sparse graphs of
        distances. The kernel must be normalised.

        Parameters
        ----------
        threshold : float
            Above 0.
        dense : bool, default=False
            Return an array, for estimators such as ``AgglomerativeClustering`` that take nothing
            else. Trees that are less similar have the distance ``sqrt(2)`` there, as if they shared
            nothing.
        expand : int, optional
            Take means over as many nearest trees, as in `neighbor_graph`. With E for them, the
            distance is ``sqrt(E(x, x) + E(y, y) - 2 E(x, y))``.

        Returns
        -------
        sparse matrix, or array, of shape (len(index), len(index))
            Equal trees have the distance 0, which is kept as a number of its own.
        """
        if not getattr(self.kernel, "normalize", False):
            raise ParameterError("distances need a kernel with normalize=True")
        graph = self.neighbor_graph(threshold, expand=expand, progress=progress)
        own = np.ones(graph.shape[0]) if expand is None else graph.diagonal()
        rows = np.repeat(np.arange(len(own)), np.diff(graph.indptr))
        graph.data = np.sqrt(np.maximum(0.0, own[rows] + own[graph.indices] - 2.0 * graph.data))
        if not dense:
            return graph
        distances = matrix_for(graph.shape, None, None)
        np.sqrt(own[:, None] + own, out=distances)
        entries = graph.tocoo()
        distances[entries.row, entries.col] = entries.data
        np.fill_diagonal(distances, 0.0)
        return distances

    def explain(self, query: Any, id: Any, *, top: int = 10) -> Fragments:
        """Return the fragments that a tree shares with one of the index, the weightiest first.

        Parameters
        ----------
        query : tree
        id : int or str
            The id of a tree in the index.
        top : int, default=10
            How many.

        Returns
        -------
        Fragments
            The weights of all shared fragments would add up to the similarity.

        Examples
        --------
        >>> import treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(S (NP we) (VP run))"])
        >>> for shared in index.explain("(S (NP they) (VP run))", 0, top=2):
        ...     print(shared.text)
        leaf (run)
        production (S NP VP)
        """
        # Learners need scikit-learn, which takes longer to import than most searches.
        from treekernels.explanation.explained_summand import (
            Direction,
            ExplainedSummand,
            has_fragments,
        )
        from treekernels.explanation.fragment import Fragments
        from treekernels.explanation.shared_features import shared_features
        from treekernels.learners.models.model import Model

        top = check_integer("top", top, 1)
        queries, known = as_forest([query]), self.trees([id])
        if isinstance(self.kernel, CountedFeaturesKernel):
            return shared_features(self.kernel, queries, known, top)
        # A model that knows one tree scores another by their kernel value. So what explains the
        # score is what they share.
        model = Model(self.kernel, 1)
        model.add(Examples({self._on: known}), np.ones((1, 1)))
        summands = [weighted for weighted in model.weighted_examples() if has_fragments(weighted)]
        if not summands:
            raise DataError(
                "the kernel has no fragments that can be listed: those of subset trees, subtrees "
                "and partial trees can"
            )
        fragments = Fragments()
        for weighted in summands:
            summand = ExplainedSummand(weighted, None, Examples({self._on: queries}).X)
            fragments += summand.best([Direction(None, 0, 1.0)], top)
        return fragments

    def origin(self, id: Any) -> dict[str, str]:
        """Return what is known of a tree beside its id: some of "place", "name" and "text".

        Examples
        --------
        >>> import treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(S (NP we) (VP run))"], ids=["s1"], origins=[{"text": "We run"}])
        >>> index.origin("s1")
        {'text': 'We run'}
        """
        return dict(self._ids.origin(self._find([id])[0]))

    def tree(self, id: Any) -> Tree:
        """Return the tree with an id."""
        return self.trees([id])[0]

    def trees(self, ids: Iterable[Any]) -> Forest:
        """Return the trees with some ids, in this order."""
        return self._store.trees(np.array(self._find(ids), np.uint32))

    def numbered(self, items: Any) -> Forest:
        """Return trees by their numbers in order of insertion; none of them may be removed."""
        return self._store.trees(np.asarray(items, np.uint32))

    def results(self, offsets: Any, items: Any, values: Any) -> Results:
        """Return hits that were found by number elsewhere with the ids of this index."""
        return Results(self._ids, offsets, items, values)

    @property
    def removed(self) -> NDArray[np.bool_]:
        """Whether each tree was removed, by its number in order of insertion."""
        return self._store.removed.astype(bool)

    @property
    def is_native(self) -> bool:
        """Whether the native core has an index for the kernel, which passes over most trees."""
        return isinstance(self._store, NativeAnswers)

    @property
    def column(self) -> Any:
        """The column of X that the kernel looks at; None for X as a whole."""
        return self._on

    @property
    def ids(self) -> list[Any]:
        """The ids of all trees, in order of insertion."""
        # Trees that another thread is about to add have no ids yet.
        named = self.removed[: len(self._ids)]
        return [self._ids[int(item)] for item in np.flatnonzero(~named)]

    @property
    def nbytes(self) -> int:
        """The bytes of the index, in memory or in its file."""
        return self._store.bytes

    def __len__(self) -> int:
        return int(np.count_nonzero(~self.removed))

    def __contains__(self, id: Any) -> bool:
        try:
            self._find([id])
        except (TypeError, ValueError):
            return False
        return True

    def __repr__(self) -> str:
        return f"<TreeIndex: {len(self):,} trees, {self.kernel!r}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the index as plain data, in one file, which is complete or not written at all."""
        write_container(path, _KIND, self._content())

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        verify: bool = False,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> TreeIndex:
        """Open an index that was saved. Trees can be added to it and removed; the file stays.

        If the kernel is searched by the native core, only the tables of labels and productions are
        read. The rest is mapped into memory and read where a search needs it.

        Parameters
        ----------
        path : path
        verify : bool, default=False
            Read all of the file, and compare its checksum. Without, a file that was cut off, or
            whose description was altered, is refused at once; numbers that do not fit are refused
            when a search meets them; other changes are not noticed.

        Raises
        ------
        ModelFileError
            When the file is not an index, is cut off, or was altered.

        Examples
        --------
        >>> import tempfile, treekernels as tk
        >>> index = tk.TreeIndex()
        >>> index.add(["(A b)", "(A c)"], ids=["b", "c"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     index.save(f"{folder}/trees.tki")
        ...     tk.TreeIndex.load(f"{folder}/trees.tki").search(["(A c)"], k=1)[0].ids
        ['c']
        """
        return cls.of_content(
            path, *map_container(path, verify=verify), n_jobs=n_jobs, verbose=verbose
        )

    @classmethod
    def of_content(
        cls,
        path: str | os.PathLike[str],
        kind: str,
        content: Any,
        *,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> TreeIndex:
        """Open an index of which a file was read already, but nothing was done with it yet."""
        if kind != _KIND:
            raise ModelFileError(f"{path}: holds {kind!r}, which is not an index of trees")
        index = cls.__new__(cls)
        try:
            index.__setstate__((content, n_jobs, verbose))
        except MALFORMED as error:
            raise ModelFileError(f"{path}: the parts of the index do not fit ({error})") from error
        return index

    def _content(self) -> dict[str, Any]:
        return {
            "kernel": _AUTOMATIC if isinstance(self.kernel, AutomaticKernel) else self.kernel,
            "native": self.is_native,
            "ids": self._ids.state(),
            "store": self._store.state(),
            **({} if self.reading_ is None else {"reading": self.reading_}),
            **({} if self.notes_ is None else {"notes": self.notes_}),
        }

    def __getstate__(self) -> tuple[dict[str, Any], int | None, bool]:
        return self._content(), self.n_jobs, self.verbose

    def __setstate__(self, state: tuple[dict[str, Any], int | None, bool]) -> None:
        content, n_jobs, verbose = state
        kernel = content["kernel"]
        if isinstance(kernel, str):
            kernel = _as_kernel(kernel)
        if not isinstance(kernel, Kernel):
            raise ValueError("the kernel is none")
        kernel.check_parameters()
        TreeIndex.__init__(self, kernel, n_jobs=n_jobs, verbose=verbose)
        # Earlier versions searched trees of counted features by rows of a Gram matrix.
        if bool(content["native"]) and not self.is_native:
            raise ValueError("the kernel is searched in another way by this version")
        self._store.restore(content["store"])
        self._ids = Ids.from_state(content["ids"])
        if len(self._ids) != len(self._store.removed):
            raise ValueError("there are more or fewer ids than trees")
        self.reading_ = reading_of(content)
        self.notes_ = content.get("notes")

    def _find(self, ids: Iterable[Any]) -> list[int]:
        return self._ids.find(ids, self._store.removed)

    def _forest(self, X: Any) -> Forest:
        """Return the trees of X; a forest may come without the column that the kernel names."""
        return forest_of(X, None if isinstance(X, Forest) else self._on)

    @contextmanager
    def _running(self, progress: Progress | None) -> Iterator[Run]:
        with progress_bar(_KIND, verbose=self.verbose, callback=progress) as report:
            yield Run(thread_count(self.n_jobs), report)


def _as_kernel(kernel: Any) -> Any:
    """Return a kernel for what may be one, or else "auto" or None, which mean the same."""
    if kernel is None or (isinstance(kernel, str) and kernel == _AUTOMATIC):
        return AutomaticKernel()
    return kernel


def _column_of_trees(kernel: Kernel) -> Any:
    """Return the one column of trees that a kernel looks at."""
    if not isinstance(kernel, Kernel):
        from treekernels.distance import EditDistance

        other = ": DistanceIndex searches by distance" if isinstance(kernel, EditDistance) else ""
        raise ParameterError(f"an index needs a kernel, not {kernel!r}{other}")
    kernel.check_parameters()
    leaves = list(kernel.leaves())
    if any(leaf.takes not in ("trees", None) for leaf in leaves):
        raise ParameterError(
            "an index holds trees: its kernel is a tree kernel, or a sum or product of some"
        )
    columns = [leaf.on for leaf in leaves if leaf.takes == "trees"]
    if not columns or any(column != columns[0] for column in columns):
        raise ParameterError("all parts of the kernel of an index look at one column of trees")
    return columns[0]

"""EditDistance: what it costs to make one tree of another by edits, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from treekernels import _native
from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_number, check_parameters, optional, rules
from treekernels.common.limits import check_unfolded, get_limits, memory_limit
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import Progress, progress_bar
from treekernels.data.columns import forest_of
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree import Tree
from treekernels.distance.costs import (
    LabelCosts,
    RenameCosts,
    check_label_costs,
    check_rename_costs,
    native_costs,
)
from treekernels.errors import DataError
from treekernels.io.files.container import register_object
from treekernels.kernels.base.kernel import check_n_jobs, thread_count
from treekernels.kernels.base.matrices import matrix_for
from treekernels.kernels.base.parameters import Parameters

__all__ = ["EditDistance", "edit_distance"]

_MOST = optional(lambda name, value: check_number(name, value, 0))


@parameter_class
class EditDistance(Parameters):
    """The tree edit distance: the least that it costs to make one tree of another.

    An edit inserts a node, deletes one, whose children then take its place, or renames one. Trees
    are ordered, and the distance is exact. By default every edit costs 1.

    Parameters
    ----------
    insert, delete : float, dict or callable, default=1.0
        What it costs to insert or delete a node: a number; a table by label, in which labels that
        are missing cost 1; or a function of the label.
    rename : float, dict, callable, SimilarLabels, WordVectors or "text", default=1.0
        What it costs to rename a node: a number; a table by pairs of labels, which counts both ways
        unless it has both, and in which other pairs cost 1; or a function of both labels. If labels
        are similar as in `PartialTreeKernel`, it is 1 less the similarity. "text" is the share of
        the characters that have to be changed, for labels that are words or sentences. It never
        costs anything to keep a label.
    on : str, optional
        The column of X that holds the trees, when X has columns.
    n_jobs : int, optional
        Threads to use, -1 for all cores. No answer depends on it.
    verbose : bool, default=False
        Show progress.

    See Also
    --------
    edit_distance : the distance of two trees, or of two lists of them.
    edit_script : what has to be changed.

    Notes
    -----
    The most that can be saved over deleting all of one tree and inserting all of the other is
    computed by the algorithm of [1]_ from the better side, or, where that would take long, along
    heavy paths as in [2]_, whichever is best for each pair of subtrees. What is equal at the edges
    of two trees is not compared. Time and memory grow with the product of the sizes of two trees at
    best, and the time with its one-and-a-halfth power at worst.

    If it costs less to insert and delete than to rename, nodes are not renamed. Each node is edited
    once at most, so that costs need not obey the triangle inequality; if they do, so does the
    distance.

    References
    ----------
    .. [1] K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees
       and related problems", SIAM Journal on Computing 18, 1989.
    .. [2] E. Demaine et al., "An optimal decomposition algorithm for tree edit distance", ACM
       Transactions on Algorithms 6, 2009.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(S (VP run))"]
    >>> tk.EditDistance()(trees)
    array([[0., 1., 2.],
           [1., 0., 2.],
           [2., 2., 0.]])
    >>> tk.EditDistance(rename={("we", "they"): 0.25})(trees[:1], trees)
    array([[0.  , 0.25, 2.  ]])
    >>> tk.EditDistance()(trees[:2], trees[1:], paired=True)
    array([1., 2.])
    """

    insert: LabelCosts = 1.0
    delete: LabelCosts = 1.0
    rename: RenameCosts = 1.0
    _: KW_ONLY
    on: Any = None
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        insert=check_label_costs,
        delete=check_label_costs,
        rename=check_rename_costs,
        n_jobs=check_n_jobs,
    )

    def check_parameters(self) -> None:
        """Raise a `ParameterError` if a parameter is not what it may be."""
        check_parameters(self, self.parameter_rules)

    def __call__(
        self,
        X: Any,
        Y: Any = None,
        *,
        paired: bool = False,
        max_distance: float | None = None,
        out: Array | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Floats:
        """Return the distances of all trees of X from all trees of Y.

        Parameters
        ----------
        X, Y : sequences of trees, or tables with a column of trees
            Without Y, the distances of the trees of X from each other.
        paired : bool, default=False
            Return the distance of each tree of X from the tree in the same place of Y alone.
        max_distance : float, optional
            Distances above it are given as infinity.
        out : array of shape (len(X), len(Y)), optional
            Where to put the matrix.
        dtype : float32 or float64, optional
            The type of a new matrix; float64 by default.
        n_jobs : int, optional
            How many threads to use; overrides the object's own.
        progress : callable, optional
            Called now and then with the pairs done and in all.

        Returns
        -------
        array of shape (len(X), len(Y)), or (len(X),) if `paired`
        """
        most = _MOST("max_distance", max_distance)
        limit = np.inf if most is None else most
        symmetric = Y is None or Y is X
        trees = self.trees(X)
        others = trees if Y is None else self.trees(Y)
        if paired and len(trees) != len(others):
            raise DataError(
                f"X has {len(trees)} trees and Y has {len(others)}: pairs have a tree of each"
            )
        with progress_bar("EditDistance", verbose=self.verbose, callback=progress) as bar:
            both = trees if others is trees else Forest.concatenate([trees, others])
            rows, columns = both.roots[: len(trees)], both.roots[-len(others) or len(both) :]
            costs = self.native_costs(both)
            threads = thread_count(self.n_jobs if n_jobs is None else n_jobs)
            with translate_native_errors():
                if paired:
                    return _native.pair_distances(
                        both.dag, rows, columns, costs, limit, memory(), threads, bar
                    )
                result = matrix_for((len(trees), len(others)), out, dtype)
                _native.fill_distances(
                    both.dag, rows, columns, symmetric, costs, limit, result, memory(), threads, bar
                )
        return result

    def trees(self, X: Any) -> Forest:
        """Return the trees of X, which must be there, and not too large to be written out."""
        self.check_parameters()
        forest = forest_of(X, None if isinstance(X, Forest) else self.on)
        missing = np.flatnonzero(forest.is_missing)
        if len(missing):
            raise DataError(
                f"tree {missing[0] + 1} is missing, and there is no distance from what is not "
                "there: leave such examples out, as in X[~X.is_missing]"
            )
        if len(forest):
            check_unfolded(int(forest.sizes.max()))
        return forest

    def native_costs(self, forest: Forest) -> _native.EditCosts:
        """Return what edits of some trees cost, as the native core takes it."""
        return native_costs(forest, self.insert, self.delete, self.rename)


def _make_distance(name: str, parameters: dict[str, Any]) -> EditDistance:
    if name != EditDistance.__name__:
        raise ValueError(f"a distance {name!r}")
    distance = EditDistance(**parameters)
    distance.check_parameters()
    return distance


register_object("distance", EditDistance, _make_distance)


def memory() -> float:
    """Return how many bytes a comparison may take."""
    return memory_limit(get_limits().matrix_bytes)[0]


def edit_distance(
    a: Any, b: Any, *, max_distance: float | None = None, **costs: Any
) -> float | Floats:
    """Return the edit distance of two trees, or of the trees of two lists, one by one.

    Parameters
    ----------
    a, b : tree, or sequence of trees
        A text in brackets, a `Tree`, or what else `Forest` takes; or a list of such trees each.
    max_distance : float, optional
        A larger distance is given as infinity.
    **costs
        The parameters of `EditDistance`, such as ``rename=0.5``.

    Returns
    -------
    float, or array of floats

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.edit_distance("(S (NP we) (VP run))", "(S (NP they) (VP (V run)))")
    2.0
    >>> tk.edit_distance(["(A b c)", "(A b)"], ["(A c)", "(A (B b))"])
    array([1., 1.])
    >>> tk.edit_distance("(A kitten)", "(A sitting)", rename="text").__round__(3)
    0.429
    """
    distance = EditDistance(**costs)
    if is_single(a) and is_single(b):
        return float(distance([a], [b], paired=True, max_distance=max_distance)[0])
    return distance(as_forest(a), as_forest(b), paired=True, max_distance=max_distance)


def is_single(tree: Any) -> bool:
    """Return whether something is one tree, not a list of them."""
    return isinstance(tree, str | Tree | tuple)

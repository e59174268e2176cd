"""LearnedWeights: features weigh the more, the fewer classes they are in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.checks import check_number
from treekernels.common.native_errors import translate_native_errors
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import forest_of
from treekernels.data.forest import Forest
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.weights.frequencies import Frequencies, default_features
from treekernels.kernels.weights.productions import InverseDocumentFrequency, Kind

__all__ = ["LearnedWeights"]


@parameter_class
class LearnedWeights(InverseDocumentFrequency):
    """Weights of features, learned from trees with classes, so that trees of a class come closer.

    A feature that many trees have, but all of them in one class, is as telling as a rare one; a
    feature that is spread over all classes says nothing. So each weighs by the number of classes
    that it is in, where `InverseDocumentFrequency` takes the number of trees. What nobody has seen
    is in no class, and weighs as much as what is in one alone: the weights are for trees of other
    classes too.

    Parameters
    ----------
    of : "features"
        Weights are learned for kernels whose features can be counted.
    unseen : float, default=1.0
        The weight of what no tree, or a single one, had in `fit`.
    documents : int, default=0
        How many classes there were; 0 before `fit`.
    frequencies : mapping, optional
        What `fit` has counted: the number of classes of each feature.
    sharpness : float, default=1.5
        The power of the weights: 0 makes all of them 1.

    Notes
    -----
    With ``p(c)`` for the share of the trees of a class c that have a feature, the feature is in as
    many classes as this says, which is the number of classes if it is equally frequent in them::

        n = (sum of p(c)) ** 2 / (sum of p(c) ** 2)
        weight = ((1 + log((1 + classes) / (1 + n))) / (1 + log(1 + classes))) ** sharpness

    On programs for other problems than those that it is evaluated on, this ranks better than
    document frequencies, log-odds of pairs, and ratios of variances between and within classes;
    `benchmarks/bench_learned_weights.py` has the figures.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A d) (B b))", "(S (A d) (B c))"]
    >>> weights = tk.LearnedWeights().fit(trees, ["a", "a", "d", "d"])
    >>> weights
    LearnedWeights(<15 features of 2 classes>)
    >>> round(weights.weight("(leaf a)"), 2), round(weights.weight("(leaf b)"), 2)
    (0.55, 0.33)
    >>> plain, learned = tk.TreeFeaturesKernel(), tk.TreeFeaturesKernel(weights=weights)
    >>> plain(trees[:1], trees[1:3]).round(2), learned(trees[:1], trees[1:3]).round(2)
    (array([[0.64, 0.64]]), array([[0.67, 0.35]]))
    """

    of: Kind = "features"
    _: KW_ONLY
    unseen: float = 1.0
    documents: int = 0
    frequencies: Any = None
    sharpness: float = 1.5

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,
        *,
        pairs: Iterable[tuple[int, int]] | None = None,
        kernel: Any = None,
        on: Any = None,
    ) -> LearnedWeights:
        """Count the classes of all features, and return a table that knows them; this one stays.

        Parameters
        ----------
        X : trees
        y : sequence of labels, optional
            The class of each tree.
        pairs : pairs of numbers, optional
            Instead of classes, trees that belong together, by their places in X. What pairs join
            is a class, and each other tree is one of its own.
        kernel : kernel, optional
            Whose weights these will be; by default a `TreeFeaturesKernel`. It says which features
            there are.
        on : str, optional
            The column of X that holds the trees, when X has columns.
        """
        self.check()
        forest = forest_of(X, on)
        if (y is None) == (pairs is None):
            raise ParameterError("weights are learned either from labels y or from pairs")
        classes = _joined(len(forest), pairs or ()) if y is None else _numbered(y)
        if len(classes) != len(forest):
            raise DataError(f"there are {len(forest)} trees and {len(classes)} labels")
        present = np.flatnonzero(~forest.is_empty)
        order = present[np.argsort(classes[present], kind="stable")]
        if len(order) == 0:
            raise DataError("there are no trees to learn weights from")
        if kernel is None:
            features = default_features()
        else:
            features = kernel.with_params(weights=None).native_kernel()
        spreads = _spreads(forest[order], classes[order], features)
        count = len(np.unique(classes[order]))
        return self.with_params(documents=count, frequencies=spreads)

    def fitted_to(self, forest: Forest, features: Any) -> InverseDocumentFrequency:
        raise ParameterError(
            "learned weights need labels: give the kernel weights=LearnedWeights().fit(trees, y)"
        )

    @classmethod
    def learned_from(cls, X: Any, kernel: Any = None, on: Any = None) -> InverseDocumentFrequency:
        raise ParameterError("learned weights need labels: use LearnedWeights().fit(trees, y)")

    def check(self) -> None:
        """Raise a `ParameterError` if one of its parameters is wrong."""
        super().check()
        check_number("sharpness", self.sharpness, 0, 100)
        if self.of != "features":
            raise ParameterError(f"of must be 'features' for learned weights, not {self.of!r}")

    def _weight(self, trees: float) -> float:
        return float(super()._weight(trees) ** self.sharpness)

    def of_counts(self, counts: Floats) -> Floats:
        weights: Floats = super().of_counts(counts) ** self.sharpness
        return weights

    def __repr__(self) -> str:
        changed = "" if self.sharpness == 1.5 else f"sharpness={self.sharpness!r}"
        known = f"<{len(self.frequencies or {})} features of {self.documents} classes>"
        unseen = "" if self.unseen == 1 else f"unseen={self.unseen!r}"
        parts = [known if self.is_fitted else "", unseen, changed]
        return f"{type(self).__name__}({', '.join(part for part in parts if part)})"


def _numbered(y: Any) -> NDArray[np.uint32]:
    _, numbers = np.unique(np.asarray(y), return_inverse=True)
    return np.asarray(numbers, np.uint32).ravel()


def _joined(count: int, pairs: Iterable[tuple[int, int]]) -> NDArray[np.uint32]:
    """Return a number for each tree, the same for those that pairs join."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = np.array(list(pairs), np.int64).reshape(-1, 2)
    if ends.size and not (ends.min() >= 0 and ends.max() < count):
        raise DataError(f"a pair names a tree that is not among the {count} trees")
    graph = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    return np.asarray(connected_components(graph, directed=False)[1], np.uint32)


def _spreads(
    forest: Forest, classes: NDArray[np.uint32], features: _native.FeatureKernel
) -> Frequencies:
    dag = _native.Dag()
    classes = np.ascontiguousarray(classes)
    with translate_native_errors():
        roots, _, spreads = _native.feature_frequencies(
            features, forest.dag, np.ascontiguousarray(forest.roots), dag, classes
        )
    # Their sums are rounded, and none is in less than one class, or in more than there are.
    spreads = np.clip(spreads, 1.0, float(len(np.unique(classes))))
    return Frequencies(Forest.from_roots(dag, roots), spreads, True)

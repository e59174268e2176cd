"""Which kernels ``kernel="auto"`` compares, for each kind of column, and what they cost.

The order matters: of kernels that do equally well, the first one is taken. Subset trees as in the
papers come first, and then what takes longer to compare or to explain.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Places
from treekernels.data.columns import On, column_names, column_of, looks_like_trees
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.pairs import Pairs, as_pairs
from treekernels.data.vectors import are_vectors
from treekernels.errors import DataError
from treekernels.kernels import (
    ElasticTreeKernel,
    Kernel,
    LinearKernel,
    NormalizedKernel,
    PartialTreeKernel,
    PQGramKernel,
    RBFKernel,
    SubpathKernel,
    SubsetTreeKernel,
    TreeFeaturesKernel,
    TripartiteKernel,
)
from treekernels.kernels.automatic import AutomaticKernel, kernel_for

# Nanoseconds on one thread, as measured on questions, XML and functions of programs.
_PAIR_OF_SUBTREES = 2.5  # with equal productions
_PAIR_OF_CHILDREN = 4.0  # of two nodes with equal labels
_FEATURE = 2.5  # of a tree, beside one other tree
_LARGE = 80  # nodes, in the mean: sentences have fewer
_INNER = 0.05  # of the labels of leaves, if leaves are nodes like others: hardly any word is one
_SIDES = ("text", "hypothesis")


def default_kernel_for(X: Any) -> Kernel:
    """Return what stands for the kernel before it is chosen: a summand for each column.

    Columns of trees and of vectors are looked at, and anchored pairs. Other columns, such as names
    and single numbers, are looked at only by kernels that name them.

    Examples
    --------
    >>> default_kernel_for(["(A b)"]), default_kernel_for(np.eye(2))
    (SubsetTreeKernel(), NormalizedKernel(kernel=LinearKernel()))
    >>> default_kernel_for({"first": ["(A b)"], "second": ["(A c)"], "id": ["x"]})
    SubsetTreeKernel(on='first') + SubsetTreeKernel(on='second')
    """
    names = column_names(X)
    if isinstance(X, Pairs):
        if X.n_placeholders.any():
            return TripartiteKernel()
        names = list(_SIDES)
    if names is None:
        return NormalizedKernel(LinearKernel()) if _is_matrix(X) else SubsetTreeKernel()
    trees = [name for name in names if looks_like_trees(column_of(X, name))]
    vectors = [name for name in names if _is_matrix(column_of(X, name))]
    terms: list[Kernel] = []
    if set(_SIDES) <= set(trees) and _are_anchored(X):
        terms.append(TripartiteKernel(on=list(_SIDES)))
        trees = [name for name in trees if name not in _SIDES]
    if len(trees) == 1 and not vectors and not terms:
        return SubsetTreeKernel()  # which finds the column, whatever it is called elsewhere
    terms += [SubsetTreeKernel(on=name) for name in trees]
    terms += [NormalizedKernel(LinearKernel(on=name)) for name in vectors]
    if not terms:
        listed = ", ".join(map(repr, names))
        raise DataError(
            f"kernel='auto' looks at columns of trees and of vectors, and X has none ({listed})"
        )
    return reduce(add, terms)


def kernel_without_labels(X: Any) -> Kernel:
    """Return what stands for a kernel that no labels choose: what the trees are of decides.

    Examples
    --------
    >>> kernel_without_labels(["(A b)"]), kernel_without_labels(np.eye(2))
    (AutomaticKernel(), NormalizedKernel(kernel=LinearKernel()))
    """
    terms = [term.kernel for term in default_kernel_for(X).summands()]
    return reduce(
        add,
        [AutomaticKernel(on=k.on) if isinstance(k, SubsetTreeKernel) else k for k in terms],
    )


def _is_matrix(column: Any) -> bool:
    """Return whether a column holds vectors: a matrix, dense or sparse, or dictionaries."""
    if are_vectors(column) or hasattr(column, "tocsr"):
        return True
    if isinstance(column, np.ndarray) and column.ndim == 2:
        return column.dtype.kind in "biuf"
    first = next((item for item in column if not is_nothing(item)), None)
    return isinstance(first, Mapping)


def _are_anchored(X: Any) -> bool:
    pairs = as_pairs(Pairs(column_of(X, _SIDES[0]), column_of(X, _SIDES[1])))
    return bool(pairs.n_placeholders.any())


def portfolio_for(kernel: Kernel, examples: Examples, separable: bool = False) -> list[Kernel]:
    """Return what is compared in the place of a summand of the default kernel, in order.

    A machine on a cluster needs kernels that are `separable`, which can be learned part by part.
    """
    if isinstance(kernel, SubsetTreeKernel):
        trees = examples.trees(kernel.on)
        if _are_large(trees):
            return large_tree_portfolio(kernel.on)
        portfolio = tree_portfolio(kernel.on)
        if _leaves_are_nodes(trees):  # and a node without children is a fragment of its own
            portfolio[:2] = reversed(portfolio[:2])
        return portfolio
    if isinstance(kernel, NormalizedKernel):
        linear = kernel.kernel
        return [linear] if separable else [kernel, RBFKernel(on=linear.on)]
    return [kernel]


def tree_portfolio(on: On = None) -> list[Kernel]:
    """Return the kernels that are compared for a column of trees, in order."""
    damped: dict[str, Any] = {"weights": "idf", "counts": "log", "on": on}
    subsets = SubsetTreeKernel(on=on)
    paths = SubpathKernel(max_length=4, **damped)
    features = TreeFeaturesKernel(weights="idf", on=on)
    return [
        subsets,
        SubsetTreeKernel(leaf_weight=1, on=on),
        subsets + paths,
        subsets + features,
        features,
        TreeFeaturesKernel(on=on),
        features + PQGramKernel(**damped),
        paths,
        ElasticTreeKernel(on=on),
        PartialTreeKernel(on=on),
    ]


def large_tree_portfolio(on: On = None) -> list[Kernel]:
    """Return the kernels that are compared for a column of large trees, such as programs.

    Plain subset trees have large fragments that no other tree has: here they are weighed and
    damped, and what comes first are small features.
    """
    damped: dict[str, Any] = {"weights": "idf", "counts": "log", "on": on}
    subsets = SubsetTreeKernel(**damped)
    paths = SubpathKernel(max_length=4, **damped)
    features = TreeFeaturesKernel(weights="idf", on=on)
    return [
        features,
        features + subsets,
        features + paths,
        features + PQGramKernel(**damped),
        paths,
        subsets,
        SubsetTreeKernel(0.1, on=on),
        TreeFeaturesKernel(on=on),
        PQGramKernel(on=on),
        ElasticTreeKernel(on=on),
        PartialTreeKernel(on=on),
    ]


def _are_large(trees: Forest) -> bool:
    return trees.n_nodes >= _LARGE * max(1, len(trees))


def _leaves_are_nodes(trees: Forest) -> bool:
    """Return whether leaves have labels that inner nodes have too, as elements of XML do."""
    below = _native.Subtrees.below(trees.dag, trees.roots, trees.dag)
    are_leaves = np.diff(below.child_offsets) == 0
    labels = np.unique(below.labels[are_leaves])
    inner = np.isin(labels, below.labels[~are_leaves])
    return bool(inner.sum() > _INNER * len(labels))


def kernel_for_few(examples: Examples, separable: bool = False) -> Kernel:
    """Return what is learned with where there are too few examples to choose by.

    It is the default kernel for small trees, and what the trees are decides for large ones, in
    which the large fragments of subset trees have no equals.
    """
    terms = []
    for term in default_kernel_for(examples.X).summands():
        kernel = portfolio_for(term.kernel, examples, separable)[0]
        if isinstance(term.kernel, SubsetTreeKernel):
            trees = examples.trees(term.kernel.on)
            if _are_large(trees):
                kernel = kernel_for(trees).with_params(on=term.kernel.on)
        terms.append(kernel)
    return reduce(add, terms)


def estimated_seconds(kernel: Kernel, examples: Examples) -> float:
    """Estimate how long a Gram matrix takes, from counts: the same on every computer."""
    return sum(_seconds_of(leaf, examples) for leaf in kernel.leaves())


def _seconds_of(leaf: Kernel, examples: Examples) -> float:
    count = len(examples)
    if leaf.takes != "trees":
        return 1e-9 * _FEATURE * count**2
    trees = examples.trees(leaf.on)
    if leaf.compares is None:
        return 1e-9 * _FEATURE * count * trees.n_nodes
    below = _native.Subtrees.below(trees.dag, trees.roots, trees.dag)
    if leaf.compares == "productions":
        return 1e-9 * (_PAIR_OF_SUBTREES * _pairs(below.productions) + _FEATURE * count**2)
    children = 1 + np.diff(below.child_offsets)
    return 1e-9 * (_PAIR_OF_CHILDREN * _pairs(below.labels, children) + _FEATURE * count**2)


def _pairs(keys: Places, weights: Any = None) -> float:
    """Count pairs with equal keys, each as often as the product of its weights."""
    known = keys >= 0
    weights = None if weights is None else weights[known]
    sums = np.bincount(keys[known], weights).astype(float)
    return float((sums * sums).sum())


def mean_nodes(examples: Examples) -> float:
    """Return how many nodes an example has in all its columns of trees."""
    nodes = 0
    for column in examples.columns.values():
        sides = [column.texts, column.hypotheses] if isinstance(column, Pairs) else [column]
        nodes += sum(side.n_nodes for side in sides if isinstance(side, Forest))
    return nodes / max(1, len(examples))

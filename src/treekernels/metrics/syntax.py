"""How diverse the syntax of a corpus is, and how similar two documents are in their syntax."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.columns import forest_of, length
from treekernels.data.forest import Forest
from treekernels.data.tree_sets import TreeSets
from treekernels.errors import DataError
from treekernels.kernels.algebra import NormalizedKernel
from treekernels.kernels.base.kernel import Kernel, thread_count
from treekernels.kernels.base.tree_kernel import TreeKernel
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.kernels.sets import SetKernel

__all__ = ["syntactic_diversity", "syntactic_similarity", "vendi_score"]


def syntactic_diversity(
    trees: Any, kernel: Kernel | str | None = None, *, n_jobs: int | None = None
) -> float:
    """Return how different the trees of a corpus are from each other: 1 minus their mean value.

    It is 0 if all trees are equal, and 1 if no two of them share anything. The mean is over all
    pairs of different examples. For most kernels it is computed without looking at all pairs, so
    that a million trees are no problem.

    Parameters
    ----------
    trees : Forest or sequence of trees
    kernel : Kernel or str, optional
        What it means to be alike. It is normalised, if it is not. By default it is the subset-tree
        kernel.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.

    Examples
    --------
    >>> import treekernels as tk
    >>> plain = ["(S (N a) (V b))", "(S (N a) (V c))", "(S (N a) (V c))"]
    >>> round(tk.metrics.syntactic_diversity(plain), 2)
    0.26
    >>> round(tk.metrics.syntactic_diversity([*plain, "(Q (V b) (N a))"]), 2)
    0.46
    """
    X, unit = _comparable(trees, kernel)
    count = length(X)
    if count < 2:
        raise DataError("diversity needs at least two trees that are not empty")
    total = _sum_of_values(unit, X, thread_count(n_jobs))
    return 1.0 - float(np.clip((total - count) / (count * (count - 1.0)), 0.0, 1.0))


def vendi_score(
    trees: Any, kernel: Kernel | str | None = None, *, n_jobs: int | None = None
) -> float:
    """Return how many different trees a corpus has in effect: its Vendi score.

    It is the exponential of the entropy of the eigenvalues of the Gram matrix, divided by the
    number of trees (Friedman and Dieng, 2023): 1 if all trees are equal, and their number if no two
    of them share anything. It takes the whole matrix and its eigenvalues, so give it some thousand
    trees at most, such as a sample.

    Parameters
    ----------
    trees, kernel, n_jobs
        As in `syntactic_diversity`.

    Examples
    --------
    >>> import treekernels as tk
    >>> round(tk.metrics.vendi_score(["(S a)", "(S a)", "(S b)", "(S b)"]), 6)
    2.0
    """
    X, unit = _comparable(trees, kernel)
    if length(X) == 0:
        raise DataError("a Vendi score needs at least one tree that is not empty")
    values = np.linalg.eigvalsh(unit(X, n_jobs=n_jobs) / length(X))
    values = values[values > 0]
    return float(np.exp(-(values @ np.log(values))))


def syntactic_similarity(
    first: Any,
    second: Any,
    kernel: Kernel | str | None = None,
    *,
    match: Literal["all", "best", "one-to-one"] = "one-to-one",
) -> float:
    """Return how alike the syntax of two documents is, from 0 to 1.

    Parameters
    ----------
    first, second : Forest or sequences of trees
        The sentences of each document.
    kernel : Kernel or str, optional
        How sentences are compared; by default the subset-tree kernel.
    match : {"all", "best", "one-to-one"}, default="one-to-one"
        Which sentences are compared with which, as in `SetKernel`: by default each has one partner
        at most, those that are together most alike, as in CASSIM (Boghrati et al., 2018). With
        "all", what both documents have on average is compared.

    See Also
    --------
    SetKernel : the same for many documents, as a matrix or in a learner.

    Examples
    --------
    >>> import treekernels as tk
    >>> first = ["(S (N a) (V b))", "(S (N a) (V c))"]
    >>> second = ["(S (N d) (V c))", "(Q (V b) (N a))"]
    >>> round(tk.metrics.syntactic_similarity(first, second), 2)
    0.56
    """
    documents = TreeSets([first, second])
    if not documents.sizes.all():
        raise DataError("a document without sentences is like no other: give trees of both")
    sets = SetKernel(as_kernel(kernel), match)
    return float(sets(documents[:1], documents[1:])[0, 0])


def _comparable(trees: Any, kernel: Kernel | str | None) -> tuple[Any, Kernel]:
    """Return the trees that are not empty, and the kernel, normalised."""
    unit = as_kernel(kernel).fitted_on(trees)
    takes_trees = all(leaf.takes in ("trees", None) for leaf in unit.leaves())
    X = forest_of(trees, None) if takes_trees and not hasattr(trees, "columns") else trees
    self_values = unit.diag(X)
    if isinstance(X, Forest) and (self_values == 0).any():
        X, self_values = X[self_values > 0], self_values[self_values > 0]
    if not np.allclose(self_values, 1.0, rtol=1e-9):
        unit = NormalizedKernel(unit)
    return X, unit


def _sum_of_values(kernel: Kernel, X: Any, threads: int) -> float:
    """Return the sum over all pairs of examples, without a matrix where the kernel allows it."""
    total = 0.0
    for summand in kernel.summands():
        leaf = summand.kernel
        if isinstance(leaf, TreeKernel) and leaf.learned_as == "forest" and isinstance(X, Forest):
            total += summand.weight * _sum_by_forest(leaf, X, threads)
        else:
            blocks = leaf.blocks(X, n_jobs=threads)
            total += summand.weight * float(sum(block.sum() for _, block in blocks))
    return total


def _sum_by_forest(kernel: TreeKernel, trees: Forest, threads: int) -> float:
    """Return the same as the scores of all trees in a model that has each with weight 1."""
    scores: Floats = np.zeros((len(trees), 1))
    with translate_native_errors():
        native = kernel.native_kernel_for(trees)
        forest = _native.WeightedForest(native, bool(kernel.normalize), 1.0, 1)
        factors = forest.factors(trees.dag, trees.roots)  # which normalise
        forest.add(trees.dag, trees.roots, np.ascontiguousarray(factors[:, np.newaxis]))
        forest.score(trees.dag, trees.roots, scores, threads)
    return float(scores.sum())

"""Which trees are similar enough, with values that depend on the two trees alone.

An index adds up the values of fragments in an order that depends on its other trees, so that the
last digits do too. Here the index finds the pairs, and each value is computed again from two trees
by themselves: so a run that knows most pairs from before says the same, bit by bit, as a run that
knows nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.progress import Progress
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest, Source
from treekernels.kernels import InverseDocumentFrequency, Kernel
from treekernels.kernels.automatic import for_copies, kernel_for
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.kernel import thread_count
from treekernels.kernels.base.matrices import Run
from treekernels.kernels.expressions.parsing import format_kernel
from treekernels.search.index.counted_store import CountedStore
from treekernels.search.tree_index import TreeIndex

SLACK = 1e-9
"""How much below the threshold the index looks, since its own values are rounded in another way."""


def learned_kernel(kernel: Kernel | None, trees: Forest, source: Source | None = None) -> Kernel:
    """Return a kernel with weights learned from trees; for None, one that suits these trees."""
    if kernel is None:
        return for_copies(kernel_for(trees, source).fitted_on(trees))
    return kernel.fitted_on(trees) if kernel.needs_fit else kernel


def expression_of(kernel: Kernel) -> str:
    """Return a kernel as text, without the weights that it has learned."""
    if isinstance(getattr(kernel, "weights", None), InverseDocumentFrequency):
        kernel = kernel.with_params(weights="idf")
    return format_kernel(kernel)


class SimilarTrees(NamedTuple):
    """Pairs of different trees by their numbers, the first smaller than the second, in order."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    similarities: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        trees: Forest,
        kernel: Kernel,
        threshold: float,
        *,
        learned_here: bool = False,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> SimilarTrees:
        """Return all pairs of some different trees that are similar enough.

        If the kernel has learned its weights from these trees, what it has not learned is in one of
        them alone, and need not be kept.
        """
        if learned_here and isinstance(kernel, CountedFeaturesKernel):
            run = Run(thread_count(n_jobs), progress)
            store = CountedStore(kernel, learned_alone=True)
            store.add(trees, Run(run.n_jobs))
            first, second, _ = store.pairs(threshold * (1 - SLACK), run)
            return cls.from_candidates(trees, kernel, kernel.on, threshold, first, second)
        index = TreeIndex(kernel, n_jobs=n_jobs)
        index.add(trees)
        near = index.duplicates(threshold * (1 - SLACK), progress=progress)
        return cls.from_candidates(trees, kernel, index.column, threshold, near.first, near.second)

    @classmethod
    def from_candidates(
        cls,
        trees: Forest,
        kernel: Kernel,
        column: Any,
        threshold: float,
        first: object,
        second: object,
    ) -> SimilarTrees:
        """Return those of some pairs that are similar enough by a kernel of a column."""
        pairs = np.sort(np.stack([np.asarray(first), np.asarray(second)], 1).astype(np.intp), 1)
        pairs = np.unique(pairs, axis=0)
        values = own_values(kernel, column, trees, pairs[:, 0], pairs[:, 1])
        enough = values >= threshold
        return cls(pairs[enough, 0], pairs[enough, 1], values[enough])


def own_values(
    kernel: Kernel,
    column: Any,
    trees: Forest,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Return the values of pairs of trees, each as if there were no others.

    Nor does the order of the pair matter: the tree comes first whose brackets do in a dictionary.
    """
    kernel.check_parameters()
    values = np.empty((len(first), 1))
    involved = np.unique(np.concatenate([first, second]))
    texts = dict(zip(involved.tolist(), trees[involved].to_brackets(), strict=True))
    for place, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        dag = _native.Dag()
        roots = dag.import_nodes(trees.dag, trees.roots[sorted(pair, key=texts.__getitem__)])
        sides = [Forest.from_roots(dag, roots[side : side + 1]) for side in (0, 1)]
        one, other = (Examples({column: side}) for side in sides)
        kernel.matrix_of(one, other, Run()).fill_rows(0, 1, values[place : place + 1], Run())
    return values[:, 0]

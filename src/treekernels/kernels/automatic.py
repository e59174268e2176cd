"""Kernels that choose themselves: the one that finds the right trees, by what the trees are.

No label is looked at. What trees are of decides, which the readers know, or else their shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.common.arrays import Floats
from treekernels.common.parameter_class import parameter_class
from treekernels.data.columns import On
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest, Source
from treekernels.errors import DataError
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.matrices import KernelMatrix, Run
from treekernels.kernels.pq_gram import PQGramKernel
from treekernels.kernels.tree_features import TreeFeaturesKernel
from treekernels.kernels.weights.frequencies import Frequencies
from treekernels.kernels.weights.productions import InverseDocumentFrequency

__all__ = ["AutomaticKernel", "kernel_for"]

_LOOKED_AT = 1000  # trees, which are enough to see what they are
_SMALL = 80  # nodes: sentences have fewer, and functions have more
_OWN_LABELS = 0.8, 0.05  # for each production and each node: texts that hardly ever repeat
_PAGES = 200  # which are enough to see whether they have the same parts
_TEXTS = 0.05  # of all pages: what fewer have is mostly text
_SAME = 1 / 3  # the chance that a page lacks what another one has, if they are made of the same


def kernel_for(forest: Forest, source: Source | None = None) -> Kernel:
    """Return the kernel by which trees of this kind are best searched.

    ========== ====================================== ==========================================
    source     kernel                                 if no source is known: trees of
    ========== ====================================== ==========================================
    code       ``TreeFeaturesKernel(weights="idf")``  80 nodes and more in the mean
    pages      ``PQGramKernel(counts="binary",        as many, with a label for every 20 nodes and
               weights="idf")``, or                   8 for every 10 productions at least: texts;
               ``PQGramKernel()``                     or of any size, with the root ``html``
    documents  ``PQGramKernel()``                     cannot be told from the others
    sentences  ``TreeFeaturesKernel()``               fewer than 80 nodes
    ========== ====================================== ==========================================

    Programs are told apart by rare things that they have or have not, and so are pages, which may
    repeat each part as often as they like. Only if pages have nearly all parts in common, it counts
    how often they repeat them: if what one page has, but for its texts, is missing in fewer than a
    third of the others. Documents are told apart in that way too.
    `benchmarks/bench_search_kernels.py` has the figures.

    Parameters
    ----------
    forest : Forest
        The shape is that of its first thousand trees.
    source : {"code", "pages", "documents", "sentences"}, optional
        What the trees are of; by default what the forest remembers of it.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.kernels.automatic import kernel_for
    >>> kernel_for(tk.Forest(["(S (NP we) (VP run))"]))
    TreeFeaturesKernel()
    >>> kernel_for(tk.Forest(["(Module (Pass))"], source="code"))
    TreeFeaturesKernel(weights='idf')
    """
    source = forest.source if source is None else source
    source = _source_by_shape(forest) if source is None else source
    if source == "code":
        return TreeFeaturesKernel(weights="idf")
    if source == "sentences":
        return TreeFeaturesKernel()
    if source == "pages" and not _have_the_same_parts(forest):
        return PQGramKernel(counts="binary", weights="idf")
    return PQGramKernel()


def _have_the_same_parts(pages: Forest) -> bool:
    """Return whether most pages have what one of them has, but for its texts."""
    few = pages[np.flatnonzero(~pages.is_empty)[:_PAGES]]
    if len(few) == 0:
        return False
    counts = Frequencies.of_features(few, PQGramKernel().native_kernel()).counts
    shares = counts[counts >= _TEXTS * len(few)] / len(few)
    return bool((shares * (1 - shares)).sum() < _SAME * shares.sum())


def for_copies(kernel: Kernel) -> Kernel:
    """Return a kernel that suits a threshold, with weights that were learned from the same trees.

    What a single tree has weighs no more than what two have. Otherwise, two copies among few trees
    would be told apart by every detail, because what they share would be twice as frequent.
    """
    weights = kernel.get_params(deep=False).get("weights")
    if not isinstance(weights, InverseDocumentFrequency):
        return kernel
    rarest = float(weights.of_counts(np.array([2.0]))[0])
    return kernel.with_params(weights=weights.with_params(unseen=rarest))


def _source_by_shape(forest: Forest) -> Source:
    """Return what trees of this shape are taken for."""
    present = np.flatnonzero(~forest.is_empty)[:_LOOKED_AT]
    if len(present) == 0:
        raise DataError("there are no trees to choose a kernel for")
    few = forest[present]
    if _are_called_html(few):
        return "pages"
    if few.n_nodes < _SMALL * len(few):
        return "sentences"
    a_production, a_node = _OWN_LABELS
    least = max(a_production * few.n_productions, a_node * few.n_nodes)
    return "pages" if few.n_labels >= least else "code"


def _are_called_html(trees: Forest) -> bool:
    roots = [trees.dag.label(root).lower() for root in trees.roots.tolist()]
    return 2 * sum(root.startswith("html") for root in roots) > len(roots)


@parameter_class
class AutomaticKernel(Kernel):
    """What an index has for a kernel until it has trees: ``fitted_on`` chooses one for them."""

    on: On = None

    takes = "trees"
    normalize = True

    @property
    def needs_fit(self) -> bool:
        return True

    def fitted_on(self, X: Any) -> Kernel:
        """Return the kernel that suits the trees, with weights learned from them."""
        examples = self.examples(X)
        kernel = kernel_for(examples.trees(self.on)).with_params(on=self.on)
        return kernel.fitted_on(examples)

    # Before anything is chosen, all trees are empty, for which every kernel gives 0.

    def matrix_of(self, X: Examples, Y: Examples | None, run: Run) -> KernelMatrix:
        return TreeFeaturesKernel(on=self.on).matrix_of(X, Y, run)

    def self_values(self, X: Examples) -> Floats:
        return TreeFeaturesKernel(on=self.on).self_values(X)

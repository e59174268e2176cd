"""PartialTreeKernel: common connected parts of any shape."""

from __future__ import annotations

from typing import ClassVar, Literal

from treekernels import _native
from treekernels.common.checks import check_decay, choice, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.tree_kernel import COUNTS, Algorithm, Counts, WeightedTreeKernel
from treekernels.kernels.base.tuning import DECAY_BOUNDS, Bounds, bounds_rule
from treekernels.kernels.similarity.labels import LabelPairs, LabelSimilarity, check_similarity
from treekernels.kernels.similarity.smoothed_tree_kernel import SmoothedTreeKernel
from treekernels.kernels.weights.productions import (
    Decay,
    Kind,
    Weights,
    check_decays,
    default_decay,
    factor_table,
)

__all__ = ["PartialTreeKernel"]


@parameter_class
class PartialTreeKernel(WeightedTreeKernel, SmoothedTreeKernel):
    """The partial-tree kernel (PTK) of Moschitti (ECML 2006), also smoothed (SPTK).

    A fragment is any connected part of a tree: children may be left out, and a single node is a
    fragment too. Its weight is a product: ``vertical_decay`` for each of its nodes, ``decay ** 2``
    for each node that has no children in it, and ``decay`` for each child that is skipped between
    two others, in either tree. This is the richest of the usual kernels, and the one to use for
    dependency trees.

    With a `similarity` it is the smoothed partial-tree kernel of Croce, Moschitti and Basili (EMNLP
    2011): nodes match as far as their labels do, and two fragments bring the product of that.

    Parameters
    ----------
    decay : float, default=0.4
        The factor for each child that a fragment skips between two others and, squared, for each
        leaf of a fragment; lambda in the paper.
    vertical_decay : float or dict, default=0.4
        The factor for each node of a fragment; mu in the paper. A dict gives decays by label, and
        under None the decay of all other labels.
    gaps : {"skipped", "span"}, default="skipped"
        The power of `decay` for a subsequence of children: the number of children that are skipped
        inside it, as in existing implementations, or its whole span, which is the other way to
        read the paper.
    weights : "idf", InverseDocumentFrequency or dict, optional
        What labels weigh; a fragment weighs the product for all its nodes, in both trees. "idf" is
        learned from the trees that a learner is fitted on, or by ``kernel.fitted_on(trees)``. A
        dict gives weights by label; what is not listed weighs 1, or what the dict has for None.
    vertical_decay_bounds : pair of float or "fixed", default=(1e-3, 1.0)
        The same as `decay_bounds`, for the vertical decay.

    Notes
    -----
    ``K(x, y)`` is the sum of ``C(u, v)`` over all nodes u of x and v of y [1]_, where C is 0 if
    their labels differ, and otherwise, with lambda for `decay` and mu for `vertical_decay`::

        C(u, v) = mu * (lambda ** 2 + sum_{I, J} lambda ** gaps(I, J) * prod_k C(u_I[k], v_J[k]))

    The sum is over all pairs of subsequences I and J of the children of u and v that have the same
    length, and is 0 if either node is a leaf. With a `similarity`, ``C(u, v)`` is multiplied by
    that of the two labels [2]_.

    References
    ----------
    .. [1] A. Moschitti, "Efficient Convolution Kernels for Dependency and Constituent Syntactic
       Trees", ECML 2006.
    .. [2] D. Croce, A. Moschitti and R. Basili, "Structured Lexical Similarity via Convolution
       Kernels on Dependency Trees", EMNLP 2011.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> b = "(S (NP (D the) (N cat)) (VP (V barks)))"
    >>> counting = tk.PartialTreeKernel(decay=1.0, vertical_decay=1.0, normalize=False)
    >>> counting([a], [b])  # common fragments
    array([[44.]])
    >>> kernel = tk.PartialTreeKernel(decay=0.5, vertical_decay=0.1, normalize=False)
    >>> kernel(["(A b c d)"], ["(A b d)"])  # A, b and d, A b and A d, A b d, which skips c
    array([[0.08003125]])
    >>> smoothed = tk.PartialTreeKernel(similarity={("dog", "cat"): 0.8})
    >>> smoothed([a], [b]).round(3), tk.PartialTreeKernel()([a], [b]).round(3)
    (array([[0.976]]), array([[0.878]]))
    """

    decay: float = 0.4
    vertical_decay: Decay = 0.4
    _: KW_ONLY
    gaps: Literal["skipped", "span"] = "skipped"
    counts: Counts = "linear"
    weights: Weights = None
    similarity: LabelSimilarity = None
    normalize: bool = True
    on: On = None
    algorithm: Algorithm = "corpus"
    decay_bounds: Bounds = DECAY_BOUNDS
    vertical_decay_bounds: Bounds = DECAY_BOUNDS
    n_jobs: int | None = None
    verbose: bool = False

    compares = "labels"
    fragments = "partial trees"
    weighs: ClassVar[Kind] = "labels"
    tuned = ("decay", "vertical_decay")

    parameter_rules = rules(
        **{
            **WeightedTreeKernel.parameter_rules,
            "decay": check_decay,
            "vertical_decay": check_decays,
            "vertical_decay_bounds": bounds_rule(1.0),
            "gaps": choice("skipped", "span"),
            "similarity": check_similarity,
        }
    )

    def native_kernel_with(self, pairs: LabelPairs) -> _native.PartialKernel:
        return _native.PartialKernel(
            float(self.decay),
            default_decay(self.vertical_decay),
            span=self.gaps == "span",
            similarity=pairs,
            counts=COUNTS[self.counts],
            factors=factor_table(self.weights, self.vertical_decay, self.weighs),
        )

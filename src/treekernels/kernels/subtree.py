"""SubtreeKernel: common subtrees, each with all its descendants."""

from __future__ import annotations

from treekernels import _native
from treekernels.common.checks import check_weight, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.tree_kernel import COUNTS, Algorithm, Counts, WeightedTreeKernel
from treekernels.kernels.base.tuning import DECAY_BOUNDS, Bounds
from treekernels.kernels.weights.productions import Decay, Weights, default_decay, factor_table

__all__ = ["SubtreeKernel"]


@parameter_class
class SubtreeKernel(WeightedTreeKernel):
    """The subtree kernel (ST) of Vishwanathan and Smola.

    It counts the subtrees that two trees share. A subtree is a node with all its descendants.

    Parameters
    ----------
    decay : float or dict, default=1.0
        The weight of a subtree is ``decay ** (its internal nodes)``; lambda in the papers. A dict
        gives decays by the label of the node, and under None the decay of all other labels.
    leaf_weight : float, default=0.0
        What two leaves with equal labels add on their own, like a bag of words beside the
        subtrees.

    Notes
    -----
    ``K(x, y)`` is the sum of ``C(u, v)`` over all nodes u of x and v of y [1]_::

        C(u, v) = decay ** (internal nodes of the subtree)   if the two subtrees are identical
                = 0                                          otherwise

    A production that has a weight brings its square as another factor. Two leaves have
    ``C = leaf_weight`` if their labels are equal.

    References
    ----------
    .. [1] S. V. N. Vishwanathan and A. J. Smola, "Fast Kernels for String and Tree Matching",
       Advances in Neural Information Processing Systems 15, 2002.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> b = "(S (NP (D the) (N cat)) (VP (V barks)))"
    >>> tk.SubtreeKernel(normalize=False)([a], [b])  # (D the), (V barks), (VP (V barks))
    array([[3.]])
    """

    decay: Decay = 1.0
    _: KW_ONLY
    leaf_weight: float = 0.0
    counts: Counts = "linear"
    weights: Weights = None
    normalize: bool = True
    on: On = None
    algorithm: Algorithm = "corpus"
    decay_bounds: Bounds = DECAY_BOUNDS
    n_jobs: int | None = None
    verbose: bool = False

    fragments = "subtrees"
    large_trees_need_decay = False
    parameter_rules = rules(
        leaf_weight=check_weight,
        **WeightedTreeKernel.parameter_rules,
    )

    def native_kernel(self) -> _native.SubtreeKernel:
        return _native.SubtreeKernel(
            default_decay(self.decay),
            float(self.leaf_weight),
            COUNTS[self.counts],
            factor_table(self.weights, self.decay, self.weighs),
        )

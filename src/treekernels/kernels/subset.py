"""SubsetTreeKernel: common fragments made of whole productions."""

from __future__ import annotations

from typing import Literal

from treekernels import _native
from treekernels.common.checks import check_weight, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.tree_kernel import COUNTS, Algorithm, Counts, WeightedTreeKernel
from treekernels.kernels.base.tuning import DECAY_BOUNDS, Bounds, bounds_rule
from treekernels.kernels.weights.productions import Decay, Weights, default_decay, factor_table

__all__ = ["SubsetTreeKernel"]


@parameter_class
class SubsetTreeKernel(WeightedTreeKernel):
    """The subset-tree kernel (SST) of Collins and Duffy.

    It counts the fragments that two trees share. In a fragment, a node has either all of its
    children or none: a fragment may be cut off anywhere, but never through a production.

    Parameters
    ----------
    decay : float or dict, default=0.4
        The weight of a fragment is ``decay ** (its productions)``; lambda in the papers. A dict
        gives decays by the label of the node, and under None the decay of all other labels.
    leaf_weight : float, default=0.0
        What two leaves with equal labels add on their own, like a bag of words beside the
        fragments. It is 1 in Moschitti (2006), and the decay in SVM-LIGHT-TK.
    cut_weight : float, default=1.0
        The factor for each node at which a fragment is cut off although the tree goes on; sigma in
        the papers. At 0, only whole subtrees are left, as in the `SubtreeKernel`. Unless it is 1,
        learners use Gram matrices, and there are no explanations.
    cut_weight_bounds : pair of float or "fixed", default="fixed"
        The same for the weight of a cut; (1e-3, 1.0), say.

    Notes
    -----
    ``K(x, y)`` is the sum of ``C(u, v)`` over all nodes u of x and v of y [1]_, where C is 0 if
    their productions differ or either is a leaf, and otherwise, with the product over all
    children::

        C(u, v) = decay * weight ** 2 * prod_j (1 + C(u_j, v_j))

    The 1 stands for the fragments that are cut off at that child. Where both trees go on below it,
    `cut_weight` takes its place, and the root of that where one of them does. Two leaves have
    ``C = leaf_weight`` if their labels are equal. "ftk" is the algorithm of [2]_, and decays by
    label are those of [3]_.

    References
    ----------
    .. [1] M. Collins and N. Duffy, "Convolution Kernels for Natural Language", Advances in Neural
       Information Processing Systems 14, 2001.
    .. [2] A. Moschitti, "Making Tree Kernels Practical for Natural Language Learning", EACL 2006.
    .. [3] D. Beck, T. Cohn, C. Hardmeier and L. Specia, "Learning Structural Kernels for Natural
       Language Processing", Transactions of the ACL 3, 2015.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> b = "(S (NP (D the) (N cat)) (VP (V barks)))"
    >>> tk.SubsetTreeKernel(decay=1.0, normalize=False)([a], [b])  # common fragments
    array([[15.]])
    >>> tk.SubsetTreeKernel(decay=0.4)([a, b]).round(4)
    array([[1.    , 0.7912],
           [0.7912, 1.    ]])
    """

    decay: Decay = 0.4
    _: KW_ONLY
    leaf_weight: float = 0.0
    cut_weight: float = 1.0
    counts: Counts = "linear"
    weights: Weights = None
    normalize: bool = True
    on: On = None
    algorithm: Algorithm = "corpus"
    decay_bounds: Bounds = DECAY_BOUNDS
    cut_weight_bounds: Bounds = "fixed"
    n_jobs: int | None = None
    verbose: bool = False

    compares = "productions"
    tuned = ("decay", "cut_weight")
    parameter_rules = rules(
        leaf_weight=check_weight,
        cut_weight=check_weight,
        cut_weight_bounds=bounds_rule(1e100),
        **WeightedTreeKernel.parameter_rules,
    )

    @property
    def fragments(self) -> Literal["subset trees"] | None:
        return "subset trees" if self.cut_weight == 1 else None

    def native_kernel(self) -> _native.SubsetKernel:
        return _native.SubsetKernel(
            default_decay(self.decay),
            float(self.leaf_weight),
            COUNTS[self.counts],
            factor_table(self.weights, self.decay, self.weighs),
            float(self.cut_weight),
        )

"""SubtreeKernel: common subtrees, each with all its descendants."""

from __future__ import annotations

from typing import Any, Literal

from treekernels import _native
from treekernels.common.checks import check_weight, rules
from treekernels.kernels.base.hyperparameters import DECAY_BOUNDS, Bounds
from treekernels.kernels.base.tree_kernel import Algorithm, Counts, WeightedTreeKernel
from treekernels.kernels.weights.productions import Decay, Weights

__all__ = ["SubtreeKernel"]


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
    counts : {"linear", "log", "binary"}, default="linear"
        How much it counts that a subtree occurs n times in one tree: n, ``1 + log(n)``, or 1.
    weights : "idf", InverseDocumentFrequency or dict, optional
        What productions weigh; a fragment weighs the product, in both trees. "idf" is learned from
        the trees that a learner is fitted on, or by ``kernel.fitted_on(trees)``. A dict gives
        weights by production, as ``"NP -> D N"`` or ``("NP", "D", "N")``, or by label; what is not
        listed weighs 1, or what the dict has for None.
    normalize : bool, default=True
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str, optional
        The column of X that holds the trees, if X has columns.
    algorithm : {"corpus", "ftk", "qtk"}, default="corpus"
        How the values are computed: for all trees together, or pair by pair from merged lists of
        nodes ("ftk") or from all pairs of nodes ("qtk"). The values are the same.
    decay_bounds : pair of float or "fixed", default=(1e-3, 1.0)
        Where a Gaussian process may look for a better decay.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

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

    def __init__(
        self,
        decay: Decay = 1.0,
        *,
        leaf_weight: float = 0.0,
        counts: Counts = "linear",
        weights: Weights = None,
        normalize: bool = True,
        on: Any = None,
        algorithm: Algorithm = "corpus",
        decay_bounds: Bounds = DECAY_BOUNDS,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.decay = decay
        self.leaf_weight = leaf_weight
        self.counts = counts
        self.weights = weights
        self.normalize = normalize
        self.on = on
        self.algorithm = algorithm
        self.decay_bounds = decay_bounds
        self.n_jobs = n_jobs
        self.verbose = verbose

    large_trees_need_decay = False
    parameter_rules = rules(
        leaf_weight=check_weight,
        **WeightedTreeKernel.parameter_rules,
    )

    @property
    def fragments(self) -> Literal["subtrees"]:
        return "subtrees"

    def native_kernel(self) -> _native.SubtreeKernel:
        self.check_parameters()
        return _native.SubtreeKernel(
            self._decay(), float(self.leaf_weight), self._damping(), self._factors()
        )

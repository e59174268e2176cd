"""SubpathKernel: the paths that two trees share."""

from __future__ import annotations

from typing import Any

from treekernels.common.checks import check_decay, integer, optional, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.kernel import FragmentKind
from treekernels.kernels.base.tree_kernel import Counts
from treekernels.kernels.weights.features import FeatureWeights

__all__ = ["SubpathKernel"]


@parameter_class
class SubpathKernel(CountedFeaturesKernel):
    """The subpath kernel of Kimura et al. (2011).

    It counts the paths that two trees share. A path is the sequence of labels from a node down to
    any node below it, or the label of a node alone. Neither the order of children nor their number
    matters, so that the kernel suits trees whose branches come in any order, such as XML, and large
    flat trees, such as programs. A model keeps one weight for each path and needs no Gram matrix.

    Parameters
    ----------
    decay : float, default=0.4
        The weight of a path is ``decay ** (its labels)``.
    max_length : int, optional
        How many labels a path may have; by default any number. Very deep trees need a limit,
        because the number of paths in a chain grows with the square of its length.

    Notes
    -----
    With ``n(p, x)`` for how often x has the path p, or how much that counts [1]_::

        K(x, y) = sum_p decay ** (labels of p) * weight(p) ** 2 * n(p, x) * n(p, y)

    References
    ----------
    .. [1] D. Kimura, T. Kuboyama, T. Shibuya and H. Kashima, "A Subpath Kernel for Rooted Unordered
       Trees", PAKDD 2011.

    Examples
    --------
    >>> import treekernels as tk
    >>> a = "(S (NP (D the) (N dog)) (VP (V barks)))"
    >>> b = "(S (VP (V barks)) (NP (N dog)))"
    >>> tk.SubpathKernel(decay=1.0, normalize=False)([a], [b])  # common paths
    array([[19.]])
    >>> tk.SubpathKernel()([a, b]).round(4)
    array([[1.    , 0.8727],
           [0.8727, 1.    ]])
    """

    decay: float = 0.4
    _: KW_ONLY
    max_length: int | None = None
    counts: Counts = "linear"
    weights: FeatureWeights = None
    normalize: bool = True
    on: On = None
    n_jobs: int | None = None
    verbose: bool = False

    large_trees_need_decay = True
    parameter_rules = rules(
        decay=check_decay,
        max_length=optional(integer(1, (1 << 32) - 2)),
        **CountedFeaturesKernel.parameter_rules,
    )

    @property
    def fragments(self) -> FragmentKind:
        # The search for paths adds up what their nodes weigh, as if all counted alike. It need not
        # list all paths, as that for features does.
        return "paths" if self.counts == "linear" and self.weights is None else "features"

    def features(self) -> dict[str, Any]:
        longest = None if self.max_length is None else int(self.max_length)
        decay = float(self.decay)
        return {"weights": [("path", 1.0)], "path_decay": decay, "max_length": longest}

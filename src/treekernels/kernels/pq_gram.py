"""PQGramKernel: the pq-grams that two trees share."""

from __future__ import annotations

from typing import Any

from treekernels.common.checks import check_flag, integer, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.tree_kernel import Counts
from treekernels.kernels.weights.features import FeatureWeights

__all__ = ["PQGramKernel"]


@parameter_class
class PQGramKernel(CountedFeaturesKernel):
    """The kernel of pq-grams, after Augsten, Böhlen and Gamper (2005) and others (2008).

    A pq-gram is a node with the ``p - 1`` nodes above it and ``q`` of its children in a row. Where
    a tree has no such nodes, above its root, beside the first and the last child and below a leaf,
    the gram has blanks. So wide nodes are compared by what lies side by side in them, and two nodes
    need not have the same production, which suits documents and other trees with many children.

    Parameters
    ----------
    p : int, default=2
        The nodes going down: a node and those above it.
    q : int, default=3
        The children in a row.
    ordered : bool, default=True
        Whether the order of children counts. If not, there are windowed pq-grams [2]_, with windows
        of ``q`` children: the children of a node are sorted by their labels, as in a ring, and each
        of them begins one base, which goes on with the ``q - 1`` children after it. Where a node
        has fewer than ``q`` children, blanks fill the ring up to ``q`` places.

    Notes
    -----
    With ``n(g, x)`` for how often x has the gram g [1]_::

        K(x, y) = sum_g weight(g) ** 2 * n(g, x) * n(g, y)

    References
    ----------
    .. [1] N. Augsten, M. Böhlen and J. Gamper, "Approximate Matching of Hierarchical Data Using
       pq-Grams", VLDB 2005.
    .. [2] N. Augsten, M. Böhlen, C. Dyreson and J. Gamper, "Approximate Joins for Data-Centric
       XML", ICDE 2008.

    Examples
    --------
    >>> import treekernels as tk
    >>> a, b = "(a b c)", "(a b d)"
    >>> tk.PQGramKernel(normalize=False)([a], [b])  # of a: the first window; of b: all blanks
    array([[2.]])
    >>> tk.PQGramKernel(normalize=False).diag([a])  # four windows of three, and two leaves
    array([6.])
    >>> tk.PQGramKernel(ordered=False)(["(a (b c d) e)"], ["(a e (b d c))"])
    array([[1.]])
    """

    p: int = 2
    q: int = 3
    _: KW_ONLY
    ordered: bool = True
    counts: Counts = "linear"
    weights: FeatureWeights = None
    normalize: bool = True
    on: On = None
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        p=integer(1, 100),
        q=integer(1, 100),
        ordered=check_flag,
        **CountedFeaturesKernel.parameter_rules,
    )

    def features(self) -> dict[str, Any]:
        return {
            "weights": [("gram" if self.ordered else "window", 1.0)],
            "stem": int(self.p),
            "base": int(self.q),
        }

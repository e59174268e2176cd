"""ElasticTreeKernel: common parts that keep order but may skip levels."""

from __future__ import annotations

from treekernels import _native
from treekernels.common.checks import check_decay, check_flag, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.kernels.base.tree_kernel import Algorithm, TreeKernel
from treekernels.kernels.similarity.labels import LabelPairs, LabelSimilarity, check_similarity
from treekernels.kernels.similarity.smoothed_tree_kernel import SmoothedTreeKernel

__all__ = ["ElasticTreeKernel"]


@parameter_class
class ElasticTreeKernel(SmoothedTreeKernel):
    """The elastic tree kernel of Kashima and Koyanagi (2002).

    A fragment keeps which node is above which and which is left of which, but its edges may skip
    levels of the tree.

    Parameters
    ----------
    decay : float, default=0.1
        The weight of each node of a fragment. With 1, the kernel counts fragments, as in the paper,
        which suits very small trees only: fragments that one tree alone has outweigh all others.
    elastic : bool, default=True
        Whether edges may skip levels. If not, this is the plain kernel for labelled ordered trees
        from the same paper.

    Notes
    -----
    ``K(x, y)`` is the sum of ``C(u, v)`` over all nodes u of x and v of y [1]_::

        C(u, v) = decay * similarity(u, v) * S(m, n)
        S(i, j) = S(i-1, j) + S(i, j-1) - S(i-1, j-1) + S(i-1, j-1) * A(u_i, v_j)

    where u has m children and v has n, ``S(i, 0) = S(0, j) = 1``, and ``A(u_i, v_j)`` is the sum of
    C over all pairs of nodes at or below these two children; without elastic edges it is their C
    alone.

    References
    ----------
    .. [1] H. Kashima and T. Koyanagi, "Kernels for Semi-Structured Data", ICML 2002.

    Examples
    --------
    >>> import treekernels as tk
    >>> deep, flat = "(A (X (B b)) (Y (C c)))", "(A (B b) (C c))"
    >>> tk.ElasticTreeKernel()([deep], [flat]).round(3)
    array([[0.822]])
    >>> tk.ElasticTreeKernel(elastic=False)([deep], [flat]).round(3)
    array([[0.806]])
    >>> tk.ElasticTreeKernel(similarity={("dog", "cat"): 0.5})(["(N dog)"], ["(N cat)"])
    array([[0.73809524]])
    """

    decay: float = 0.1
    _: KW_ONLY
    elastic: bool = True
    similarity: LabelSimilarity = None
    normalize: bool = True
    on: On = None
    algorithm: Algorithm = "corpus"
    n_jobs: int | None = None
    verbose: bool = False

    compares = "labels"
    fragments = "elastic trees"
    parameter_rules = rules(
        decay=check_decay,
        elastic=check_flag,
        similarity=check_similarity,
        **TreeKernel.parameter_rules,
    )

    def native_kernel_with(
        self, pairs: LabelPairs
    ) -> _native.ElasticKernel | _native.PartialKernel:
        if self.elastic:
            return _native.ElasticKernel(float(self.decay), pairs)
        # Without elastic edges it is the partial-tree kernel with nothing lost on gaps.
        return _native.PartialKernel(1.0, float(self.decay), span=False, similarity=pairs)

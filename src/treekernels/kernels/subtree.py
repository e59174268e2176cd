"""SubtreeKernel: common subtrees, each with all its descendants."""

from __future__ import annotations

from typing import Any, Literal

from treekernels import _native
from treekernels.common.checks import check_decay, check_weight, rules
from treekernels.kernels.tree_kernel import Algorithm, TreeKernel

__all__ = ["SubtreeKernel"]


class SubtreeKernel(TreeKernel):
    """The subtree kernel (ST) of Vishwanathan and Smola.

    It counts the subtrees that two trees share. A subtree is a node with all its descendants.

    Parameters
    ----------
    decay : float, default=1.0
        The weight of a subtree is ``decay ** (its internal nodes)``; lambda in the papers.
    leaf_weight : float, default=0.0
        What two leaves with equal labels add on their own, like a bag of words beside the
        subtrees.
    normalize : bool, default=True
        Whether to divide by ``sqrt(K(x, x) K(y, y))``, so that K(x, x) is 1.
    on : str, optional
        The column of X that holds the trees, if X has columns.
    algorithm : {"corpus", "ftk", "qtk"}, default="corpus"
        How the values are computed: for all trees together, or pair by pair from merged lists of
        nodes ("ftk") or from all pairs of nodes ("qtk"). The values are the same.
    n_jobs : int, optional
        The number of threads; -1 uses all cores.
    verbose : bool, default=False
        Whether to show a progress bar.

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
        decay: float = 1.0,
        *,
        leaf_weight: float = 0.0,
        normalize: bool = True,
        on: Any = None,
        algorithm: Algorithm = "corpus",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.decay = decay
        self.leaf_weight = leaf_weight
        self.normalize = normalize
        self.on = on
        self.algorithm = algorithm
        self.n_jobs = n_jobs
        self.verbose = verbose

    parameter_rules = rules(
        decay=check_decay,
        leaf_weight=check_weight,
        **TreeKernel.parameter_rules,
    )

    @property
    def fragments(self) -> Literal["subtrees"]:
        return "subtrees"

    def native_kernel(self) -> _native.SubtreeKernel:
        self.check_parameters()
        return _native.SubtreeKernel(float(self.decay), float(self.leaf_weight))

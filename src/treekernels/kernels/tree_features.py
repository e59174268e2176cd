"""TreeFeaturesKernel: several kinds of small features in one bag."""

from __future__ import annotations

from typing import Any

from treekernels.common.checks import check_weight, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import On
from treekernels.errors import ParameterError
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.tree_kernel import Counts
from treekernels.kernels.weights.features import FeatureWeights

__all__ = ["TreeFeaturesKernel"]


@parameter_class
class TreeFeaturesKernel(CountedFeaturesKernel):
    """Subtrees, with names and without, productions, siblings and leaves in one bag of features.

    Large trees, such as programs, are told apart by many small things, each of which a tree has or
    has not. With ``weights="idf"``, this kernel finds programs that solve the same problem better
    than any kernel of larger fragments.

    Parameters
    ----------
    subtrees : float, default=0.25
        What a node with all its descendants counts; 0 leaves subtrees out.
    productions : float, default=1.0
        What a node with its children counts.
    siblings : float, default=1.0
        What a node with two children side by side counts.
    leaf_labels : float, default=1.5
        What the label of a leaf counts.
    outlines : float, default=0.5
        What a subtree counts whose names are left out: leaves without a sibling that consist of
        letters, digits and underscores, and begin with no digit. Numbers and signs stay.
    counts : {"linear", "log", "binary"}, default="binary"
        How much it counts that a tree has a feature n times: n, ``1 + log(n)``, or 1.

    Notes
    -----
    With ``n(f, x)`` for how much it counts that x has the feature f::

        K(x, y) = sum_f (what its kind counts) * weight(f) ** 2 * n(f, x) * n(f, y)

    Examples
    --------
    >>> import treekernels as tk
    >>> a, b = "(S (NP (D the) (N dog)) (VP (V barks)))", "(S (NP (D the) (N cat)) (VP (V barks)))"
    >>> kernel = tk.TreeFeaturesKernel(normalize=False)
    >>> kernel([a], [b])  # 3 subtrees, 5 productions, 2 pairs of siblings, 2 leaves, 3 outlines
    array([[12.25]])
    """

    subtrees: float = 0.25
    productions: float = 1.0
    siblings: float = 1.0
    leaf_labels: float = 1.5
    outlines: float = 0.5
    _: KW_ONLY
    counts: Counts = "binary"
    weights: FeatureWeights = None
    normalize: bool = True
    on: On = None
    n_jobs: int | None = None
    verbose: bool = False

    parameter_rules = rules(
        subtrees=check_weight,
        productions=check_weight,
        siblings=check_weight,
        leaf_labels=check_weight,
        outlines=check_weight,
        **CountedFeaturesKernel.parameter_rules,
    )

    def check_parameters(self) -> None:
        super().check_parameters()
        if not any(weight for _, weight in self.features()["weights"]):
            raise ParameterError("at least one kind of features must count more than 0")

    def features(self) -> dict[str, Any]:
        return {
            "weights": [
                ("subtree", float(self.subtrees)),
                ("production", float(self.productions)),
                ("siblings", float(self.siblings)),
                ("leaf", float(self.leaf_labels)),
                ("outline", float(self.outlines)),
            ]
        }

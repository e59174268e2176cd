"""CountedFeaturesKernel: what the kernels of features that can be counted have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from treekernels import _native
from treekernels.common.checks import choice, rules
from treekernels.kernels.base.kernel import FragmentKind, Kernel
from treekernels.kernels.base.tree_kernel import COUNTS, Counts, TreeKernel
from treekernels.kernels.weights.features import (
    check_feature_weights,
    feature_weights,
    fitted_feature_weights,
)
from treekernels.kernels.weights.productions import needs_fit


class CountedFeaturesKernel(TreeKernel):
    """A kernel of features that two trees share or do not, such as paths.

    It is a dot product of counts, each feature has a document frequency of its own, and a model has
    one weight for each feature.

    Parameters
    ----------
    counts : {"linear", "log", "binary"}, default="linear"
        How much it counts that a tree has a feature n times: n, ``1 + log(n)``, or 1.
    weights : "idf", InverseDocumentFrequency, or None
        What each feature weighs: with "idf", the more the fewer trees have it.
    """

    algorithm = "corpus"
    weights: Any
    counts: Counts

    large_trees_need_decay = False
    parameter_rules = rules(
        counts=choice(*COUNTS), weights=check_feature_weights, **TreeKernel.parameter_rules
    )

    @property
    def fragments(self) -> FragmentKind:
        return "features"

    @abstractmethod
    def features(self) -> dict[str, Any]:
        """Return the features that there are, as parameters of `_native.FeatureKernel`."""

    def native_kernel(self) -> _native.FeatureKernel:
        return self._native(feature_weights(self.weights))

    def _native(self, learned: _native.FeatureWeights | None) -> _native.FeatureKernel:
        return _native.FeatureKernel(**self.features(), counts=COUNTS[self.counts], learned=learned)

    @property
    def needs_fit(self) -> bool:
        return needs_fit(self.weights)

    def fitted_on(self, X: Any) -> Kernel:
        if not self.needs_fit:
            return self
        self.check_parameters()
        trees = self.examples(X).trees(self.on)
        weights = fitted_feature_weights(self.weights, trees, self._native(None))
        return self.with_params(weights=weights)

"""What features that can be counted weigh: each one by itself, by its document frequency."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.errors import ParameterError
from treekernels.kernels.weights.productions import InverseDocumentFrequency, check_learned

FeatureWeights: TypeAlias = Literal["idf"] | InverseDocumentFrequency | None


def check_feature_weights(name: str, value: Any) -> Any:
    """Return weights of features unchanged: None, "idf", or a table of features."""
    if value is None or (isinstance(value, str) and value == "idf"):
        return value
    if isinstance(value, InverseDocumentFrequency) and value.of == "features":
        value.check()
        return value
    raise ParameterError(
        f"{name} must be 'idf', an InverseDocumentFrequency of features, or None, not {value!r}"
    )


def feature_weights(weights: Any) -> _native.FeatureWeights | None:
    """Return weights of features for the native core; None where all of a kind are alike."""
    if weights is None:
        return None
    check_learned(weights)
    kept = vars(weights).get("_native_table")
    if kept is None:
        keys, counts = weights.frequencies.trees, weights.frequencies.counts.astype(float)
        of_each = weights.of_counts(counts)
        with translate_native_errors():
            kept = _native.FeatureWeights(float(weights.unseen), keys.dag, keys.roots, of_each)
        vars(weights)["_native_table"] = kept
    table: _native.FeatureWeights = kept
    return table


def fitted_feature_weights(
    weights: Any, trees: Forest, kernel: _native.FeatureKernel
) -> InverseDocumentFrequency:
    """Return weights of the features of a kernel, learned from trees."""
    table = weights if isinstance(weights, InverseDocumentFrequency) else None
    return (table or InverseDocumentFrequency("features")).fitted_to(trees, kernel)

"""What two trees share of features that can be counted, and what each adds to their similarity."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.explanation.fragment import Fragment, Fragments
from treekernels.explanation.searches.counted_features import shown_feature
from treekernels.kernels.base.counted_features import CountedFeaturesKernel

__all__ = ["shared_features"]


def shared_features(kernel: CountedFeaturesKernel, tree: Any, other: Any, top: int) -> Fragments:
    """Return the features that two trees share, the weightiest first."""
    pair = Forest.concatenate([tree, other])
    keys = _native.Dag()
    with translate_native_errors():
        # An index numbers the features of its first trees as they are listed, whatever they weigh.
        plain = _vectors(kernel.with_params(weights=None), pair)
        weights = _vectors(kernel, pair)["weights"]
        roots, _, _ = _native.feature_frequencies(
            kernel.with_params(weights=None).native_kernel(),
            pair.dag,
            pair.roots,
            keys,
            np.empty(0, np.uint32),
        )
    first, second = (_counts(plain, int(column)) for column in plain["columns"])
    shared = sorted(first.keys() & second.keys())
    values = np.array([weights[feature] * first[feature] * second[feature] for feature in shared])
    if kernel.normalize and len(shared):
        norms = kernel.with_params(normalize=False).diag(pair)
        values = values / np.sqrt(norms[0]) / np.sqrt(norms[1])
    trees = Forest.from_roots(keys, roots)
    best = [place for place in np.argsort(-values, kind="stable")[:top] if values[place] > 0]
    named = [(*shown_feature(trees[int(place)]), float(values[place])) for place in best]
    return Fragments(
        Fragment(tree, value, None, tree.size, None, kernel.on, kind is None, kind)
        for kind, tree, value in named
    )


def _vectors(kernel: CountedFeaturesKernel, trees: Forest) -> dict[str, Any]:
    index = _native.CountedIndex(kernel.native_kernel(), False)
    index.add(trees.dag, trees.roots)
    return index.arrays()


def _counts(arrays: dict[str, Any], column: int) -> dict[int, float]:
    """Return how much each feature of a tree counts."""
    entries = slice(int(arrays["offsets"][column]), int(arrays["offsets"][column + 1]))
    features = arrays["features"][entries].tolist()
    counts = arrays["counts"][entries].tolist() if len(arrays["counts"]) else [1.0] * len(features)
    return dict(zip(features, counts, strict=True))

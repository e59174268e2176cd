"""The features of a model that can be counted, ranked by weight, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats, Indices
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.explanation.searches.fragment_search import FragmentSearch, SearchResult
from treekernels.explanation.searches.subtree_arrays import built_tree

_BLOCK = 256  # features that are named at a time
_BEYOND = "\x01"  # how a gram says that it goes beyond the tree


class FeatureSearch(FragmentSearch):
    """The features of a model, each of which has one weight: there is nothing to search, but much.

    Only those that are asked for are named. They begin at no subtree: ``begins`` has their number.
    """

    def __init__(self, features: _native.ModelFeatures, explained: Forest | None = None) -> None:
        self.features = features
        if explained is not None:
            with translate_native_errors():
                self.factors = features.counts(explained.dag, int(explained.roots[0]))
            return
        # A model keeps how much of a feature its trees have, times what the feature brings.
        shared = features.weights()
        self.factors = np.divide(1.0, np.sqrt(shared), out=np.zeros_like(shared), where=shared > 0)

    def best(self, weights: Floats) -> Iterator[SearchResult]:
        values = weights * self.factors
        numbers = np.flatnonzero(values > 0)
        order = numbers[np.argsort(-values[numbers], kind="stable")]
        for first in range(0, len(order), _BLOCK):
            block = order[first : first + _BLOCK]
            for number, (kind, tree) in zip(block, self._shown(block), strict=True):
                size = tree.size
                yield SearchResult(tree, float(values[number]), size, np.array([number]), kind)

    def _shown(self, numbers: Indices) -> list[tuple[str | None, Tree]]:
        keys = _native.Dag()
        with translate_native_errors():
            roots = self.features.keys(numbers.astype(np.uint32), keys)
        return [shown_feature(key) for key in Forest.from_roots(keys, roots)]

    def with_labels(self, texts: Iterable[str]) -> Any:
        """Return which features have a label with each of some texts in it, in capitals or not."""
        names = [name.lower() for name in self.features.labels()]
        fitting = np.ones(len(self.features), bool)
        for text in texts:
            marked = np.array([text.lower() in name for name in names], np.uint8)
            fitting &= self.features.with_labels(marked).astype(bool)
        return fitting

    def trees_with(self, results: list[SearchResult], trees: Forest) -> list[int]:
        """Return how many trees have each of some features."""
        with translate_native_errors():
            counts = self.features.trees_with(trees.dag, trees.roots[~trees.is_empty])
        return [int(counts[int(result.begins[0])]) for result in results]


def shown_feature(key: Tree) -> tuple[str | None, Tree]:
    """Return what kind of feature a tree stands for, and the feature as a tree of its own.

    A path is a partial tree like others, and has no kind. A gram is its stem, with its base below;
    ``*`` is where it goes beyond the tree.

    Examples
    --------
    >>> import treekernels as tk
    >>> keys = ["(leaf a)", "(siblings (A b c))", "(gram (stem (A (B)) (base c d)))"]
    >>> for key in tk.Forest(keys):
    ...     print(*shown_feature(key))
    leaf (a)
    siblings (A b c)
    gram (A (B c d))
    """
    kind, (feature,) = key.label, key.children
    if kind == "path":
        return None, feature
    if kind not in ("gram", "window"):
        return kind, feature
    node, base = feature.children
    steps: list[str | None] = [node.label]
    while node.children:
        (node,) = node.children
        steps.append(node.label)
    depth = len(steps)
    for child in base.children:
        steps += [child.label, None]
    labels = ["*" if label == _BEYOND else label for label in steps]
    return kind, built_tree([*labels, *[None] * depth])

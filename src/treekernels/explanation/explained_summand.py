"""One summand of a model explained: which search belongs to which kind of fragments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.columns import forest_of, pairs_of
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pair
from treekernels.data.tree import Tree
from treekernels.explanation.fragment import Fragment
from treekernels.explanation.searches.counted_features import FeatureSearch
from treekernels.explanation.searches.elastic_trees import ElasticTreeSearch
from treekernels.explanation.searches.fragment_search import (
    FragmentSearch,
    RankedSubtrees,
    SearchResult,
    with_words,
)
from treekernels.explanation.searches.partial_trees import PartialTreeSearch, PathSearch
from treekernels.explanation.searches.rewrite_rules import RuleSearch
from treekernels.explanation.searches.subset_trees import SubsetTreeSearch
from treekernels.explanation.searches.subtree_arrays import ExplainedTree, ModelSubtrees, trees_with
from treekernels.kernels.base.kernel import FragmentKind
from treekernels.learners.models.summand_model import WeightedExamples, normalizing_factors

_SEARCHES: dict[FragmentKind, Callable[..., FragmentSearch]] = {
    "subtrees": partial(with_words, RankedSubtrees),
    "subset trees": partial(with_words, SubsetTreeSearch),
    "partial trees": PartialTreeSearch,
    "elastic trees": ElasticTreeSearch,
    "paths": PathSearch,
}


class Direction(NamedTuple):
    """Where a class lies: in a column of the scores, above zero (1) or below (-1)."""

    class_: Any
    column: int
    sign: float


def has_fragments(weighted: WeightedExamples) -> bool:
    """Whether the fragments of a summand's kernel can be searched for."""
    return weighted.summand.kernel.fragments is not None


class ExplainedSummand:
    """What one kernel contributes to a model or to a prediction.

    The search runs where the model is, in its own DAG; the explained tree and the support trees are
    looked up there.

    Parameters
    ----------
    weighted : WeightedExamples
        Of a kernel that `has_fragments`.
    support : examples or None
        Among which the trees with a fragment are counted. Sentence pairs are their own support.
    example : batch of one example, or None
        Whose prediction is to be explained.
    """

    def __init__(self, weighted: WeightedExamples, support: Any, example: Any) -> None:
        kernel: Any = weighted.summand.kernel
        self.kernel = kernel
        fragments = kernel.fragments
        self.is_partial = fragments in ("partial trees", "elastic trees", "paths")
        self.is_prediction = example is not None
        self.model: ModelSubtrees | None = None
        self.support: Forest | None = None
        self.search: FragmentSearch
        if fragments == "rewrite rules":
            pair = None if example is None else pairs_of(example, kernel.on)[:1]
            self.weights = weighted.weights * _scale(weighted, pair)
            self.search = RuleSearch(weighted.examples, kernel, pair)
            return
        if support is not None:
            self.support = forest_of(support, kernel.on)
        tree = None if example is None else forest_of(example, kernel.on)[:1]
        if fragments == "features":
            if weighted.features is None:
                weighted = _subtree_weights(weighted)
            with translate_native_errors():
                features = _native.ModelFeatures(
                    kernel.native_kernel(), weighted.examples.dag, weighted.examples.roots
                )
            self.weights = np.asarray(weighted.features) * _scale(weighted, tree)
            self.search = FeatureSearch(features, tree)
            return
        if kernel.counts != "linear" and not weighted.single_subtrees:
            weighted = _subtree_weights(weighted)
        self.model = ModelSubtrees(weighted.examples.dag)
        self.weights = self.model.weights_of(
            weighted.examples.roots, weighted.weights, single=weighted.single_subtrees
        )
        self.weights *= _scale(weighted, tree)
        explained = None if tree is None else ExplainedTree(tree, self.model, kernel.counts)
        self.search = _SEARCHES[fragments](self.model, kernel, explained)

    def best(self, directions: list[Direction], top: int) -> list[Fragment]:
        """Return the fragments that weigh most, so many for each direction.

        In a prediction, as many again that speak against it.
        """
        ranked: list[tuple[Any, float, SearchResult]] = []
        for class_, column, sign in directions:
            for side in (1.0, -1.0) if self.is_prediction else (1.0,):  # for it, and against it
                heaviest = self.search.best(side * sign * self.weights[:, column])
                ranked += [(class_, side, result) for result in islice(heaviest, top)]
        counts = self._trees_with([result for _, _, result in ranked])
        return [
            self._fragment(result, class_, sign, count)
            for (class_, sign, result), count in zip(ranked, counts, strict=True)
        ]

    def _trees_with(self, results: list[SearchResult]) -> Sequence[int | None]:
        """Return in how many support trees each fragment is, as far as that is known."""
        if isinstance(self.search, RuleSearch):
            return [len(result.begins) for result in results]
        if self.support is None:
            return [None] * len(results)
        if isinstance(self.search, FeatureSearch):
            return self.search.trees_with(results, self.support)
        assert self.model is not None
        return trees_with(self.support, [result.begins for result in results], self.model.dag)

    def ranked(self, direction: Direction, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        """Yield the fragments that speak for a class, the heaviest first.

        Only those that have a label with each of the texts in it, in capitals or not.
        """
        weights = direction.sign * self.weights[:, direction.column]
        if isinstance(self.search, FeatureSearch):
            weights = np.where(self.search.with_labels(texts), weights, 0.0)
        elif self.model is not None:
            for text in texts:  # a fragment with a label begins where the label is below
                weights = np.where(self.model.with_label_below(text), weights, 0.0)
        for result in self.search.best(weights):
            if not texts or _has_labels(result.fragment, texts):
                count = len(result.begins) if isinstance(self.search, RuleSearch) else None
                yield self._fragment(result, direction.class_, 1.0, count)

    def _fragment(
        self, result: SearchResult, class_: Any, sign: float, count: int | None
    ) -> Fragment:
        weight = sign * result.weight
        is_path = isinstance(self.search, FeatureSearch) and result.kind is None
        return Fragment(
            result.fragment,
            weight,
            class_,
            result.size,
            count,
            self.kernel.on,
            self.is_partial or is_path,
            result.kind,
        )


def _has_labels(fragment: Tree | Pair, texts: Sequence[str]) -> bool:
    trees = fragment if isinstance(fragment, Pair) else [fragment]
    labels = [node.label.lower() for tree in trees for node in tree.preorder()]
    return all(any(text.lower() in label for label in labels) for text in texts)


def _subtree_weights(weighted: WeightedExamples) -> WeightedExamples:
    """Return the weights of the subtrees of weighted trees, and of their counted features."""
    kernel: Any = weighted.summand.kernel
    trees: Any = weighted.examples
    forest = _native.WeightedForest(kernel.native_kernel(), False, 1.0, weighted.weights.shape[1])
    with translate_native_errors():
        forest.add(trees.dag, trees.roots, np.ascontiguousarray(weighted.weights))
        _, nodes, weights, features, _ = forest.state()
    return replace(
        weighted,
        examples=Forest.from_roots(forest.dag, nodes),
        weights=weights.reshape(len(nodes), -1),
        single_subtrees=True,
        features=features.reshape(-1, forest.outputs) if kernel.fragments == "features" else None,
    )


def _scale(weighted: WeightedExamples, explained: Any) -> float:
    """Return what weights are multiplied with.

    A kernel that counts w times is one whose features are sqrt(w) times as large. A fragment's
    weight in the model has that factor once, what it adds to a score has it twice.
    """
    weight = weighted.summand.weight
    if explained is None:
        return float(np.sqrt(weight))
    return float(weight * normalizing_factors(weighted.summand.kernel, explained)[0])

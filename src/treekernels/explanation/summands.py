"""One summand of a model explained: which search belongs to which kind of fragments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, cast

import numpy as np

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.columns import forest_of, pairs_of
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.explanation.elastic_trees import ElasticTreeSearch
from treekernels.explanation.fragment import Fragment
from treekernels.explanation.fragment_search import (
    FragmentSearch,
    RankedSubtrees,
    SearchWithWords,
    WeightedFragment,
)
from treekernels.explanation.partial_trees import PartialTreeSearch
from treekernels.explanation.paths import PathSearch
from treekernels.explanation.rewrite_rules import RuleSearch
from treekernels.explanation.subset_trees import SubsetTreeSearch
from treekernels.explanation.subtrees import ExplainedTree, ModelSubtrees, Weights, trees_with
from treekernels.kernels.base.kernel import FragmentKind
from treekernels.kernels.base.tree_kernel import TreeKernel
from treekernels.learners.models.summand_model import WeightedExamples, normalizing_factors

__all__ = ["Direction", "SummandExplanation", "explanation_of", "has_fragments"]


class Direction(NamedTuple):
    """Where a class lies: in a column of the scores, above zero (1) or below (-1)."""

    class_: Any
    column: int
    sign: float


class SummandExplanation(ABC):
    """What one kernel contributes to a model or to a prediction."""

    @abstractmethod
    def best(self, directions: list[Direction], top: int) -> list[Fragment]:
        """Return the fragments that weigh most, so many for each direction.

        In a prediction, as many again that speak against it.
        """

    @abstractmethod
    def ranked(self, direction: Direction, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        """Yield the fragments that speak for a class one by one, the heaviest first.

        Parameters
        ----------
        direction : Direction
        texts : sequence of str
            Only fragments that have a label with each of these texts in it.
        """


def has_fragments(weighted: WeightedExamples) -> bool:
    """Whether the fragments of a summand's kernel can be searched for."""
    return weighted.summand.kernel.fragments is not None


def explanation_of(weighted: WeightedExamples, support: Any, example: Any) -> SummandExplanation:
    """Return the explanation of a summand.

    Parameters
    ----------
    weighted : WeightedExamples
    support : examples or None
        Among which the trees with a fragment are counted.
    example : batch of one example, or None
        Whose prediction is to be explained.
    """
    kind = weighted.summand.kernel.fragments
    if kind is None:
        raise ValueError(f"{weighted.summand.kernel!r} has no fragments that could be listed")
    return _EXPLANATIONS[kind](weighted, support, example)


class _TreeExplanation(SummandExplanation):
    """A kernel of trees.

    The search runs where the model is, in its own DAG; the explained tree and the support trees are
    looked up there.
    """

    def __init__(
        self,
        search: Callable[..., FragmentSearch],
        weighted: WeightedExamples,
        support: Any,
        example: Any,
        *,
        partial_trees: bool = False,
    ) -> None:
        self.kernel = cast(TreeKernel, weighted.summand.kernel)
        self.partial_trees = partial_trees
        self.support = None if support is None else forest_of(support, self.kernel.on)
        if self.kernel.counts != "linear" and not weighted.single_subtrees:
            weighted = _subtree_weights(weighted)
        self.model = ModelSubtrees(weighted.examples.dag)
        self.weights = self.model.weights_of(
            weighted.examples.roots, weighted.weights, single=weighted.single_subtrees
        )
        tree = None if example is None else forest_of(example, self.kernel.on)[:1]
        self.weights *= _scale(weighted, tree)
        self.explained = (
            None if tree is None else ExplainedTree(tree, self.model, self.kernel.counts)
        )
        self.search = search(self.model, self.kernel, self.explained)

    def best(self, directions: list[Direction], top: int) -> list[Fragment]:
        ranked: list[tuple[Any, float, WeightedFragment]] = []
        for class_, sign, weights in _columns(self.weights, directions, self.explained is not None):
            ranked += [(class_, sign, one) for one in islice(self.search.best(weights), top)]
        counts: list[int | None] = [None] * len(ranked)
        if self.support is not None:
            sets = [one.begins for _, _, one in ranked]
            counts[:] = trees_with(self.support, sets, self.model.dag)
        return [
            Fragment(
                one.tree,
                sign * one.weight,
                class_,
                one.size,
                count,
                self.kernel.on,
                self.partial_trees,
            )
            for (class_, sign, one), count in zip(ranked, counts, strict=True)
        ]

    def ranked(self, direction: Direction, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        weights = direction.sign * self.weights[:, direction.column]
        for text in texts:  # a fragment with a label begins where the label is below
            weights = np.where(self.model.with_label_below(text), weights, 0.0)
        for one in self.search.best(weights):
            if not texts or has_labels(one.tree, texts):
                yield Fragment(
                    one.tree,
                    one.weight,
                    direction.class_,
                    one.size,
                    None,
                    self.kernel.on,
                    self.partial_trees,
                )


def has_labels(tree: Tree, texts: Sequence[str]) -> bool:
    """Whether a tree has a label with each of some texts in it, in capitals or not."""
    labels = [node.label.lower() for node in tree.preorder()]
    return all(any(text.lower() in label for label in labels) for text in texts)


def _subtree_weights(weighted: WeightedExamples) -> WeightedExamples:
    """Return the weights of the subtrees of weighted trees, whose counts are damped."""
    kernel: Any = weighted.summand.kernel
    trees: Any = weighted.examples
    forest = _native.WeightedForest(kernel.native_kernel(), False, 1.0, weighted.weights.shape[1])
    with translate_native_errors():
        forest.add(trees.dag, trees.roots, np.ascontiguousarray(weighted.weights))
        _, nodes, weights, _, _ = forest.state()
    subtrees = Forest.from_roots(forest.dag, nodes)
    return replace(
        weighted,
        examples=subtrees,
        weights=weights.reshape(len(nodes), -1),
        single_subtrees=True,
    )


class _RuleExplanation(SummandExplanation):
    """The kernel of sentence pairs, each of which counts as its own support."""

    def __init__(self, weighted: WeightedExamples, support: Any, example: Any) -> None:
        self.kernel: Any = weighted.summand.kernel
        self.explained = None if example is None else pairs_of(example, self.kernel.on)[:1]
        self.weights = weighted.weights * _scale(weighted, self.explained)
        self.search = RuleSearch(weighted.examples, self.kernel, self.explained)

    def best(self, directions: list[Direction], top: int) -> list[Fragment]:
        return [
            Fragment(one.rule, sign * one.weight, class_, one.size, one.pairs, self.kernel.on)
            for class_, sign, weights in _columns(
                self.weights, directions, self.explained is not None
            )
            for one in islice(self.search.best(weights), top)
        ]

    def ranked(self, direction: Direction, texts: Sequence[str] = ()) -> Iterator[Fragment]:
        weights = direction.sign * self.weights[:, direction.column]
        for one in self.search.best(weights):
            text, hypothesis = one.rule
            if all(has_labels(text, [own]) or has_labels(hypothesis, [own]) for own in texts):
                yield Fragment(
                    one.rule, one.weight, direction.class_, one.size, one.pairs, self.kernel.on
                )


_EXPLANATIONS: dict[FragmentKind, Callable[[WeightedExamples, Any, Any], SummandExplanation]] = {
    "subtrees": partial(_TreeExplanation, partial(SearchWithWords, RankedSubtrees)),
    "subset trees": partial(_TreeExplanation, partial(SearchWithWords, SubsetTreeSearch)),
    "partial trees": partial(_TreeExplanation, PartialTreeSearch, partial_trees=True),
    "elastic trees": partial(_TreeExplanation, ElasticTreeSearch, partial_trees=True),
    "paths": partial(_TreeExplanation, PathSearch, partial_trees=True),
    "rewrite rules": _RuleExplanation,
}


def _scale(weighted: WeightedExamples, explained: Any) -> float:
    """Return what weights are multiplied with.

    A kernel that counts w times is one whose features are sqrt(w) times as large. A fragment's
    weight in the model has that factor once, what it adds to a score has it twice.
    """
    weight = weighted.summand.weight
    if explained is None:
        return float(np.sqrt(weight))
    return float(weight * normalizing_factors(weighted.summand.kernel, explained)[0])


def _columns(
    weights: Weights, directions: list[Direction], explained: bool
) -> Iterator[tuple[Any, float, Weights]]:
    """Yield for each class the weights that speak for it and, in a prediction, against it."""
    for class_, column, sign in directions:
        for direction in (1.0, -1.0) if explained else (1.0,):
            yield class_, direction, direction * sign * weights[:, column]

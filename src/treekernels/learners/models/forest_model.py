"""The model of a tree kernel: its weighted subtrees."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.data.examples import Examples
from treekernels.data.forest import Forest
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.matrices import Run, missing_summand
from treekernels.kernels.similarity.labels import as_lazy, labels_of
from treekernels.learners.models.summand_model import Change, SummandModel, WeightedExamples

# Examples that are learned from at a time where the forest is made ready for each batch.
_BATCH = 4096


class ForestModel(SummandModel):
    """A weighted forest."""

    weight_names = ("weights", "productions", "labels")

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        kernel: Any = summand.kernel
        self.kernel = kernel
        self.on = kernel.on
        self.n_outputs = n_outputs
        self.similarity = as_lazy(getattr(self.kernel, "similarity", None))
        self._labels: set[str] = set()  # those that the similarity was asked about
        self._n_pairs = 0
        self._extending = threading.Lock()
        self.forest = self._new_forest(kernel.native_kernel())

    def _new_forest(self, kernel: Any) -> _native.WeightedForest:
        normalize = bool(self.kernel.normalize)
        return _native.WeightedForest(kernel, normalize, self.summand.weight, self.n_outputs)

    def _forest_for(self, trees: Forest) -> _native.WeightedForest:
        """Return the forest, which knows how well the labels of these trees match its own.

        Labels that match others are not known before they occur. The forest is then made anew with
        what it has learned, in which their matches are known as well.
        """
        if self.similarity is None:
            return self.forest
        with self._extending:
            new = set(labels_of(trees)) - self._labels
            if new:
                labels = self._labels | new
                pairs = self.similarity.pairs(sorted(labels))
                if len(pairs) > self._n_pairs:
                    forest = self._new_forest(self.kernel.native_kernel_with(pairs))
                    forest.restore(self.forest.dag, *self.forest.state()[1:])
                    self.forest, self._n_pairs = forest, len(pairs)
                self._labels = labels  # last, since what comes before may be interrupted
            return self.forest

    def native_summand(self, examples: Examples) -> _native.Summand:
        trees = examples.trees(self.on)
        summand = _native.ForestSummand(self._forest_for(trees), trees.dag, trees.roots)
        return missing_summand(summand, trees.is_empty)

    def factors(self, examples: Examples) -> Floats | None:
        trees = examples.trees(self.on)
        return self._forest_for(trees).factors(trees.dag, trees.roots)

    def addition(self, examples: Examples, alphas: Floats) -> list[Change]:
        trees = examples.trees(self.on)
        empty = trees.is_empty
        if empty.any():
            trees, alphas = trees[~empty], alphas[~empty]
        forest = self._forest_for(trees)
        return [forest.addition(trees.dag, trees.roots, np.ascontiguousarray(alphas))]

    def merging(self, other: ForestModel, factors: Floats) -> list[Change]:
        dag = other.forest.dag
        every = Forest.from_roots(dag, np.arange(len(dag), dtype=np.uint32))
        forest = self._forest_for(every)
        return [forest.merging(other.forest, factors)]

    def settle(self) -> None:
        self.forest.settle()

    def prepare(self) -> None:
        self.forest.prepare()

    def score(self, examples: Examples, out: Floats, run: Run) -> None:
        trees = examples.trees(self.on)
        empty = trees.is_empty if trees.has_empty() else None
        before = None if empty is None else out[empty]
        forest = self._forest_for(trees)
        forest.score(trees.dag, trees.roots, out, run.n_jobs, run.progress)
        if before is not None:
            out[empty] = before  # a tree that is not there scores nothing

    def state(self) -> dict[str, Any]:
        size, nodes, weights, productions, labels = self.forest.state()
        every = Forest.from_roots(self.forest.dag, np.arange(size, dtype=np.uint32))
        return {
            "dag": every,
            "nodes": nodes,
            "weights": weights,
            "productions": productions,
            "labels": labels,
            "settled": self.forest.settled,
        }

    def restore(self, state: dict[str, Any]) -> None:
        dag = state["dag"].dag
        forest = self._forest_for(state["dag"])
        forest.restore(dag, state["nodes"], state["weights"], state["productions"], state["labels"])
        if state.get("settled", True):  # files of older versions do not say
            forest.settle()

    def weighted_examples(self) -> WeightedExamples | None:
        if self.summand.kernel.fragments is None:
            return None
        _, nodes, weights, features, labels = self.forest.state()
        weights = weights.reshape(len(nodes), self.forest.outputs)
        if self.summand.kernel.fragments == "features":
            subtrees = Forest.from_roots(self.forest.dag, nodes)
            features = features.reshape(-1, self.forest.outputs)
            return WeightedExamples(self.summand, subtrees, weights, True, features)
        if len(labels):  # leaves that count on their own, of which only the labels are kept
            leaves, leaf_weights = self._leaves(labels.reshape(-1, self.forest.outputs))
            nodes = np.concatenate([nodes, leaves])
            weights = np.concatenate([weights, leaf_weights])
        subtrees = Forest.from_roots(self.forest.dag, nodes)
        single = not self.forest.weighs_trees
        return WeightedExamples(self.summand, subtrees, weights, single_subtrees=single)

    def _leaves(self, sums: Floats) -> tuple[NDArray[np.uint32], Floats]:
        """Return the leaves of the DAG, and their weights, from sums by label."""
        subtrees = _native.Subtrees.of(self.forest.dag)
        leaves = np.flatnonzero(np.diff(subtrees.child_offsets) == 0)
        return leaves.astype(np.uint32), sums[subtrees.labels[leaves]] / self.kernel.leaf_weight

    @property
    def batch_size(self) -> int | None:
        return _BATCH if self.forest.in_batches else None

    @property
    def size(self) -> int:
        return len(self.forest)

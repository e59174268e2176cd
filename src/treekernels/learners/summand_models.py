"""The model of one summand of a kernel: weighted subtrees, weights of features, or examples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.columns import forest_of, pairs_of
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.errors import DataError
from treekernels.kernels.base import Run, Summand
from treekernels.kernels.features import FeatureRows
from treekernels.kernels.missing_parts import missing_summand
from treekernels.learners.examples import Examples

__all__ = [
    "ForestModel",
    "SummandModel",
    "SupportModel",
    "WeightModel",
    "WeightedExamples",
    "normalizing_factors",
]

Matrix = NDArray[np.float64]

# Examples that are learned from at a time where they are compared with each other: few where that
# takes a Gram matrix, more where the forest is made ready for each batch.
_SUPPORT_BATCH = 512
_FOREST_BATCH = 4096


@dataclass
class WeightedExamples:
    """One summand of a model as weighted examples: what explanations are made of.

    Attributes
    ----------
    summand : Summand
    examples : Forest or Pairs
    weights : array of shape (examples, outputs)
        What each is multiplied with in the unnormalised kernel.
    single_subtrees : bool
        Whether the weights are those of the subtrees as such, and not of all that is below them.
    """

    summand: Summand
    examples: Any
    weights: Matrix
    single_subtrees: bool


class SummandModel(ABC):
    """What a model keeps for one summand of its kernel."""

    summand: Summand

    @abstractmethod
    def native_summand(self, examples: Examples) -> _native.Summand:
        """Return the examples for learning from one after the other; learning changes this."""

    @abstractmethod
    def note_learned(self, examples: Examples, alphas: Matrix) -> None:
        """Take note of what was learned through `native_summand`."""

    def factors(self, examples: Examples) -> NDArray[np.float64] | None:
        """Return what the coefficient of each example is multiplied with before it is added.

        None stands for ones. This fails if some of the examples cannot be added.
        """
        return None

    @abstractmethod
    def add(self, examples: Examples, alphas: Matrix) -> None:
        """Add examples to the model, with coefficients that `factors` have been applied to."""

    def set_weights(self, weights: Matrix) -> None:
        """Take the weights of features as they are."""
        raise NotImplementedError(f"{self.summand.kernel!r} has no weights of features")

    @abstractmethod
    def merge(self, other: Any, factors: NDArray[np.float64]) -> None:
        """Add a model of the same kind, times a factor for each output."""

    def check_merge(self, other: Any) -> None:  # noqa: B027
        """Raise a `DataError` if a model of the same kernel was learned from other vectors."""

    @abstractmethod
    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        """Add the scores of the examples to `out`."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what there is to save, which stays as it is when more is learned."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Become what was saved."""

    def weighted_examples(self) -> WeightedExamples | None:
        """Return the model as weighted examples, if the kernel has fragments to explain it by."""
        return None

    def feature_counts(self) -> dict[Any, int]:
        """Return how many features there are in each column of vectors that was learned from."""
        return {}

    @property
    def batch_size(self) -> int | None:
        """How many examples to learn from at a time, where a batch is compared with itself."""
        return None

    @property
    def size(self) -> int:
        """The number of subtrees, weights or examples."""
        return 0


class ForestModel(SummandModel):
    """A weighted forest."""

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        kernel: Any = summand.kernel
        self.on = kernel.on
        self.forest = _native.WeightedForest(
            kernel.native_kernel(), bool(kernel.normalize), summand.weight, n_outputs
        )

    def native_summand(self, examples: Examples) -> _native.Summand:
        trees = forest_of(examples.X, self.on)
        summand = _native.ForestSummand(self.forest, trees.dag, trees.roots)
        return missing_summand(summand, trees.is_empty)

    def note_learned(self, examples: Examples, alphas: Matrix) -> None:
        pass

    def factors(self, examples: Examples) -> NDArray[np.float64] | None:
        trees = forest_of(examples.X, self.on)
        return self.forest.factors(trees.dag, trees.roots)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        trees = forest_of(examples.X, self.on)
        empty = trees.is_empty
        if empty.any():
            trees, alphas = trees[~empty], alphas[~empty]
        self.forest.add(trees.dag, trees.roots, np.ascontiguousarray(alphas))

    def merge(self, other: ForestModel, factors: NDArray[np.float64]) -> None:
        self.forest.merge(other.forest, factors)

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        trees = forest_of(examples.X, self.on)
        empty = trees.is_empty
        before = out[empty] if empty.any() else None
        self.forest.score(trees.dag, trees.roots, out, run.n_jobs, run.progress)
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
        }

    def restore(self, state: dict[str, Any]) -> None:
        dag = state["dag"].dag
        self.forest.restore(
            dag, state["nodes"], state["weights"], state["productions"], state["labels"]
        )

    def weighted_examples(self) -> WeightedExamples | None:
        if self.summand.kernel.fragments is None:
            return None
        _, nodes, weights, _, labels = self.forest.state()
        weights = weights.reshape(len(nodes), self.forest.outputs)
        if len(labels):  # leaves that count on their own, of which only the labels are kept
            leaves, leaf_weights = self._leaves(labels.reshape(-1, self.forest.outputs))
            nodes = np.concatenate([nodes, leaves])
            weights = np.concatenate([weights, leaf_weights])
        subtrees = Forest.from_roots(self.forest.dag, nodes)
        single = not self.forest.weighs_trees
        return WeightedExamples(self.summand, subtrees, weights, single_subtrees=single)

    def _leaves(self, sums: Matrix) -> tuple[NDArray[np.uint32], Matrix]:
        """Return the leaves of the DAG, and their weights, from sums by label."""
        kernel: Any = self.summand.kernel
        subtrees = _native.Subtrees.of(self.forest.dag)
        leaves = np.flatnonzero(np.diff(subtrees.child_offsets) == 0)
        return leaves.astype(np.uint32), sums[subtrees.labels[leaves]] / kernel.leaf_weight

    @property
    def batch_size(self) -> int | None:
        return _FOREST_BATCH if self.forest.in_batches else None

    @property
    def size(self) -> int:
        return len(self.forest)


class WeightModel(SummandModel):
    """A weight for each feature and output: the linear kernel, or a constant."""

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        self.weights = np.zeros((0, n_outputs))
        self.names: tuple[str, ...] | None = None  # of the features, where they have names

    def _rows(self, examples: Examples) -> FeatureRows:
        kernel: Any = self.summand.kernel
        rows: FeatureRows = kernel.feature_rows(examples.X)
        if len(self.weights) and (rows.names is None) != (self.names is None):
            raise DataError("features have names here and had none in learning, or the other way")
        if self.names is not None:
            rows = rows.aligned(self.names)
        if len(self.weights) not in (0, rows.width):
            raise DataError(
                f"the vectors have {rows.width} features, and those learned from "
                f"{len(self.weights)}"
            )
        return rows

    def _rows_to_learn(self, examples: Examples) -> FeatureRows:
        """Return the vectors; the first to be learned from say how many weights there are."""
        kernel: Any = self.summand.kernel
        names = kernel.feature_rows(examples.X).names
        if names is not None and (self.names is not None or not len(self.weights)):
            self._make_room(names)
        rows = self._rows(examples)
        if not len(self.weights):
            self.weights = np.zeros((rows.width, self.weights.shape[1]))
        return rows

    def _make_room(self, names: tuple[str, ...]) -> None:
        """Give features that are new by name a weight of 0."""
        all_names = tuple(dict.fromkeys((*(self.names or ()), *names)))
        more = np.zeros((len(all_names) - len(self.weights), self.weights.shape[1]))
        self.weights = np.concatenate([self.weights, more])
        self.names = all_names

    def native_summand(self, examples: Examples) -> _native.Summand:
        rows = self._rows_to_learn(examples)
        return rows.linear_summand(self.summand.weight, self.weights.shape[1], self.weights)

    def note_learned(self, examples: Examples, alphas: Matrix) -> None:
        pass

    def factors(self, examples: Examples) -> NDArray[np.float64] | None:
        self._rows(examples)
        return None

    def add(self, examples: Examples, alphas: Matrix) -> None:
        rows = self._rows_to_learn(examples)
        self.weights += rows.matrix().T @ alphas

    def set_weights(self, weights: Matrix) -> None:
        self.weights = np.array(weights)

    def check_merge(self, other: WeightModel) -> None:
        if self.names is not None and other.names is not None:
            return
        if len(self.weights) and len(other.weights) not in (0, len(self.weights)):
            raise DataError(
                f"one model has learned from vectors of {len(self.weights)} features, and the "
                f"other from {len(other.weights)}"
            )

    def merge(self, other: WeightModel, factors: NDArray[np.float64]) -> None:
        if not len(self.weights):
            self.weights, self.names = factors * other.weights, other.names
        elif self.names is not None and other.names is not None:
            self._make_room(other.names)
            places = [self.names.index(name) for name in other.names]
            self.weights[places] += factors * other.weights
        elif len(other.weights):
            self.weights += factors * other.weights

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        rows = self._rows(examples)
        if len(self.weights):
            out += self.summand.weight * (rows.matrix() @ self.weights)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"weights": self.weights.copy()}
        if self.names is not None:
            state["names"] = list(self.names)
        return state

    def restore(self, state: dict[str, Any]) -> None:
        weights = state["weights"]
        if weights.ndim != 2 or weights.shape[1] != self.weights.shape[1]:
            raise ValueError("the weights have another shape than the model")
        names = state.get("names")
        if names is not None and (len(names) != len(weights) or len(set(names)) != len(names)):
            raise ValueError("the features do not have a name each")
        self.names = None if names is None else tuple(map(str, names))
        self.weights = np.array(weights, np.float64)

    def feature_counts(self) -> dict[Any, int]:
        on = self.summand.kernel.on
        return {on: len(self.weights)} if isinstance(on, str) and self.names is None else {}

    @property
    def size(self) -> int:
        return len(self.weights)


class SupportModel(SummandModel):
    """Support examples with their coefficients, for any kernel."""

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        self.n_outputs = n_outputs
        # Joined when they are needed. It is one list of both, replaced and never changed, so that
        # two threads that score may each do so.
        self._parts: list[tuple[Examples, Matrix]] = []

    def native_summand(self, examples: Examples) -> _native.Summand:
        gram = self.summand.weight * np.asarray(self.summand.kernel(examples.X), np.float64)
        scores = np.zeros((len(examples), self.n_outputs))
        self.score(examples, scores, Run())
        return _native.MatrixSummand(np.ascontiguousarray(gram), scores)

    @property
    def batch_size(self) -> int | None:
        return _SUPPORT_BATCH

    def note_learned(self, examples: Examples, alphas: Matrix) -> None:
        self.add(examples, alphas)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        rows = np.flatnonzero(alphas.any(axis=1))
        if len(rows):
            own = Examples.of(examples.X, self.summand.kernel)  # without other summands' columns
            self._parts = [*self._parts, (own.take(rows), np.array(alphas[rows]))]

    def merge(self, other: SupportModel, factors: NDArray[np.float64]) -> None:
        more = [(examples, factors * alphas) for examples, alphas in other._parts]
        self._parts = [*self._parts, *more]

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        if not self._parts:
            return
        support, alphas = self._joined()
        matrix = self.summand.kernel.prepare(examples.X, support.X, run)
        step = max(1, (64 << 20) // max(1, 8 * len(support)))
        bounds = range(0, len(examples), step)
        for number, first in enumerate(bounds):
            last = min(first + step, len(examples))
            block = np.empty((last - first, len(support)))
            matrix.fill_rows(first, last, block, run.part(number, len(bounds)))
            out[first:last] += self.summand.weight * (block @ alphas)

    def _joined(self) -> tuple[Examples, Matrix]:
        """Return all support examples as one, with their coefficients."""
        parts = self._parts
        if len(parts) > 1:
            examples, alphas = zip(*parts, strict=True)
            parts = [(Examples.concatenate(list(examples)), np.concatenate(alphas))]
            self._parts = parts
        return parts[0]

    def state(self) -> dict[str, Any]:
        if not self._parts:
            return {}
        support, alphas = self._joined()
        return {"columns": dict(support.columns), "alphas": alphas}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        if state["alphas"].ndim != 2 or state["alphas"].shape[1] != self.n_outputs:
            raise ValueError("the coefficients have another shape than the model")
        examples = Examples.restored(state["columns"], self.summand.kernel)
        if len(examples) != len(state["alphas"]):
            raise ValueError("there are not as many coefficients as support examples")
        self._parts = [(examples, np.asarray(state["alphas"], np.float64))]

    def weighted_examples(self) -> WeightedExamples | None:
        kernel: Any = self.summand.kernel
        if kernel.fragments is None:
            return None
        pairs = kernel.takes == "pairs"
        if not self._parts:
            empty = np.zeros((0, self.n_outputs))
            return WeightedExamples(self.summand, Pairs() if pairs else Forest(), empty, False)
        support, alphas = self._joined()
        examples = (pairs_of if pairs else forest_of)(support.X, kernel.on)
        weights = alphas * normalizing_factors(kernel, examples)[:, np.newaxis]
        return WeightedExamples(self.summand, examples, weights, single_subtrees=False)

    def feature_counts(self) -> dict[Any, int]:
        if not self._parts:
            return {}
        columns = self._parts[0][0].columns.items()
        return {name: column.shape[1] for name, column in columns if hasattr(column, "tocsr")}

    @property
    def size(self) -> int:
        return sum(len(examples) for examples, _ in self._parts)


def normalizing_factors(kernel: Any, examples: Any) -> NDArray[np.float64]:
    """Return what each example is multiplied with: 0 if it is empty, 1 without normalisation."""
    from sklearn.base import clone

    if not kernel.normalize:
        factors = np.ones(len(examples))
        if isinstance(examples, Forest):
            factors[examples.is_empty] = 0.0
        return factors
    norms = clone(kernel).set_params(normalize=False, on=None).diag(examples)
    factors = np.zeros(len(norms))
    factors[norms > 0] = 1 / np.sqrt(norms[norms > 0])
    return factors

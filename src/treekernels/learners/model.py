"""Model: what a learner has learned, one weighted sum of examples for each column.

Every summand of the kernel keeps its own side of the model: a weighted forest, a matrix of weights,
or the support examples themselves.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.forest import Forest
from treekernels.kernels import Kernel
from treekernels.kernels.base import Run
from treekernels.kernels.columns import forest_of
from treekernels.kernels.trees import told_plainly
from treekernels.learners.examples import Examples
from treekernels.learners.terms import Term, sparse_rows, terms_of

__all__ = ["Model"]

Matrix = NDArray[np.float64]


class Side(ABC):
    """The side of a model that one summand of the kernel sees."""

    term: Term

    @abstractmethod
    def part(self, examples: Examples) -> _native.Part:
        """Give the examples for learning from one after the other; learning changes this side."""

    @abstractmethod
    def learned(self, examples: Examples, alphas: Matrix) -> None:
        """Take note of what was learned through `part`."""

    def check(self, examples: Examples) -> None:  # noqa: B027
        """Fail if some of the examples cannot be added."""

    @abstractmethod
    def add(self, examples: Examples, alphas: Matrix) -> None:
        """Add examples to the model."""

    @abstractmethod
    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        """Add the scores of the examples to `out`."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Give what there is to save."""

    @abstractmethod
    def restore(self, state: dict[str, Any]) -> None:
        """Become what was saved."""

    @property
    def size(self) -> int:
        """The number of subtrees, weights or examples."""
        return 0


class ForestSide(Side):
    """A weighted forest."""

    def __init__(self, term: Term, columns: int) -> None:
        self.term = term
        self.on = getattr(term.kernel, "on", None)
        self.forest = _native.WeightedForest(columns=columns, **term.core())

    def __getstate__(self) -> tuple[Any, ...]:
        return self.term, self.forest.columns, self.state()

    def __setstate__(self, saved: tuple[Any, ...]) -> None:
        term, columns, state = saved
        ForestSide.__init__(self, term, columns)
        self.restore(state)

    def part(self, examples: Examples) -> _native.Part:
        trees = forest_of(examples.X, self.on)
        return _native.ForestPart(self.forest, trees._dag, trees._roots)

    def learned(self, examples: Examples, alphas: Matrix) -> None:
        pass

    def check(self, examples: Examples) -> None:
        trees = forest_of(examples.X, self.on)
        self.forest.check(trees._dag, trees._roots)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        trees = forest_of(examples.X, self.on)
        self.forest.add(trees._dag, trees._roots, np.ascontiguousarray(alphas))

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        trees = forest_of(examples.X, self.on)
        self.forest.score(trees._dag, trees._roots, out, run.n_jobs, run.progress)

    def state(self) -> dict[str, Any]:
        dag = self.forest.dag
        nodes, weights, productions, labels = self.forest.state()
        every = Forest._of(dag, np.arange(len(dag), dtype=np.uint32))
        return {
            "dag": every,
            "nodes": nodes,
            "weights": weights,
            "productions": productions,
            "labels": labels,
        }

    def restore(self, state: dict[str, Any]) -> None:
        dag = state["dag"]._dag
        self.forest.restore(
            dag, state["nodes"], state["weights"], state["productions"], state["labels"]
        )

    @property
    def size(self) -> int:
        return len(self.forest)


class WeightSide(Side):
    """A weight for each feature and column: the linear kernel, or a constant."""

    def __init__(self, term: Term, columns: int) -> None:
        self.term = term
        self.weights = np.zeros((0, columns))

    def _rows(self, examples: Examples) -> tuple[Any, Any, Any]:
        width, *arrays = sparse_rows(self.term.kernel, examples.X)
        if not len(self.weights):
            self.weights = np.zeros((width, self.weights.shape[1]))
        if len(self.weights) != width:
            raise ValueError(
                f"the vectors have {width} features, and those learned from {len(self.weights)}"
            )
        offsets, features, values = arrays
        return offsets, features, values

    def part(self, examples: Examples) -> _native.Part:
        offsets, features, values = self._rows(examples)
        return _native.LinearPart(self.weights, offsets, features, values, self.term.weight)

    def learned(self, examples: Examples, alphas: Matrix) -> None:
        pass

    def check(self, examples: Examples) -> None:
        self._rows(examples)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        matrix = self._matrix(examples)
        self.weights += matrix.T @ alphas

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        matrix = self._matrix(examples)
        out += self.term.weight * (matrix @ self.weights)

    def _matrix(self, examples: Examples) -> Any:
        from scipy.sparse import csr_matrix

        offsets, features, values = self._rows(examples)
        return csr_matrix((values, features, offsets), shape=(len(examples), len(self.weights)))

    def state(self) -> dict[str, Any]:
        return {"weights": self.weights}

    def restore(self, state: dict[str, Any]) -> None:
        weights = state["weights"]
        if weights.ndim != 2 or weights.shape[1] != self.weights.shape[1]:
            raise ValueError("the weights have another shape than the model")
        self.weights = np.array(weights, np.float64)

    @property
    def size(self) -> int:
        return len(self.weights)


class SupportSide(Side):
    """Support examples with their coefficients, for any kernel."""

    def __init__(self, term: Term, columns: int) -> None:
        self.term = term
        self.columns = columns
        self.examples: list[Examples] = []
        self.alphas: list[Matrix] = []

    def part(self, examples: Examples) -> _native.Part:
        gram = self.term.weight * np.asarray(self.term.kernel(examples.X), np.float64)
        scores = np.zeros((len(examples), self.columns))
        self.score(examples, scores, Run())
        return _native.MatrixPart(np.ascontiguousarray(gram), scores)

    def learned(self, examples: Examples, alphas: Matrix) -> None:
        self.add(examples, alphas)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        rows = np.flatnonzero(alphas.any(axis=1))
        if len(rows):
            own = Examples.of(examples.X, self.term.kernel)  # without the columns of other sides
            self.examples.append(own.take(rows))
            self.alphas.append(np.array(alphas[rows]))

    def score(self, examples: Examples, out: Matrix, run: Run) -> None:
        if not self.examples:
            return
        support, alphas = self.joined()
        kernel = self.term.kernel
        matrix = kernel.prepare(examples.X, support.X, run)
        step = max(1, (64 << 20) // max(1, 8 * len(support)))
        bounds = range(0, len(examples), step)
        for number, first in enumerate(bounds):
            last = min(first + step, len(examples))
            block = np.empty((last - first, len(support)))
            matrix.fill_rows(first, last, block, run.part(number, len(bounds)))
            out[first:last] += self.term.weight * (block @ alphas)

    def joined(self) -> tuple[Examples, Matrix]:
        """Give all support examples as one, with their coefficients."""
        if len(self.examples) > 1:
            self.examples = [Examples.concatenate(self.examples)]
            self.alphas = [np.concatenate(self.alphas)]
        return self.examples[0], self.alphas[0]

    def state(self) -> dict[str, Any]:
        if not self.examples:
            return {}
        support, alphas = self.joined()
        return {"columns": dict(support.columns), "alphas": alphas}

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        if state["alphas"].ndim != 2 or state["alphas"].shape[1] != self.columns:
            raise ValueError("the coefficients have another shape than the model")
        self.examples = [Examples.restored(state["columns"], self.term.kernel)]
        self.alphas = [np.asarray(state["alphas"], np.float64)]
        if len(self.examples[0]) != len(state["alphas"]):
            raise ValueError("there are not as many coefficients as support examples")

    @property
    def size(self) -> int:
        return sum(map(len, self.examples))


class Model:
    """All sides of a model.

    Parameters
    ----------
    kernel : Kernel
    columns : int
        How many scores an example gets.
    one_by_one : bool
        Keep support examples even where there is a weighted forest.
    """

    def __init__(self, kernel: Kernel, columns: int, *, one_by_one: bool = False) -> None:
        self.kernel = kernel
        self.columns = columns
        self.one_by_one = one_by_one
        self.sides = [self._side(term) for term in terms_of(kernel)]

    def _side(self, term: Term) -> Side:
        if term.has_forest and not self.one_by_one:
            return ForestSide(term, self.columns)
        if term.has_weights:
            return WeightSide(term, self.columns)
        return SupportSide(term, self.columns)

    @property
    def keeps_examples(self) -> bool:
        """Whether a side needs Gram matrices, so that examples should come in small batches."""
        return any(isinstance(side, SupportSide) for side in self.sides)

    @property
    def size(self) -> int:
        """The number of subtrees, weights and support examples."""
        return sum(side.size for side in self.sides)

    def parts(self, examples: Examples) -> list[_native.Part]:
        """Give all parts of the kernel for learning from the examples."""
        return [side.part(examples) for side in self.sides]

    def learned(self, examples: Examples, alphas: Matrix) -> None:
        """Take note of what was learned through `parts`."""
        for side in self.sides:
            side.learned(examples, alphas)

    def add(self, examples: Examples, alphas: Matrix) -> None:
        """Add examples with their coefficients: all of them or, should one be unfit, none."""
        with told_plainly():
            for side in self.sides:
                side.check(examples)
            for side in self.sides:
                side.add(examples, alphas)

    def score(self, examples: Examples, run: Run) -> Matrix:
        """Give the scores of examples, one row each."""
        out = np.zeros((len(examples), self.columns))
        with told_plainly():
            for number, side in enumerate(self.sides):
                side.score(examples, out, run.part(number, len(self.sides)))
        return out

    def state(self) -> list[dict[str, Any]]:
        """Give what there is to save."""
        return [side.state() for side in self.sides]

    def restore(self, state: list[dict[str, Any]]) -> None:
        """Become what was saved."""
        if len(state) != len(self.sides):
            raise ValueError("the saved model is of another kernel")
        for side, own in zip(self.sides, state, strict=True):
            side.restore(own)

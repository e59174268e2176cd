"""PartModel: one weight for each class of parts, for mapping kernels.

Equation (8) of Da San Martino et al. (2019): the score of an example is the sum over its parts, and
over the classes that count with them, of the local kernel times the weight of the class.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats, Indices
from treekernels.data.examples import Examples
from treekernels.kernels.base.kernel import Summand
from treekernels.kernels.base.matrices import Run, inverse_root
from treekernels.kernels.parts.classes import ClassColumns, PartClasses, PartRows, blocks
from treekernels.learners.models.summand_model import Change, SummandModel

_BATCH = 512  # examples that are compared with each other


class PartModel(SummandModel):
    """A weight for each class of parts and output.

    Examples that were the first with some class are kept as well: classes are saved by them, since
    a part may be anything.
    """

    weight_names = ("weights",)

    def __init__(self, summand: Summand, n_outputs: int) -> None:
        self.summand = summand
        kernel: Any = summand.kernel
        self.kernel = kernel
        self.classes: PartClasses = kernel.part_classes()
        self.weights = np.zeros((0, n_outputs))
        self._places: dict[int, int] = {}  # of the weights, by class
        self._first: list[Examples] = []
        self._columns: ClassColumns | None = None  # the classes with weights, made when needed
        self._sums: dict[int, Floats] = {}  # what a part of each class scores

    def _count(self, examples: Examples) -> PartRows:
        return self.classes.count(examples.objects(self.kernel.on))

    def _scales(self, rows: PartRows) -> Floats | None:
        return inverse_root(self.classes.norms(rows)) if self.kernel.normalize else None

    @property
    def batch_size(self) -> int | None:
        """How many examples to learn from at a time: a batch is compared with itself."""
        return _BATCH

    def native_summand(self, examples: Examples) -> _native.Summand:
        rows = self._count(examples)
        gram = np.empty((len(rows), len(rows)))
        self.kernel.prepare_rows(self.classes, rows).fill(gram, Run())
        gram *= self.summand.weight
        scores = np.zeros((len(rows), self.weights.shape[1]))
        self._score(rows, scores, Run())
        return _native.MatrixSummand(gram, scores)

    def learned(self, examples: Examples, alphas: Floats) -> list[Change]:
        factors = self.factors(examples)
        return self.addition(examples, alphas if factors is None else factors[:, None] * alphas)

    def factors(self, examples: Examples) -> Floats | None:
        return self._scales(self._count(examples))

    def addition(self, examples: Examples, alphas: Floats) -> list[Change]:
        used = np.flatnonzero(alphas.any(axis=1))
        added = examples.only(self.kernel.inputs()).take(used)
        rows = self._count(added)
        owners = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
        place_of = dict(self._places)
        places = np.empty(len(rows.classes), np.int64)
        first: list[int] = []  # the owner of each new class
        for at, number in enumerate(rows.classes.tolist()):
            place = place_of.setdefault(number, len(place_of))
            if place == len(self._places) + len(first):
                first.append(owners[at])
            places[at] = place
        weights = self._weights_for(place_of)
        # One after the other, so that the sums have the same bits however examples are batched.
        np.add.at(weights, places, rows.counts[:, None] * alphas[used][owners])
        kept = [*self._first, added.take(np.unique(first))] if first else self._first
        return self._becoming(place_of, weights, kept)

    def _weights_for(self, places: dict[int, int]) -> Floats:
        """Return the weights, with those of new classes, as a copy."""
        new = np.zeros((len(places) - len(self._places), self.weights.shape[1]))
        return np.concatenate([self.weights, new])

    def _becoming(
        self, places: dict[int, int], weights: Floats, first: list[Examples]
    ) -> list[Change]:
        """Return the changes to these weights, and to what depends on them."""
        columns = self._columns if len(places) == len(self._places) else None
        new = {"_places": places, "weights": weights, "_first": first, "_columns": columns}
        return [(self, name, value) for name, value in (new | {"_sums": {}}).items()]

    def merging(self, other: PartModel, factors: Floats) -> list[Change]:
        state = other.state()
        if not state:
            return []
        theirs = PartModel(other.summand, other.weights.shape[1])
        theirs.kernel, theirs.classes = self.kernel, self.classes  # so that classes have one number
        theirs.restore(state)
        place_of = dict(self._places)
        places = [place_of.setdefault(number, len(place_of)) for number in theirs._places]
        weights = self._weights_for(place_of)
        weights[places] += factors * theirs.weights
        return self._becoming(place_of, weights, [*self._first, *theirs._first])

    def score(self, examples: Examples, out: Floats, run: Run) -> None:
        self._score(self._count(examples), out, run)

    def _score(self, rows: PartRows, out: Floats, run: Run) -> None:
        if not len(self.weights):
            return
        present = rows.distinct()
        sums = self._sums_of(present, run)
        scores = rows.matrix(np.searchsorted(present, rows.classes), len(present)) @ sums
        scales = self._scales(rows)
        if scales is not None:
            scores *= scales[:, None]
        out += self.summand.weight * scores

    def _sums_of(self, classes: Indices, run: Run) -> Floats:
        """Return for each class the local kernel with those of the model times their weights."""
        columns = self._columns
        if columns is None:
            numbers = np.fromiter(self._places, np.int64, len(self._places))
            self._columns = columns = self.classes.columns(numbers)
        sums = self._sums  # of this moment, though other threads may add to it as well
        new = np.array([number for number in classes.tolist() if number not in sums], np.int64)
        begin, end = self.classes.comparisons(new, columns)
        for low, high in blocks(end - begin):
            local = self.classes.local_matrix(new[low:high], columns)
            sums.update(zip(new[low:high].tolist(), local @ self.weights, strict=True))
            if run.progress is not None:
                run.progress(high, len(new))
        return np.array([sums[number] for number in classes.tolist()]).reshape(
            len(classes), self.weights.shape[1]
        )

    def state(self) -> dict[str, Any]:
        if not self._first:
            return {}
        self._first = [Examples.concatenate(self._first)]
        return {
            "columns": dict(self._first[0].columns),
            "classes": [self.classes.text(number) for number in self._places],
            "weights": self.weights.copy(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        if not state:
            return
        weights = np.array(state["weights"], np.float64)
        names = list(state["classes"])
        if weights.shape != (len(names), self.weights.shape[1]):
            raise ValueError("the weights have another shape than the model")
        examples = Examples.restored(state["columns"], self.kernel.inputs())
        # By name, since the order of the parts of an example may be another one in each process.
        numbers_of_text: defaultdict[str, list[int]] = defaultdict(list)
        for number in dict.fromkeys(self._count(examples).classes.tolist()):
            numbers_of_text[self.classes.text(number)].append(number)
        try:
            numbers = [numbers_of_text[name].pop(0) for name in names]
        except IndexError:
            numbers = []
        if len(numbers) < len(names) or any(numbers_of_text.values()):
            raise ValueError("the parts of the examples are others than those saved")
        self.weights = weights
        self._places = {number: place for place, number in enumerate(numbers)}
        self._first = [examples]
        self._columns = None
        self._sums = {}

    @property
    def size(self) -> int:
        return len(self.weights)

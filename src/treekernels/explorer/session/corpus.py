"""Corpus: the examples that are explored, with their labels and where they are from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import column_names, column_of, forest_of, length
from treekernels.data.forest import Forest, as_forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import DataError
from treekernels.io.reading.input.origins import places_of
from treekernels.kernels import Kernel


class Corpus:
    """Examples as a model takes them: a `Forest`, `Pairs` or a `Table`."""

    def __init__(
        self,
        X: Any,
        labels: Sequence[Any] | NDArray[Any] | None = None,
        places: Sequence[str] | None = None,
        name: str = "the data",
    ) -> None:
        self.X = X
        self.labels = None if labels is None else np.asarray(labels)  # the right answers
        self.places = places  # such as "line 3"
        self.name = name  # of the file
        for given in (self.labels, places):
            if given is not None and len(given) != len(self):
                raise DataError(f"there are {len(self):,} examples, but {len(given):,} labels")

    @classmethod
    def of(cls, data: Any, kernel: Kernel | None, labels: Any = None) -> Corpus:
        """Make a corpus of anything that a learner takes: trees, pairs, or columns of them.

        Labels are those of a column "label" and lines those of a column "line", if there are any.
        """
        if isinstance(data, Corpus):
            return data
        names = None if isinstance(data, Pairs) else column_names(data)
        columns = {} if names is None else {str(name): column_of(data, name) for name in names}
        if labels is None:
            labels = columns.get("label")
        elif isinstance(labels, str):
            if labels not in columns:
                raise DataError(f"the data have no column {labels!r} to take labels from")
            labels = columns[labels]
        places = places_of(columns, length(data)) if "line" in columns else None
        return cls(_examples_of(data, kernel), labels, places)

    def __len__(self) -> int:
        return length(self.X)

    def place(self, row: int) -> str:
        """Return where an example is."""
        return self.places[row] if self.places is not None else f"example {row + 1:,}"

    def label(self, row: int) -> str | None:
        """Return the right answer, if it is known."""
        return None if self.labels is None else str(self.labels[row])

    def label_counts(self, rows: Sequence[int] | None = None) -> list[tuple[str, int]]:
        """Return how many examples have each label, the commonest first; of some rows if given."""
        if self.labels is None:
            return []
        labels = self.labels if rows is None else self.labels[np.asarray(rows, np.intp)]
        return Counter(map(str, labels.tolist())).most_common()

    @property
    def trees(self) -> dict[Any, Forest]:
        """The trees by column; None stands for the only one. Those of pairs have placeholders."""
        columns = dict(self.X) if isinstance(self.X, Mapping) else {None: self.X}
        for pairs in columns.values():
            if isinstance(pairs, Pairs):
                return {"text": pairs.texts, "hypothesis": pairs.hypotheses}
        return {name: column for name, column in columns.items() if isinstance(column, Forest)}


def _examples_of(data: Any, kernel: Kernel | None) -> Any:
    """Return what a kernel looks at; all of it if there is no kernel to say."""
    if kernel is None:
        return forest_of(data, None)
    columns = kernel.examples(data).columns
    if None in columns:
        whole = columns[None]
        return whole if isinstance(whole, Forest | Pairs) else as_forest(whole)
    return Table({str(name): column for name, column in columns.items()})

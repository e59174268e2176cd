"""Data: what a command has read, as a table in which some columns have a role."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.problem import Problem
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.data.parsing import SENTENCES
from treekernels.data.table import Table
from treekernels.io.reading.input.origins import ORIGINS, places_of
from treekernels.io.reading.tables.columns import column_at
from treekernels.io.writing.column_kinds import kind_of

_FEW = 5
_NO_LABELS = (*ORIGINS, "qid", "sid", "cost", "document", "sentence")


@dataclass
class Data:
    """A table, the name of its file, the column of labels, and the columns of trees in use.

    Of the latter, those that were `parsed` held texts before.
    """

    path: str
    table: Table
    label: str | None = None
    trees: list[str] = field(default_factory=list)
    parsed: list[str] = field(default_factory=list)

    @property
    def vectors(self) -> list[str]:
        """The columns of vectors."""
        kinds = {name: kind_of(column) for name, column in self.table.items()}
        return [name for name, kind in kinds.items() if kind in ("sparse", "dense", "dict")]

    def __len__(self) -> int:
        return len(self.table)

    def column(self, name: str) -> str:
        """Return the name of a column that was given by name or number."""
        return self.table.columns[column_at(name, self.table.columns, self.path)]

    def places(self) -> list[str]:
        """Return in which file and line each example is, as far as that is known."""
        return places_of(self.table, len(self))

    def labels(self, *, several: bool = True) -> NDArray[Any]:
        """Return the labels, one for each example; at least two differ if there must be several."""
        if self.label is None:
            raise Problem(
                f"{self.path} has no column of labels, only {', '.join(self.table.columns)}: write "
                "each example as label, tab, tree, or take the names of folders or files as labels "
                "with --label folder or --label file"
            )
        labels = self.table[self.label]
        if isinstance(labels, Forest) or getattr(labels, "ndim", 1) != 1:
            kind = "trees" if isinstance(labels, Forest) else "vectors"
            raise Problem(f"{self.path}: the column {self.label!r} holds {kind}, not labels")
        for row, label in enumerate(labels.tolist(), start=1):
            if isinstance(label, tuple) and len(label) > 1:
                raise Problem(
                    f"{self.path}: example {row} has {len(label)} labels ({' '.join(label)}), "
                    "and may have one"
                )
            if label is None or label == () or label != label or not str(label).strip():
                raise Problem(f"{self.path}: example {row} has no label in column {self.label!r}")
        if labels.dtype == object:
            labels = np.array([str(label) for label in labels], object)
        if several and labels.dtype.kind == "f" and (fractions := labels[labels % 1 != 0]).size:
            raise Problem(
                f"{self.path}: the labels are numbers with fractions, such as {fractions[0]:g}, "
                "and commands learn classes; tk.TreeSVR learns numbers, in Python"
            )
        classes = np.unique(labels)
        if several and labels.dtype.kind in "iu" and len(classes) == len(labels) > 9:
            raise Problem(
                f"{self.path}: each of the {len(labels):,} examples has a label of its own, a "
                f"number such as {classes[0]}, and nothing can be learned from that: say which "
                "column holds the labels with --label COLUMN (tk.TreeSVR learns numbers, in Python)"
            )
        if several and len(classes) < 2:
            raise Problem(
                f"{self.path}: {str(classes[0])!r} is the only label (of "
                f"{count_noun(len(labels), 'example')}), so there is nothing to tell apart"
            )
        return np.asarray(labels)

    def groups(self, name: str) -> NDArray[Any]:
        """Return the group of each example, from a column that was named."""
        name = self.column(name)
        groups = self.table[name]
        if isinstance(groups, Forest) or getattr(groups, "ndim", 1) != 1:
            raise Problem(f"{self.path}: the column {name!r} does not hold names of groups")
        for row, group in enumerate(groups.tolist(), start=1):
            if group is None or group != group or not str(group).strip():
                raise Problem(f"{self.path}: example {row} has no group in the column {name!r}")
        return np.array([str(group) for group in groups], object)

    def relevance(self) -> NDArray[np.float64]:
        """Return the labels as numbers, from which a ranker learns."""
        try:
            return self.labels(several=False).astype(np.float64)
        except ValueError:
            raise Problem(
                f"a ranker learns from numbers, and the labels of {self.path} are not"
            ) from None

    def queries(self) -> NDArray[Any]:
        """Return the query of each example, from the column qid."""
        if "qid" not in self.table:
            raise Problem(
                f"a ranker needs to know which examples belong together, and {self.path} has no "
                f"column qid, only {', '.join(self.table.columns)}"
            )
        return np.asarray(self.table["qid"])


def strangers(labels: Iterable[Any], path: str, known: Iterable[Any], of: str) -> str | None:
    """Return a sentence if no label of some data is among those that a model knows."""
    here, there = ({str(label) for label in some} for some in (labels, known))
    if not here or here & there:
        return None
    return (
        f"none of the labels in {path} ({_listed(here)}) is one of {of} ({_listed(there)}), so "
        "that no prediction can agree with them: say which column holds the labels with --label "
        "COLUMN, or write them in the same way in all files"
    )


def _listed(labels: set[str]) -> str:
    first = sorted(labels)[:_FEW]
    return ", ".join(first) + (", ..." if len(labels) > _FEW else "")


def data_of(
    table: Table, path: str, *, has_labels: bool, trees: Sequence[str], read_as_trees: Sequence[str]
) -> Data:
    """Return data with the roles of their columns, guessed where they were not said.

    Parameters
    ----------
    has_labels : bool
        Whether the reader was told where the labels are, and called their column "label".
    trees, read_as_trees : sequence of str
        The columns of trees that were chosen, by name or number; of the latter the reader knew, so
        that they may have another name by now.
    """
    data = Data(path, table)
    forests = [name for name, column in table.items() if isinstance(column, Forest)]
    if not len(table):
        raise Problem(f"{path} is empty: there are no trees in it")
    if read_as_trees:
        data.trees = [name if name in forests else data.column(name) for name in read_as_trees]
    else:
        data.trees = [data.column(name) for name in trees] or forests
    for name in data.trees:
        if name not in forests:
            raise Problem(f"{path}: the column {name!r} does not hold trees")
    if not forests:
        columns = ", ".join(table.columns)
        raise Problem(f"{path} has no column of trees, only {columns}; {SENTENCES}")
    if has_labels or "label" in table:
        data.label = "label"
    else:
        others = [name for name, column in table.items() if kind_of(column) == "other"]
        data.label = next((name for name in others if name not in _NO_LABELS), None)
    return data

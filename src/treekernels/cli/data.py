"""Data: a file as a table, with the roles of its columns guessed where they were not said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.problem import Problem
from treekernels.common.screen import Screen
from treekernels.common.wording import count_noun
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.formats import format_of
from treekernels.io.readers.lines import lines_of
from treekernels.io.readers.reading import read
from treekernels.io.writers.column_kinds import kind_of

__all__ = ["Data", "read_data"]


@dataclass
class Data:
    """A file that has been read."""

    path: str
    table: Table
    label: str | None
    trees: list[str]

    @property
    def vectors(self) -> list[str]:
        """The columns of vectors."""
        kinds = {name: kind_of(column) for name, column in self.table.items()}
        named = [name for name, kind in kinds.items() if kind == "dict"]
        if named:
            raise Problem(
                f"{self.path}: the features in column {named[0]!r} have names instead of numbers, "
                "which cannot be used here (--kernel sst leaves them out)"
            )
        return [name for name, kind in kinds.items() if kind in ("sparse", "dense")]

    def __len__(self) -> int:
        return len(self.table)

    def column(self, name: str) -> str:
        """Return the name of a column that was given by name or number."""
        return _at(name, self.table.columns, self.path)

    def labels(self, *, several: bool = True) -> NDArray[Any]:
        """Return the labels, one for each example; at least two differ if there must be several."""
        if self.label is None:
            raise Problem(
                f"{self.path} has no column of labels, only {', '.join(self.table.columns)}: write "
                "each example as label, tab, tree, and see `treekernels --help`"
            )
        found = self.table[self.label]
        if isinstance(found, Forest) or getattr(found, "ndim", 1) != 1:
            kind = "trees" if isinstance(found, Forest) else "vectors"
            raise Problem(f"{self.path}: the column {self.label!r} holds {kind}, not labels")
        for row, label in enumerate(found.tolist(), start=1):
            if isinstance(label, tuple) and len(label) > 1:
                raise Problem(
                    f"{self.path}: example {row} has {len(label)} labels ({' '.join(label)}), "
                    "and may have one"
                )
            if label is None or label == () or label != label or not str(label).strip():
                raise Problem(f"{self.path}: example {row} has no label in column {self.label!r}")
        if found.dtype == object:
            found = np.array([str(label) for label in found], object)
        classes = np.unique(found)
        if several and len(classes) < 2:
            raise Problem(
                f"{self.path}: {str(classes[0])!r} is the only label (of "
                f"{count_noun(len(found), 'example')}), so there is nothing to tell apart"
            )
        return np.asarray(found)


def read_data(
    path: str,
    screen: Screen,
    *,
    format_: str | None = None,
    label: str | None = None,
    trees: Sequence[str] = (),
    reader_options: Sequence[str] = (),
    skip_bad: bool = False,
) -> Data:
    """Read a file, and find out which columns are what."""
    if not Path(path).exists():
        raise Problem(f"there is no file {path}")
    format_ = format_ or _format(path)
    options: dict[str, Any] = {**_options(reader_options), "skip_bad": skip_bad}
    problems: list[ParseError] = []
    if skip_bad:
        options["problems"] = problems
    if format_ == "tsv":
        options |= _tsv_columns(path, label, trees)
    elif format_ == "parquet" and trees:
        options["trees"] = list(trees)
    try:
        found = read(path, format_, **options)
    except TypeError as error:  # an option that the reader does not have
        raise Problem(str(error)) from None
    _list_problems(problems, screen)
    table = found if isinstance(found, Table) else Table({"tree": found})
    return _with_roles(Data(path, table, None, []), label, trees)


def _format(path: str) -> str:
    """Tell the format by the extension or, where that says nothing, by the first line."""
    found = format_of(path)
    if found == "brackets":
        first = next(iter(_first_lines(path, 1)), "")
        if "|BT|" in first or "|STD|" in first or "|BV|" in first:
            return "svmlight-tk"
        if "|BT:" in first or "|BV:" in first or "|BDV:" in first:
            return "kelp"
        if "\t" in first:
            return "tsv"
    return found


def _first_lines(path: str, count: int) -> list[str]:
    lines = (line for _, line in lines_of(path))
    return list(islice((line for line in lines if line.strip(" ")), count))


def _tsv_columns(path: str, label: str | None, trees: Sequence[str]) -> dict[str, Any]:
    """Say how to read the columns: by a header, or by names that tell what they hold."""
    rows = [line.split("\t") for line in _first_lines(path, 2)]
    if not rows:
        raise Problem(f"{path} is empty: there are no trees in it")
    with_trees = [[entry.lstrip().startswith("(") for entry in row] for row in rows]
    if len(rows) == 2 and not any(with_trees[0]) and any(with_trees[1]):
        names = [name.strip() for name in rows[0]]
        if trees:
            wanted = [_at(name, names, path) for name in trees]
        else:
            wanted = [name for name, is_tree in zip(names, with_trees[1], strict=False) if is_tree]
        return {"header": True, "trees": wanted}
    places = [place for place, is_tree in enumerate(with_trees[0]) if is_tree]
    numbers = [str(place + 1) for place in range(len(rows[0]))]
    named = [name for name in trees if name in numbers]
    if named:
        places = sorted({*places, *(int(name) - 1 for name in named)})
    names = [f"column{number}" for number in numbers]
    for count, place in enumerate(places, start=1):
        names[place] = "tree" if len(places) == 1 else f"tree{count}"
    others = [place for place in range(len(names)) if place not in places]
    labelled = int(label) - 1 if label in numbers else next(iter(others), None)
    if labelled in others:
        names[labelled] = "label"
    if not places:
        raise Problem(
            f"{path} has no column of trees: no entry of its first line starts with a bracket"
        )
    return {"columns": names, "trees": [names[place] for place in places]}


def _at(name: str, names: Sequence[str], path: str) -> str:
    if name in names:
        return name
    if name.isdecimal() and 1 <= int(name) <= len(names):
        return names[int(name) - 1]
    raise Problem(f"{path} has no column {name!r}; it has {', '.join(names)}")


def _with_roles(data: Data, label: str | None, trees: Sequence[str]) -> Data:
    table = data.table
    forests = [name for name, column in table.items() if isinstance(column, Forest)]
    data.trees = [data.column(name) for name in trees] or forests
    for name in data.trees:
        if name not in forests:
            raise Problem(f"{data.path}: the column {name!r} does not hold trees")
    if not forests:
        raise Problem(f"{data.path} has no column of trees, only {', '.join(table.columns)}")
    if not len(table):
        raise Problem(f"{data.path} is empty: there are no trees in it")
    if label is not None:
        data.label = data.column(label)
    else:
        others = [name for name, column in table.items() if kind_of(column) == "other"]
        data.label = "label" if "label" in others else next(iter(others), None)
    return data


def _options(given: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE, with numbers and true and false as what they are."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise Problem(f"an option is written NAME=VALUE, and not {text!r}")
        words = {"true": True, "false": False}
        options[name] = int(value) if value.isdecimal() else words.get(value.lower(), value)
    return options


def _list_problems(problems: list[ParseError], screen: Screen) -> None:
    if problems:
        screen.note(f"Left out {count_noun(len(problems), 'bad line')}:")
        for problem in problems[:20]:
            screen.note(f"  {problem}")
        if len(problems) > 20:
            screen.note(f"  and {len(problems) - 20:,} more")

"""Data: a file as a table, with the roles of its columns guessed where they were not said."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.problem import Problem
from treekernels.common.numbers_in_words import count_noun
from treekernels.common.screen import Screen
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.formats import FORMATS
from treekernels.io.readers.tsv import column_at
from treekernels.io.reading.lines import StandardInput
from treekernels.io.reading.origins import ORIGINS
from treekernels.io.reading.read import read
from treekernels.io.reading.sniffing import sniffed_format
from treekernels.io.reading.sources import Source, files_of
from treekernels.io.writing.column_kinds import kind_of

__all__ = ["Data", "format_of_data", "read_data", "reader_options_of"]


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
        return [name for name, kind in kinds.items() if kind in ("sparse", "dense", "dict")]

    def __len__(self) -> int:
        return len(self.table)

    def column(self, name: str) -> str:
        """Return the name of a column that was given by name or number."""
        return self.table.columns[column_at(name, self.table.columns, self.path)]

    def places(self) -> list[str]:
        """Return in which file and line each example is, as far as that is known."""
        files = self.table["file"].tolist() if "file" in self.table else [None] * len(self)
        lines = self.table["line"].tolist() if "line" in self.table else [None] * len(self)
        several = len(set(files)) > 1
        return [
            ", ".join(
                ([str(file)] if several and file is not None else [])
                + ([f"line {line}"] if line is not None else [])
            )
            or f"example {row}"
            for row, (file, line) in enumerate(zip(files, lines, strict=True), start=1)
        ]

    def labels(self, *, several: bool = True) -> NDArray[Any]:
        """Return the labels, one for each example; at least two differ if there must be several."""
        if self.label is None:
            raise Problem(
                f"{self.path} has no column of labels, only {', '.join(self.table.columns)}: write "
                "each example as label, tab, tree, or take the names of folders or files as labels "
                "with --label folder or --label file"
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
        if several and found.dtype.kind == "f" and (fractions := found[found % 1 != 0]).size:
            raise Problem(
                f"{self.path}: the labels are numbers with fractions, such as {fractions[0]:g}, "
                "and commands learn classes; tk.TreeSVR learns numbers, in Python"
            )
        classes = np.unique(found)
        if several and len(classes) < 2:
            raise Problem(
                f"{self.path}: {str(classes[0])!r} is the only label (of "
                f"{count_noun(len(found), 'example')}), so there is nothing to tell apart"
            )
        return np.asarray(found)


def read_data(
    data: str | Sequence[str],
    screen: Screen,
    *,
    format_: str | None = None,
    label: str | None = None,
    trees: Sequence[str] = (),
    reader_options: Sequence[str] = (),
    skip_bad: bool = False,
    origin: bool = False,
) -> Data:
    """Read files, folders and patterns as `treekernels.read` does, and say what columns are.

    The table knows the file and line of each example if there are several files or `origin`.
    """
    paths = [data] if isinstance(data, str) else list(data)
    for path in paths:
        if path != "-" and not Path(path).exists() and not glob.has_magic(path):
            raise Problem(f"there is no file {path}")
    options: dict[str, Any] = {
        **reader_options_of(reader_options),
        "skip_bad": skip_bad,
        "label": label,
    }
    if origin:
        options["origin"] = True
    problems: list[ParseError] = []
    if skip_bad:
        options["problems"] = problems
    source: Source = paths[0] if len(paths) == 1 else paths
    if source == "-":
        source = StandardInput()
    name = str(source) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    if trees and _chooses_trees(source, format_):
        options["trees"] = list(trees)
        trees = ()
    found = read(source, format_, **options)
    _list_problems(problems, screen)
    table = found if isinstance(found, Table) else Table({"tree": found})
    return _with_roles(Data(name, table, None, []), label, trees, options.get("trees", ()))


def _chooses_trees(source: Any, format_: str | None) -> bool:
    """Return whether the reader has to be told which columns hold trees."""
    entry = FORMATS[format_of_data(source, format_)]
    return entry.takes_names or entry.takes_trees


def format_of_data(source: Any, format_: str | None) -> str:
    """Return the format that was given, or that the first file seems to be of."""
    return sniffed_format(files_of(source)[0][0].path) if format_ is None else format_


def _with_roles(data: Data, label: str | None, trees: Sequence[str], chosen: Sequence[str]) -> Data:
    table = data.table
    forests = [name for name, column in table.items() if isinstance(column, Forest)]
    if not len(table):
        raise Problem(f"{data.path} is empty: there are no trees in it")
    if chosen:  # columns, some of which may have another name by now
        data.trees = [name if name in forests else data.column(name) for name in chosen]
    else:
        data.trees = [data.column(name) for name in trees] or forests
    for name in data.trees:
        if name not in forests:
            raise Problem(f"{data.path}: the column {name!r} does not hold trees")
    if not forests:
        raise Problem(f"{data.path} has no column of trees, only {', '.join(table.columns)}")
    if label is not None or "label" in table:
        data.label = "label"
    else:
        others = [name for name, column in table.items() if kind_of(column) == "other"]
        data.label = next((name for name in others if name not in _NO_LABELS), None)
    return data


_NO_LABELS = (*ORIGINS, "qid", "sid", "cost")
_OWN_OPTIONS = {
    "format": "use --format",
    "label": "use --label",
    "trees": "use --tree",
    "skip_bad": "use --skip-bad",
    "problems": "--skip-bad lists bad lines",
    "origin": "files and lines are noted where they are needed",
    "columns": "the first line of the file may name the columns",
}


def reader_options_of(given: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE, with numbers and true and false as what they are."""
    options: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise Problem(f"an option is written NAME=VALUE, and not {text!r}")
        if name in _OWN_OPTIONS:
            raise Problem(f"{name} is not an option of a format: {_OWN_OPTIONS[name]}")
        words = {"true": True, "false": False}
        number = value.isdecimal() and len(value) < 19
        options[name] = int(value) if number else words.get(value.lower(), value)
    return options


def _list_problems(problems: list[ParseError], screen: Screen) -> None:
    if problems:
        screen.note(f"Left out {count_noun(len(problems), 'bad line')}:")
        for problem in problems[:20]:
            screen.note(f"  {problem}")
        if len(problems) > 20:
            screen.note(f"  and {len(problems) - 20:,} more")

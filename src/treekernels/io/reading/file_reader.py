"""FileReader: a file of any format as a forest or a table, with its labels and origins."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from treekernels.common.checks import check_flag
from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import ParameterError
from treekernels.io.formats import FORMATS, Format, reader_of
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.origins import ORIGINS, Origins
from treekernels.io.reading.input.sources import SourceFile, sniffed_format
from treekernels.io.reading.tables.columns import check_names, column_at


@dataclass(frozen=True)
class FileReader:
    """How files are to be read, the same for all of them; the parameters are those of `read`."""

    format: str | None
    label: str | int | None
    columns: Sequence[str] | None
    trees: Sequence[str | int] | None
    options: dict[str, Any]
    problems: Problems

    def read(self, file: SourceFile, *, origin: bool, as_table: bool) -> Any:
        """Read a file: a forest if it is one and nothing else is asked for, or a table."""
        format = self.format or sniffed_format(file.path)
        entry = FORMATS[format]
        reader = reader_of(format)
        options = self._options(entry, format, reader)
        origins = Origins() if origin or self.label in ORIGINS else None
        if origins is not None and "origins" in inspect.signature(reader).parameters:
            options["origins"] = origins
        result = reader(file.path, problems=self.problems, **options)
        if entry.source is not None and isinstance(result, Forest):
            result.source = entry.source
        if entry.can_rename and self.columns is not None and isinstance(result, Table):
            result = _rename_columns(result, self.columns, file)
        if self.label is None and not as_table and not origin:
            return result
        table = _as_table(result)
        beside: dict[str, Any] = {}
        if origins is not None:
            beside = {"file": _repeated(str(file.path), len(table)), **origins.columns()}
        table = Table({**table, **{name: c for name, c in beside.items() if name not in table}})
        if self.label is not None:
            table = self._labelled(table, file, format)
        if not origin:
            kept = [name for name in table if name not in beside or name in _as_table(result)]
            table = Table({name: table[name] for name in kept})
        return table

    def _options(self, entry: Format, format: str, reader: Callable[..., Any]) -> dict[str, Any]:
        options = dict(self.options)
        parameters = inspect.signature(reader).parameters
        if "columns" in parameters:
            options |= {"columns": self.columns, "trees": self.trees}
        elif "trees" in parameters and self.columns is None:
            options["trees"] = self.trees
        elif self.trees is not None or (self.columns is not None and not entry.can_rename):
            noun = "bracketed trees" if format in ("brackets", "penn") else f"format {format!r}"
            raise ParameterError(f"a file of {noun} has no columns to name; try format='tsv'")
        names = [name for name in parameters if name not in ("path", "problems", "origins")]
        for name in options:
            if name not in names:
                others = ", ".join(names) or "none"
                raise ParameterError(f"format {format!r} has no option {name!r}; it has {others}")
        _check_options(
            reader, {name: value for name, value in self.options.items() if name in names}
        )
        if "label" in names:
            options["label"] = self.label
        return options

    def _labelled(self, table: Table, file: SourceFile, format: str) -> Table:
        """Return the table with the labels in a column of the name "label"."""
        label = self.label
        if label == "folder" and "folder" not in table:
            labels = _repeated(file.folder, len(table))
        elif label == "file":
            labels = _repeated(file.stem, len(table))
        else:
            if table.columns == ["tree"] and label != 1:
                raise ParameterError(
                    f"{file.path} has trees alone, and no column {str(label)!r} of labels: "
                    "label='folder' and label='file' take the names of folders and files"
                )
            wanted = "" if label is None else label
            name = table.columns[column_at(wanted, table.columns, file.path)]
            labels = table[name]
            if isinstance(labels, Forest | Pairs) or labels.ndim != 1:
                kind = "trees" if isinstance(labels, Forest | Pairs) else "vectors"
                raise ParameterError(f"{file.path}: the column {name!r} holds {kind}, not labels")
            if name == "label":
                return table
            renamed = {name: "label", "label": "label.1"}
            return Table({renamed.get(other, other): c for other, c in table.items()})
        others = {("label.1" if name == "label" else name): c for name, c in table.items()}
        return Table({"label": labels, **others})


def _as_table(result: Any) -> Table:
    if isinstance(result, Table):
        return result
    return Table({"pair" if isinstance(result, Pairs) else "tree": result})


def _repeated(text: str, count: int) -> Any:
    column = np.empty(count, object)
    column[:] = text
    return column


def _rename_columns(table: Table, columns: Sequence[str], file: SourceFile) -> Table:
    check_names(columns)
    if len(columns) != len(table.columns):
        names = ", ".join(table.columns)
        raise ParameterError(f"{file.path} has the columns {names}, but {len(columns)} were named")
    return Table(dict(zip(columns, table.values(), strict=True)))


_NOUNS = {str: "a text", int: "a whole number"}


def _check_options(reader: Callable[..., Any], options: dict[str, Any]) -> None:
    """Raise a `ParameterError` for an option whose value its reader cannot take.

    What has the wrong type is noticed here, by the types of parameters; which words a reader knows,
    it says itself.
    """
    hints = get_type_hints(reader) if options else {}
    for name, value in options.items():
        hint = hints.get(name)
        kinds = list(get_args(hint)) if get_origin(hint) in (Union, UnionType) else [hint]
        known = all(k in (str, int, bool, NoneType) or get_origin(k) is Literal for k in kinds)
        if not known or any(_fits(value, kind) for kind in kinds):
            continue
        if kinds == [bool]:
            check_flag(name, value)
        words = [repr(word) for kind in kinds for word in get_args(kind)]
        nouns = [_NOUNS[kind] for kind in kinds if kind in _NOUNS]
        *first, last = words + nouns + (["True", "False"] if bool in kinds else [])
        may = f"{', '.join(first)} or {last}" if first else last
        raise ParameterError(f"{name} must be {may}, not {value!r:.60}")


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is Literal:
        return isinstance(value, str)
    return isinstance(value, kind) and not (kind is int and isinstance(value, bool))

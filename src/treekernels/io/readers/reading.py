"""read: one function for all formats, and for files, folders, patterns and lists alike."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pairs
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import FORMATS, Format
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.joining import joined
from treekernels.io.readers.origins import ORIGINS, Origins
from treekernels.io.readers.sniffing import sniffed_format
from treekernels.io.readers.sources import Source, SourceFile, files_of
from treekernels.io.readers.tsv import check_names, column_at

__all__ = ["read"]


_Tables = Literal["svmlight-tk", "kelp", "parquet"]


@overload
def read(
    source: Source,
    format: _Tables,
    *,
    label: str | int | None = None,
    columns: Sequence[str] | None = None,
    trees: Sequence[str | int] | None = None,
    origin: bool | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Table: ...
@overload
def read(
    source: Source,
    format: str | None = None,
    *,
    label: str | int | None = None,
    columns: Sequence[str],
    trees: Sequence[str | int] | None = None,
    origin: bool | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Table: ...
@overload
def read(
    source: Source,
    format: str | None = None,
    *,
    label: str | int,
    columns: None = None,
    trees: Sequence[str | int] | None = None,
    origin: bool | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Table: ...
@overload
def read(
    source: Source,
    format: str | None = None,
    *,
    label: None = None,
    columns: None = None,
    trees: Sequence[str | int] | None = None,
    origin: bool | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Any: ...
def read(
    source: Source,
    format: str | None = None,
    *,
    label: str | int | None = None,
    columns: Sequence[str] | None = None,
    trees: Sequence[str | int] | None = None,
    origin: bool | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Any:
    r"""Read trees, with their labels and whatever else is beside them.

    Parameters
    ----------
    source : path, or list of paths
        A file, plain or gzip-compressed; a folder, which is read with all folders below it; a
        pattern such as ``"src/**/*.py"``; ``"-"`` for standard input; or a list of those.
    format : str, optional
        By default told by the extension, or else by the first line. "brackets" is one tree in Penn
        bracket notation per line; "tsv" and "csv" have columns, the trees among them; "penn" has
        trees of any number of lines. Others are "svmlight-tk", "kelp", "conllu", "python",
        "tree-sitter", "xml", "html", "json", "jsonl" and "parquet"; `docs/formats.md` has an
        example of each.
    label : str or int, optional
        What holds the labels, which become the column "label": a column, by name or by number from
        1; "folder", for the names of the folders that files are in; or "file", for the names of
        the files without their extensions. Of a folder that is read as a whole, "folder" is the
        first level below it.
    columns : sequence of str, optional
        Names for the columns of a file with several of them. By default they are those of its
        header or, without one, "label" for the first that holds no trees, and "tree", or "tree1",
        "tree2" and so on.
    trees : sequence of str or int, optional
        Which columns hold trees. By default those whose first entry starts with a bracket.
    origin : bool, optional
        Whether to add columns that say where each tree is from: "file", and as the format knows
        them "line", "name" (of functions and classes), "sent_id" and "text" (of sentences). By
        default this is done when there are several files.
    skip_bad : bool
        Whether bad lines (or sentences, or documents) are left out instead of raising an error. A
        `SkippedWarning` then tells how many there were, and lists the first.
    problems : list, optional
        With `skip_bad`, receives a `ParseError` for each bad line; there is no warning then.
    **options
        Options of the format, such as shape="LCT" for "conllu".

    Returns
    -------
    Forest or Table
        A forest for a file of trees and nothing else. In all other cases a table, in which columns
        of trees are forests, and columns in which every entry is a number are numbers.

    Raises
    ------
    ParseError
        With file, line and column, when something in the file is not what it should be.

    Examples
    --------
    >>> import tempfile, pathlib, treekernels as tk
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "questions.tsv").write_text("NUM\t(WHNP (WRB How) (JJ many))\n")
    >>> table = tk.read(folder / "questions.tsv")
    >>> table
    <Table: 1 row; label: str, tree: Forest>
    >>> print(table["tree"])
    (WHNP (WRB How) (JJ many))
    >>> _ = (folder / "trees.txt").write_text("(A b)\n(A c)\n")
    >>> tk.read(folder / "trees.txt")
    <Forest: 2 trees, 4 nodes, 4 distinct subtrees, 3 labels>

    >>> _ = (folder / "bad.txt").write_text("(A b)\n(A\n(A c)\n")
    >>> problems = []
    >>> tk.read(folder / "bad.txt", skip_bad=True, problems=problems).to_brackets()
    ['(A b)', '(A c)']
    >>> problems[0].line, problems[0].reason
    (2, 'the bracket opened here is never closed')
    """
    if format is not None and format not in FORMATS:
        raise ParameterError(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    if problems is not None and not skip_bad:
        raise ParameterError(
            "problems=... goes with skip_bad=True: without it the first one is raised"
        )
    files, several = files_of(source, format)
    reading = _Reading(format, label, columns, trees, options, Problems(skip_bad))
    if origin is None:
        origin = several
    results = [reading.read(file, origin=origin, as_table=several) for file in files]
    if problems is not None:
        problems.extend(reading.problems.errors)
    else:
        reading.problems.warn(stacklevel=2)
    return joined(results) if several else results[0]


class _Reading:
    """How files are to be read, the same for all of them."""

    def __init__(
        self,
        format: str | None,
        label: str | int | None,
        columns: Sequence[str] | None,
        trees: Sequence[str | int] | None,
        options: dict[str, Any],
        problems: Problems,
    ) -> None:
        self.format = format
        self.label = label
        self.columns = columns
        self.trees = trees
        self.options = options
        self.problems = problems

    def read(self, file: SourceFile, *, origin: bool, as_table: bool) -> Any:
        """Read a file: a forest if it is one and nothing else is asked for, or a table."""
        format = self.format or sniffed_format(file.path)
        entry = FORMATS[format]
        reader = _reader_of(entry)
        options = self._options(entry, format, reader)
        origins = Origins() if origin or self.label in ORIGINS else None
        if origins is not None and "origins" in inspect.signature(reader).parameters:
            options["origins"] = origins
        result = reader(file.path, problems=self.problems, **options)
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
        if entry.takes_names:
            options |= {"columns": self.columns, "trees": self.trees}
        elif entry.takes_trees and self.columns is None:
            options["trees"] = self.trees
        elif self.trees is not None or (self.columns is not None and not entry.can_rename):
            raise ParameterError(
                f"a file of {_format_noun(format)} has no columns to name; try format='tsv'"
            )
        parameters = inspect.signature(reader).parameters
        names = [name for name in parameters if name not in ("path", "problems", "origins")]
        for name in options:
            if name not in names:
                others = ", ".join(names) or "none"
                raise ParameterError(f"format {format!r} has no option {name!r}; it has {others}")
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
            name = table.columns[column_at(label or "", table.columns, file.path)]
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


def _reader_of(entry: Format) -> Callable[..., Any]:
    module, function = entry.reader
    reader: Callable[..., Any] = getattr(
        importlib.import_module(f"treekernels.io.readers.{module}"), function
    )
    return reader


def _as_table(result: Any) -> Table:
    if isinstance(result, Table):
        return result
    return Table({"pair" if isinstance(result, Pairs) else "tree": result})


def _repeated(text: str, count: int) -> Any:
    column = np.empty(count, object)
    column[:] = text
    return column


def _format_noun(format: str) -> str:
    return "bracketed trees" if format in ("brackets", "penn") else f"format {format!r}"


def _rename_columns(table: Table, columns: Sequence[str], file: SourceFile) -> Table:
    check_names(columns)
    if len(columns) != len(table.columns):
        names = ", ".join(table.columns)
        raise ParameterError(f"{file.path} has the columns {names}, but {len(columns)} were named")
    return Table(dict(zip(columns, table.values(), strict=True)))

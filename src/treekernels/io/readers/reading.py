"""read: one function for all formats."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import FORMATS, Format, format_of
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.lines import PathLike
from treekernels.io.readers.tsv import check_names

__all__ = ["read"]


_Forests = Literal[
    "brackets", "penn", "conllu", "python", "tree-sitter", "xml", "html", "json", "jsonl"
]
_Tables = Literal["svmlight-tk", "kelp", "parquet"]


@overload
def read(
    path: PathLike,
    format: _Forests,
    *,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Forest: ...
@overload
def read(
    path: PathLike,
    format: _Tables,
    *,
    columns: Sequence[str] | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Table: ...
@overload
def read(
    path: PathLike,
    format: str | None = None,
    *,
    columns: Sequence[str],
    trees: Sequence[str] | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Table: ...
@overload
def read(
    path: PathLike,
    format: str | None = None,
    *,
    columns: None = None,
    trees: None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Any: ...
def read(
    path: PathLike,
    format: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    trees: Sequence[str] | None = None,
    skip_bad: bool = False,
    problems: list[ParseError] | None = None,
    **options: Any,
) -> Forest | Table:
    r"""Read trees from a file, plain or gzip-compressed.

    Parameters
    ----------
    path : path
    format : str, optional
        By default told by the extension. "brackets" is one tree in Penn bracket notation per line;
        "tsv" has columns separated by tabs, the trees among them, and a header if header=True;
        "penn" has trees of any number of lines. Others are "svmlight-tk", "kelp", "conllu",
        "python", "tree-sitter", "xml", "html", "json", "jsonl" and "parquet"; `docs/formats.md` has
        an example of each.
    columns : sequence of str, optional
        Names for the columns of a file with several of them: the result is then a table of all.
    trees : sequence of str, optional
        Which of them hold trees. By default those whose first entry starts with a bracket.
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
        The trees; with `columns`, and for formats with labels and vectors, a table in which
        columns of trees are forests.

    Raises
    ------
    ParseError
        With file, line and column, when something in the file is not what it should be.

    Examples
    --------
    >>> import tempfile, pathlib, treekernels as tk
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "questions.tsv").write_text("NUM\t(WHNP (WRB How) (JJ many))\n")
    >>> tk.read(folder / "questions.tsv")
    <Forest: 1 tree, 5 nodes, 5 distinct subtrees, 5 labels>
    >>> tk.read(folder / "questions.tsv", columns=["label", "tree"])["label"]
    array(['NUM'], dtype=object)

    >>> _ = (folder / "bad.txt").write_text("(A b)\n(A\n(A c)\n")
    >>> problems = []
    >>> tk.read(folder / "bad.txt", skip_bad=True, problems=problems).to_brackets()
    ['(A b)', '(A c)']
    >>> problems[0].line, problems[0].reason
    (2, 'the bracket opened here is never closed')
    """
    if format is None:
        format = format_of(path)
    if format not in FORMATS:
        raise ParameterError(f"unknown format {format!r}; known are {', '.join(FORMATS)}")
    if problems is not None and not skip_bad:
        raise ParameterError(
            "problems=... goes with skip_bad=True: without it the first one is raised"
        )
    entry = FORMATS[format]
    if entry.takes_names:
        options |= {"columns": columns, "trees": trees}
    elif trees is not None or (columns is not None and not entry.can_rename):
        raise ParameterError(
            f"a file of {_format_noun(format)} has no columns to name; try format='tsv'"
        )
    reader = _reader(entry, format, options)
    collector = Problems(skip_bad)
    result: Forest | Table = reader(path, problems=collector, **options)
    if problems is not None:
        problems.extend(collector.errors)
    else:
        collector.warn(stacklevel=2)
    if entry.can_rename and columns is not None and isinstance(result, Table):
        return _rename_columns(result, columns, path)
    return result


def _format_noun(format: str) -> str:
    return "bracketed trees" if format in ("brackets", "penn") else f"format {format!r}"


def _reader(entry: Format, format: str, options: dict[str, Any]) -> Callable[..., Any]:
    module, function = entry.reader
    reader: Callable[..., Any] = getattr(
        importlib.import_module(f"treekernels.io.readers.{module}"), function
    )
    parameters = inspect.signature(reader).parameters
    names = [name for name in parameters if name not in ("path", "problems")]
    for name in options:
        if name not in names:
            others = ", ".join(names) or "none"
            raise ParameterError(f"format {format!r} has no option {name!r}; it has {others}")
    return reader


def _rename_columns(table: Table, columns: Sequence[str], path: PathLike) -> Table:
    check_names(columns)
    if len(columns) != len(table.columns):
        names = ", ".join(table.columns)
        raise ParameterError(f"{path} has the columns {names}, but {len(columns)} were named")
    return Table(dict(zip(columns, table.values(), strict=True)))

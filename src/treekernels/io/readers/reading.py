"""read: one function for all formats, and for files, folders, patterns and lists alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import FORMATS
from treekernels.io.readers.bad_input import Problems

if TYPE_CHECKING:
    from treekernels.data.table import Table
    from treekernels.io.readers.sources import Source

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
    # Imported here, so that `import treekernels` stays quick.
    from treekernels.io.readers.file_reader import FileReader
    from treekernels.io.readers.joining import joined
    from treekernels.io.readers.sources import files_of

    files, several = files_of(source, format)
    reader = FileReader(format, label, columns, trees, options, Problems(skip_bad))
    if origin is None:
        origin = several
    results = [reader.read(file, origin=origin, as_table=several) for file in files]
    if problems is not None:
        problems.extend(reader.problems.errors)
    else:
        reader.problems.warn(stacklevel=2)
    return joined(results) if several else results[0]

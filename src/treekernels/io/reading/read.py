"""read: one function for all formats, and for files, folders, patterns and lists alike."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from treekernels.common.progress import Progress, progress_bar
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import FORMATS
from treekernels.io.reading.input.bad_input import Problems

if TYPE_CHECKING:
    from treekernels.data.table import Table
    from treekernels.io.reading.input.sources import Source, SourceFile

__all__ = ["read"]

_Tables = Literal["svmlight-tk", "kelp", "parquet"]


@overload
def read(source: Source, format: _Tables, **options: Any) -> Table: ...
@overload
def read(
    source: Source, format: str | None = None, *, columns: Sequence[str], **options: Any
) -> Table: ...
@overload
def read(
    source: Source, format: str | None = None, *, label: str | int, **options: Any
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
    verbose: bool = False,
    progress: Progress | None = None,
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
    verbose: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> Any:
    r"""Read trees from files, together with their labels and whatever else is beside them.

    Parameters
    ----------
    source : path, or list of paths
        What to read. This can be a file, plain or compressed by gzip; a folder, which is read with
        all folders below it; a pattern such as ``"src/**/*.py"``; ``"-"`` for standard input; or a
        list of any of these.
    format : str, optional
        The format of the files. If you do not say it, the extension of a file decides or, if that
        is not known, its first line. In "brackets", each line is one tree in Penn bracket notation;
        "tsv" and "csv" have columns, some of which hold trees; in "penn", a tree may take several
        lines. The other formats are "svmlight-tk", "kelp", "conllu", "python", "notebook",
        "tree-sitter", "sql", "xml", "html", "mathml", "latex", "json", "jsonl", "yaml", "toml",
        "newick", "nexus", "dot-bracket", "glycans", "penman", "terms", "braces", "parquet", and
        "text", which is sentences without trees. The page on formats in the documentation has an
        example of each.
    label : str or int, optional
        Where to find the labels, which become the column "label". You can name a column, by its
        name or by its number from 1. With "folder", each tree is labelled with the name of the
        folder that its file is in or, if you read a whole folder, of the first folder below that
        one. With "file", each tree is labelled with the name of its file, without the extension.
    columns : sequence of str, optional
        Names for all columns of a file. If you do not give any, they come from the header of the
        file. If there is no header either, the first column without trees is called "label", and
        the columns of trees are called "tree", or "tree1", "tree2" and so on.
    trees : sequence of str or int, optional
        Which columns hold trees. If you do not say it, these are the columns whose first entry
        starts with a bracket. With an empty list, no column holds trees, and all are texts and
        numbers.
    origin : bool, optional
        Whether to add columns that say where each tree comes from: "file" and, if the format knows
        them, "line", "last_line" and "name" (of a function or class), "sent_id" and "text" (of a
        sentence). If you do not say it, they are added when you read several files.
    skip_bad : bool
        Whether to leave out lines (or sentences, or documents) that cannot be read, instead of
        raising an error. A `SkippedWarning` then says how many there were, and lists the first.
    problems : list, optional
        A list to which a `ParseError` is added for everything that `skip_bad` leaves out. If you
        give one, there is no warning.
    verbose : bool, default=False
        Show a progress bar.
    progress : callable, optional
        Called now and then with the number of bytes that have been read, and how many there are in
        all files.
    **options
        Options of the format, such as ``shape="LCT"`` for "conllu".

    Returns
    -------
    Forest or Table
        A forest, if there is nothing but trees, and otherwise a table. In a table, a column of
        trees is a forest, and a column in which every entry is a number is an array of numbers.

    Raises
    ------
    ParseError
        If something in a file cannot be read. The error names the file, the line and the column.

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
    from treekernels.io.reading.file_reader import FileReader
    from treekernels.io.reading.input.joining import joined
    from treekernels.io.reading.input.sources import files_of

    files, several = files_of(source, format)
    reader = FileReader(format, label, columns, trees, options, Problems(skip_bad))
    if origin is None:
        origin = several
    with progress_bar("read", verbose=verbose, callback=progress) as moving:
        results = [
            reader.read(file, origin=origin, as_table=several) for file in _watched(files, moving)
        ]
    if problems is not None:
        problems.extend(reader.problems.errors)
    else:
        reader.problems.warn()
    return joined(results) if several else results[0]


def _watched(files: list[SourceFile], progress: Progress | None) -> Iterator[SourceFile]:
    """Yield files, and say how many bytes of them are read meanwhile."""
    from treekernels.io.reading.input.lines import Contents, watcher

    if progress is None:
        yield from files
        return
    sizes = [
        len(file.path.content) if isinstance(file.path, Contents) else os.path.getsize(file.path)
        for file in files
    ]
    done = before = 0

    def watch(position: int) -> None:
        nonlocal done
        if before + position > done:  # readers may look at the beginning first
            done = before + position
            progress(done, max(done, sum(sizes)))

    token = watcher.set(watch)
    try:
        for file, size in zip(files, sizes, strict=True):
            yield file
            watch(size)
            before += size
    finally:
        watcher.reset(token)

"""read: files as partitions, read on the workers."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

from treekernels.cluster.partitions import Part, Partitions
from treekernels.cluster.workers.clients import client_of
from treekernels.common.checks import check_integer
from treekernels.data.columns import length
from treekernels.data.table import Table
from treekernels.errors import ParameterError, ParseError
from treekernels.io.reading.file_reader import FileReader
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import StandardInput
from treekernels.io.reading.input.sources import SourceFile, files_of, sniffed_format

__all__ = ["read"]

_BY_LINES = ("brackets", "tsv", "svmlight-tk")


def read(
    source: Any,
    format: str | None = None,
    *,
    blocksize: int = 32 * 2**20,
    client: Any = None,
    **options: Any,
) -> Partitions:
    r"""Read files on the workers of a cluster, each as one part or more.

    All workers must see the files under the same names, as they do on one computer or on a shared
    file system.

    Parameters
    ----------
    source : path, or list of paths
        As for `treekernels.read`: files, folders, or patterns such as ``"corpus/*.tsv.gz"``.
    format : str, optional
        By default, the extension decides, or else the first line.
    blocksize : int, default=33554432
        Bytes of a part. Files of the formats "brackets", "tsv" and "svmlight-tk" that are larger
        and not compressed are cut at line ends into parts of about this size.
    client : distributed.Client, optional
        By default the one in use.
    **options
        As for `treekernels.read`, except `problems`.

    Returns
    -------
    Partitions
        In the order of the files and lines, so that they hold what `treekernels.read` returns.
        A file that cannot be read is an error when its part is first used.
    """
    client = client_of(client)
    size = check_integer("blocksize", blocksize, 1)
    if "problems" in options:
        raise ParameterError("problems=... stays empty here, since workers read the files")
    if isinstance(source, StandardInput) or str(source) == "-":
        raise ParameterError("workers cannot read your standard input: give a file")
    files, several = files_of(source, format)
    parts = []
    for file in files:
        path = os.path.abspath(file.path)
        kind = format or sniffed_format(path)
        for piece in _pieces(path, kind, size):
            within = None if file.within is None else os.path.abspath(file.within)
            task = (path, piece, within, kind, several, options)
            parts.append(Part(lambda task=task: client.submit(read_piece, *task, pure=False)))
    return Partitions(client, parts)


def _pieces(path: str, format: str, size: int) -> list[tuple[int, int] | None]:
    """Return the bytes of each part, which still have to be moved to line ends; None for all."""
    whole = os.path.getsize(path)
    with open(path, "rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    if format not in _BY_LINES or compressed or whole <= size:
        return [None]
    count = -(-whole // size)
    bounds = [whole * number // count for number in range(count + 1)]
    return list(pairwise(bounds))


class FilePiece(StandardInput):
    """Some lines of a file, which readers take for a file of its own."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.content = content

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path


def read_piece(
    path: str,
    piece: tuple[int, int] | None,
    within: str | None,
    format: str,
    several: bool,
    options: dict[str, Any],
) -> Any:
    """Read a file, or the lines that begin within some of its bytes."""
    options = dict(options)
    origin = options.pop("origin", None)
    label, columns, trees = (options.pop(name, None) for name in ("label", "columns", "trees"))
    problems = Problems(bool(options.pop("skip_bad", False)))
    reader = FileReader(format, label, columns, trees, options, problems)
    folder = None if within is None else Path(within)
    as_table = several or piece is not None

    def read_file(file: Any) -> Any:
        asked = several if origin is None else bool(origin)
        return reader.read(SourceFile(file, folder), origin=asked, as_table=as_table)

    if piece is None:
        result = read_file(path)
    else:
        result = _read_lines(path, *piece, read_file, format)
        if not several and isinstance(result, Table) and result.columns == ["tree"]:
            result = result["tree"]  # as of a file that is read whole
    problems.warn()
    return result


def _read_lines(path: str, first: int, last: int, read_file: Any, format: str) -> Any:
    with open(path, "rb") as file:
        top = _first_rows(file)
        begin, end = _line_start(file, first), _line_start(file, last)
        file.seek(begin)
        content = file.read(end - begin)
    if not content:  # all of it belongs to a line that begins before
        return read_file(FilePiece(path, top))[:0]
    if begin == 0 or format != "tsv":
        top = b""
    # The first rows say what is in the columns; they belong to the first part.
    repeated = length(read_file(FilePiece(path, top))) if top else 0
    try:
        return read_file(FilePiece(path, top + content))[repeated:]
    except ParseError as error:
        line = error.line + _lines_before(path, begin) - top.count(b"\n")
        raise ParseError(error.reason, source=path, line=line, column=error.column) from None


def _line_start(file: Any, place: int) -> int:
    """Return where the first line begins that begins at a place or after it."""
    if place == 0:
        return 0
    file.seek(place - 1)
    file.readline()
    return int(file.tell())


def _first_rows(file: Any) -> bytes:
    """Return the lines up to the second that is not blank."""
    lines, rows = [], 0
    while rows < 2 and (line := file.readline()):
        lines.append(line)
        rows += bool(line.strip())
    return b"".join(lines)


def _lines_before(path: str, place: int) -> int:
    count = 0
    with open(path, "rb") as file:
        while place > 0 and (block := file.read(min(place, 1 << 20))):
            count += block.count(b"\n")
            place -= len(block)
    return count

"""Text files, plain or compressed, with errors that name the line and the column."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import IO, Any, TypeAlias

from treekernels.common.limits import get_limits, memory_limit
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.input.bad_input import Problems

PathLike: TypeAlias = str | os.PathLike[str]

_BUFFER = 1 << 20  # bytes that are uncompressed at a time
_SMALL = 1 << 22  # bytes, for which there is memory: to ask takes longer than to read them


watcher: ContextVar[Callable[[int], object] | None] = ContextVar("watcher", default=None)
"""Called now and then with how many bytes of the file that is read are behind, as it is on disk."""


class Contents(os.PathLike[str]):
    """What is in memory, and can be read as a file can; errors call it by its name."""

    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.content = content

    def __fspath__(self) -> str:
        return "-"

    def __str__(self) -> str:
        return self.name


class StandardInput(Contents):
    """Standard input, read once and kept, so that it can be looked at twice as a file can."""

    def __init__(self) -> None:
        super().__init__("standard input", sys.stdin.buffer.read())


def lines_of(path: PathLike, problems: Problems) -> Generator[tuple[int, str], None, None]:
    """Yield the lines of a UTF-8 file with their numbers, without line ends.

    Compressed files (gzip) are recognised by their first bytes. A byte-order mark and Windows
    line ends are taken off.
    """
    for number, block in blocks_of(path):
        yield from lines_in(block, number, path, problems)


def text_of(path: PathLike, problems: Problems) -> str:
    """Return the lines of a UTF-8 file as one text."""
    return "\n".join(line for _, line in lines_of(path, problems))


def lines_in(
    block: bytes, number: int, path: PathLike, problems: Problems
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a block of a file, of which the first has a number."""
    for at, raw in enumerate(block.removesuffix(b"\n").split(b"\n") if block else (), number):
        try:
            line = raw.decode().rstrip("\r")
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode()) + 1
            reason = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
            problems.report(ParseError(reason, source=str(path), line=at, column=column))
            continue
        yield at, line


def blocks_of(path: PathLike) -> Generator[tuple[int, bytes], None, None]:
    """Yield a file in blocks of whole lines, each with the number of its first line.

    A compressed file is uncompressed by a thread while the block before is read.
    """
    number = 1
    begun: list[bytes] = []  # parts of a line
    watch = watcher.get()
    with open_uncompressed(path) as file:
        for part, error in _parts_of(file):
            if watch is not None:
                raw = getattr(file, "raw", None)
                watch((raw.compressed if isinstance(raw, _UpToLimit) else file).tell())
            if number == 1 and not begun:
                part = part.removeprefix(b"\xef\xbb\xbf")
            end = part.rfind(b"\n") + 1
            if end:
                block = b"".join([*begun, part[:end]])
                yield number, block
                number += block.count(b"\n")
                begun.clear()
            begun.append(part[end:])
            if error is not None:
                raise _damaged_file_error(error, path, max(1, number - 1))
        if last := b"".join(begun):
            yield number, last


_Part: TypeAlias = tuple[bytes, Exception | None]


def _parts_of(file: IO[bytes]) -> Iterator[_Part]:
    """Yield the contents in large parts, the last one with what stopped the reading."""
    part = _next_part(file)
    if not isinstance(file, io.BufferedReader) or not isinstance(file.raw, _UpToLimit):
        while part[0]:
            yield part
            part = _next_part(file)
        return
    with ThreadPoolExecutor(1) as pool:  # its thread begins with the second part
        while part[0] or part[1]:
            ahead = pool.submit(_next_part, file) if len(part[0]) >= _BUFFER else None
            yield part
            part = ahead.result() if ahead is not None else _next_part(file)


def _next_part(file: IO[bytes]) -> _Part:
    parts: list[bytes] = []
    size = 0
    try:
        while size < _BUFFER and (part := file.read1(_BUFFER)):  # type: ignore[attr-defined]
            parts.append(part)
            size += len(part)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        return b"".join(parts), error
    return b"".join(parts), None


def bytes_of(path: PathLike) -> bytes:
    """Return the contents of a file, uncompressed."""
    with open_uncompressed(path) as file:
        return file.read()


@contextmanager
def open_uncompressed(path: PathLike) -> Iterator[IO[bytes]]:
    """Open a file, and uncompress it while it is read."""
    content = path.content if isinstance(path, Contents) else None
    with Path(path).open("rb") if content is None else io.BytesIO(content) as file:
        compressed = file.read(2) == b"\x1f\x8b"
        size, limit = file.seek(0, os.SEEK_END), get_limits().read_bytes
        if not compressed and (size > _SMALL or limit is not None):
            most, what = memory_limit(limit)
            if size > most:
                raise _too_large(path, what)
        file.seek(0)
        try:
            limited = io.BufferedReader(_UpToLimit(file, path), _BUFFER) if compressed else file
            yield limited
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise _damaged_file_error(error, path, 1) from None


class _UpToLimit(io.RawIOBase):
    """What a compressed file holds, up to a limit: a small one may hold a huge text."""

    def __init__(self, file: IO[bytes], path: PathLike) -> None:
        self.compressed = file
        self._file = gzip.GzipFile(fileobj=file)
        self._path = path
        self._most, self._what = memory_limit(get_limits().read_bytes)
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._file.read1(len(buffer))  # what comes before damage is not lost
        self._size += len(part)
        if self._size > self._most:
            raise _too_large(self._path, self._what)
        buffer[: len(part)] = part
        return len(part)


def _too_large(path: PathLike, what: str) -> DataError:
    return DataError(
        f"{path} is not read: it has {what}; read it in parts, or allow more with "
        "tk.set_limits(read_bytes=...)"
    )


def _damaged_file_error(error: Exception, path: PathLike, line: int) -> ParseError:
    reason = f"the compressed file is damaged after this line ({error})"
    return ParseError(reason, source=str(path), line=line)

"""Lines of text files, plain or compressed, with errors that say where."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from treekernels.errors import ParseError

__all__ = ["lines_of"]


def lines_of(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Give the lines of a UTF-8 file with their numbers, without line ends.

    Compressed files (gzip) are recognised by their first bytes. A byte-order mark and Windows
    line ends are taken off.
    """
    number = 0
    with _open(path) as file:
        try:
            for number, raw in enumerate(file, start=1):
                yield number, _decoded(raw, number, path)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            reason = f"the compressed file is damaged after this line ({error})"
            raise ParseError(reason, source=str(path), line=max(1, number)) from None


def _open(path: str | os.PathLike[str]) -> IO[bytes]:
    with Path(path).open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if compressed else Path(path).open("rb")  # type: ignore[return-value]


def _decoded(raw: bytes, number: int, path: str | os.PathLike[str]) -> str:
    if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    try:
        return raw.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        column = len(raw[: error.start].decode()) + 1
        reason = f"the byte 0x{raw[error.start]:02x} is not UTF-8"
        raise ParseError(reason, source=str(path), line=number, column=column) from None

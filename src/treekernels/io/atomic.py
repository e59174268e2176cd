"""The one way in which files are written: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["atomic_path", "write_lines"]


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Lend a name to write under, in the same folder, and rename the file when it is complete.

    The lent name is no other writer's. Whatever fails, an old file stays as it was, and nothing is
    left behind. A link stays a link. The contents are on disk before the file gets its name.
    """
    target = Path(path).resolve()
    unfinished = target.with_name(f".{target.name}.{os.urandom(8).hex()}.unfinished")
    try:
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            unfinished.unlink()
        raise


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write lines of text in UTF-8; a name that ends in .gz makes the file compressed."""
    with atomic_path(path) as unfinished, unfinished.open("xb") as file:
        if Path(path).suffix.lower() == ".gz":
            import gzip

            # No name and time inside, so that equal trees make equal files.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
                compressed.writelines(f"{line}\n".encode() for line in lines)
        else:
            file.writelines(f"{line}\n".encode() for line in lines)

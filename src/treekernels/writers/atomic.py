"""Files that appear whole or not at all."""

from __future__ import annotations

import gzip
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["write_lines"]


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write lines to a new file beside the old one, and then put it in its place.

    A name that ends in .gz makes it compressed. Whatever fails, an old file stays as it was.
    """
    target = Path(path).resolve()  # a link stays a link
    new = target.with_name(f".{target.name}.{secrets.token_hex(4)}.new")
    try:
        with new.open("xb") as file:
            if target.suffix.lower() == ".gz":
                # No name and time inside, so that equal trees make equal files.
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    packed.writelines(f"{line}\n".encode() for line in lines)
            else:
                file.writelines(f"{line}\n".encode() for line in lines)
        new.replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            new.unlink()
        raise

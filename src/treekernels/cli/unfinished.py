"""Files that take their name when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treekernels.cli.problem import Problem

__all__ = ["check_folder", "unfinished"]


def check_folder(path: str) -> None:
    """Complain early if a file cannot be where it is wanted."""
    if not Path(path).absolute().parent.is_dir():
        raise Problem(f"there is no folder {Path(path).parent} to put {Path(path).name} in")


@contextmanager
def unfinished(path: str) -> Iterator[Path]:
    """Give another name to write under; nothing is left behind if that fails."""
    wanted = Path(path)
    part = wanted.with_name(f".{wanted.name}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, wanted)
    except BaseException:
        part.unlink(missing_ok=True)
        raise

"""A lock beside a file, for work that reads it, changes it and writes it again."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PAUSE = 0.05  # seconds


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process at a time in; the others wait.

    The system lets go of the lock when a process ends, however it ends. The file of the lock stays:
    to remove it would let two processes in at once. Where files cannot be locked, nobody waits.
    """
    folder, name = os.path.split(os.path.realpath(path))
    # A link that stands in the place of the lock would have a file made elsewhere.
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(os.path.join(folder, f".{name}.lock"), flags, 0o666)
    try:
        with suppress(OSError):
            _wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)


def _wait_for(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
                return
            except PermissionError:
                time.sleep(_PAUSE)
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX)

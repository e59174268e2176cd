"""Files that are being written, under names of their own, and what killed processes left of them.

Whoever writes such a file holds a lock on it, which the system takes away when the process ends,
however it ends. So a file with one of these names and without a lock belongs to nobody.
"""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import BinaryIO

__all__ = ["create_unfinished", "sweep"]

_OURS = re.compile(r"\..*\.[0-9a-f]{16}\.unfinished")
_LONGEST_NAME = 255  # bytes, of nearly all file systems
_SECONDS_BETWEEN_SWEEPS = 60.0
_MOST_FOLDERS = 1000
_LONG_AGO = 3600.0  # seconds after which nobody is expected to write, where there are no locks

_swept: dict[str, float] = {}


def create_unfinished(target: str, old: os.stat_result | None) -> BinaryIO:
    """Create a file beside `target` that nobody else has opened, and lock it.

    It has the permissions of the old file, and where possible its owner and group, before anything
    is written to it.
    """
    while True:
        file = open(_new_name(target), "w+b", opener=_exclusively(old))  # noqa: SIM115
        try:
            if old is not None:
                _take_over(file, old)
            if _lock(file):
                return file
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            file.close()
            raise
        file.close()  # swept up in the moment before it was locked


def sweep(folder: str) -> None:
    """Remove what killed processes have left in a folder, unless it was done a moment ago."""
    now = time.monotonic()
    if now - _swept.get(folder, -_SECONDS_BETWEEN_SWEEPS) < _SECONDS_BETWEEN_SWEEPS:
        return
    if len(_swept) >= _MOST_FOLDERS:
        _swept.clear()
    _swept[folder] = now
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _OURS.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_nobodys(entry)


def _new_name(target: str) -> str:
    folder, name = os.path.split(target)
    ending = f".{os.urandom(8).hex()}.unfinished"
    room = _LONGEST_NAME - len(ending) - 1
    while len(os.fsencode(name)) > room:
        name = name[:-1]
    return os.path.join(folder, f".{name}{ending}")


def _exclusively(old: os.stat_result | None) -> Callable[[str, int], int]:
    def opener(name: str, _: int) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.open(name, flags, 0o666 if old is None else 0o600)

    return opener


def _take_over(file: BinaryIO, old: os.stat_result) -> None:
    if sys.platform == "win32":
        return
    if (old.st_uid, old.st_gid) != (os.geteuid(), os.getegid()):
        with suppress(OSError):
            os.fchown(file.fileno(), old.st_uid, old.st_gid)
    os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode) & 0o777)


def _lock(file: BinaryIO) -> bool:
    """Lock a new file; False if somebody has taken it for one that was left behind."""
    if sys.platform == "win32":
        return True
    import fcntl

    with suppress(OSError):  # a file system without locks: `sweep` goes by the age there
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


def _remove_if_nobodys(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return
    if sys.platform == "win32":
        if time.time() - status.st_mtime > _LONG_AGO:
            os.unlink(entry.path)  # refused if it is open
        return
    import errno
    import fcntl

    if status.st_uid != os.geteuid():
        return
    descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # it is being written
        except OSError as error:
            no_locks = error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
            if not no_locks or time.time() - status.st_mtime < _LONG_AGO:
                return
        os.unlink(entry.path)
    finally:
        os.close(descriptor)

"""The one way in which files are written: whole, or not at all.

A file is written under another name in the same folder, and renamed when it is complete and on
disk. So everybody who reads meanwhile sees the old file or the new one, whatever happens to this
process. While it is written, the process holds a lock on it, which the system takes away when the
process ends, however it ends. So a file with such a name and without a lock was left by a process
that was killed, and the next one that writes to the folder removes it.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_UNFINISHED = re.compile(r"\..*\.[0-9a-f]{16}\.unfinished")
_LONGEST_NAME = 255  # bytes, of nearly all file systems
_SECONDS_BETWEEN_SWEEPS = 60.0
_MOST_FOLDERS = 1000
_LONG_AGO = 3600.0  # seconds after which nobody is expected to write, where there are no locks

_swept: dict[str, float] = {}


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Lend a file to write to, which gets its name when the block ends well.

    Whatever fails, an old file stays as it was, and nothing is left behind. A new file has the
    permissions of the old one, and a link stays a link. Pipes and devices cannot be replaced: they
    are written to as they are. Errors of the system name the path that was asked for.
    """
    user_path = os.fspath(path)
    target = os.path.realpath(user_path)
    try:
        old = _status(target)
        if old is not None and stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), user_path)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with Path(target).open("wb") as stream:
                yield stream
            return
        _sweep(os.path.dirname(target))
        file = _create_unfinished(target, old)
        try:
            yield file
            _finish(file, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(file.name)
            raise
        finally:
            with suppress(OSError):  # what could not be written has been reported already
                file.close()
    except OSError as error:
        raise _as_of(user_path, target, error) from error.__cause__


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether there is something that can be written to but not read back, as a pipe."""
    status = _status(path)
    return status is not None and not stat.S_ISREG(status.st_mode)


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write lines of text in UTF-8; a name that ends in .gz makes the file compressed."""
    with whole_file(path) as file:
        if Path(path).suffix.lower() == ".gz":
            import gzip

            # No name and time inside, so that equal trees make equal files.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as compressed:
                compressed.writelines(f"{line}\n".encode() for line in lines)
        else:
            file.writelines(f"{line}\n".encode() for line in lines)


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _finish(file: BinaryIO, target: str) -> None:
    """Give a file its name once it is on disk, and see that the name is on disk, too."""
    file.flush()
    os.fsync(file.fileno())
    if os.name == "nt":  # where an open file cannot be renamed
        file.close()
    os.replace(file.name, target)
    if os.name != "nt":
        with suppress(OSError):  # some file systems cannot; the file is whole in any case
            folder = os.open(os.path.dirname(target), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _as_of(user_path: str, target: str, error: OSError) -> OSError:
    """Return an error that names the path that was asked for, instead of ours or of none."""
    name = error.filename
    ours = name in (None, target) or (isinstance(name, str) and name.endswith(".unfinished"))
    if not ours or error.errno is None:
        return error
    return OSError(error.errno, error.strerror, user_path)


def _create_unfinished(target: str, old: os.stat_result | None) -> BinaryIO:
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
        file.close()  # it was removed in the moment before it was locked


def _sweep(folder: str) -> None:
    """Remove what killed processes have left in a folder, unless it was done a moment ago."""
    now = time.monotonic()
    if now - _swept.get(folder, -_SECONDS_BETWEEN_SWEEPS) < _SECONDS_BETWEEN_SWEEPS:
        return
    if len(_swept) >= _MOST_FOLDERS:
        _swept.clear()
    _swept[folder] = now
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name):
                with suppress(OSError):
                    _remove_if_unlocked(entry)


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
    """Lock a new file; False if another process took it for one that was left behind."""
    if sys.platform == "win32":
        return True
    import fcntl

    with suppress(OSError):  # a file system without locks: `_sweep` goes by the age there
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)
    return os.fstat(file.fileno()).st_nlink > 0


def _remove_if_unlocked(entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        return
    if sys.platform == "win32":
        if time.time() - status.st_mtime > _LONG_AGO:
            os.unlink(entry.path)  # refused if it is open
        return
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

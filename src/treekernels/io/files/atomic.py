"""The one way in which files are written: whole, or not at all.

A file is written under a name of its own beside the one that it is to have, and renamed when it is
complete and on disk. So whoever reads meanwhile sees the old file or the new one, whatever happens
to this process. What a killed process leaves behind is swept up by `unfinished`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from treekernels.io.files.partial_files import create_unfinished, sweep

__all__ = ["is_stream", "whole_file", "write_lines"]


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
        sweep(os.path.dirname(target))
        file = create_unfinished(target, old)
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

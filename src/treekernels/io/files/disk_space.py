"""Room on the disk for files that are mapped into memory.

Writing to a page of a mapped file for which the disk has no room ends the process, without an error
that Python could raise. So the room is taken before the first page is written.
"""

from __future__ import annotations

import errno
import mmap
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.text import byte_count

_PIECE = 1 << 20


def reserve(descriptor: int, size: int) -> None:
    """Take the room for a file that is to be of so many bytes, where the system can do that.

    Raises
    ------
    OSError
        When the disk is too full.
    """
    if size > 0 and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                return  # this file system cannot; a write will fail if there is no room
            reason = f"{error.strerror}: all of the file takes {byte_count(size)}"
            raise OSError(error.errno, reason) from None


def reserve_mapped(array: NDArray[Any]) -> None:
    """Take the room for an array that lies in a mapped file.

    Raises
    ------
    OSError
        When the disk is too full. The file keeps what it holds.
    """
    mapped = _mapped_file(array)
    if mapped is None or mapped.mode not in ("r+", "w+") or mapped.filename is None:
        return
    path = os.fspath(mapped.filename)
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:  # removed or renamed since: there is no way to the file any more
        return
    try:
        status = os.fstat(descriptor)
        if status.st_size == 0 or getattr(status, "st_blocks", 0) * 512 >= status.st_size:
            return
        try:
            reserve(descriptor, status.st_size)
            if not hasattr(os, "posix_fallocate"):
                _fill_holes(descriptor, status.st_size)
        except OSError as error:
            raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(descriptor)


def _mapped_file(array: NDArray[Any]) -> np.memmap[Any, Any] | None:
    """Return the mapped array that an array is a part of."""
    whole: Any = array
    while isinstance(whole, np.ndarray):
        if isinstance(whole, np.memmap) and isinstance(whole.base, mmap.mmap):
            return whole
        whole = whole.base
    return None


def _fill_holes(descriptor: int, size: int) -> None:
    """Write what is there once more; holes are read as zeros."""
    for first in range(0, size, _PIECE):
        os.lseek(descriptor, first, os.SEEK_SET)
        piece = os.read(descriptor, min(_PIECE, size - first))
        os.lseek(descriptor, first, os.SEEK_SET)
        os.write(descriptor, piece)

"""Room on the disk for files that are mapped into memory.

Writing to a page of a mapped file for which the disk has no room ends the process, without an error
that Python could raise. So the room is taken before the first page is written.
"""

from __future__ import annotations

import errno
import mmap
import os
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.text import byte_count

_PIECE = 1 << 20
_TOUCHED = 1 << 26  # bytes at a time, so that Ctrl-C is heard
_POPULATE_WRITE = 23  # of madvise


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
    mapped = _mapping(array)
    if mapped is None or getattr(mapped, "mode", "r+") not in ("r+", "w+"):
        return
    path = os.fspath(getattr(mapped, "filename", None) or "")
    try:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    except OSError:  # removed or renamed since, or it never had a name
        _touch_pages(array)
        return
    try:
        status = os.fstat(descriptor)
        if _inode_at(array.ctypes.data) not in (None, status.st_ino):  # another file by now
            _touch_pages(array)
            return
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


def _mapping(array: NDArray[Any]) -> Any:
    """Return the mapped array, or else the mapped memory, that an array is a part of."""
    whole: Any = array
    while isinstance(whole, np.ndarray):
        if isinstance(whole, np.memmap) and isinstance(whole.base, mmap.mmap):
            return whole
        whole = whole.base
    whole = whole.obj if isinstance(whole, memoryview) else whole
    return whole if isinstance(whole, mmap.mmap) else None


def _touch_pages(array: NDArray[Any]) -> None:
    """Let the system make all pages of an array writable now, if it can say that it cannot."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    if not array.size:
        return
    first = array.ctypes.data
    steps = zip(array.shape, array.strides, strict=True)
    last = first + sum((count - 1) * step for count, step in steps) + array.itemsize
    first -= first % mmap.PAGESIZE
    for begin in range(first, last, _TOUCHED):
        size = min(_TOUCHED, last - begin)
        ctypes.set_errno(0)
        library = ctypes.CDLL(None, use_errno=True)
        place, length = ctypes.c_void_p(begin), ctypes.c_size_t(size)
        failed = library.madvise(place, length, _POPULATE_WRITE)
        if failed and ctypes.get_errno() != errno.EINVAL:  # which older systems say
            reason = f"no room on the disk: all of the array takes {byte_count(array.nbytes)}"
            raise OSError(errno.ENOSPC, reason)


def _inode_at(address: int) -> int | None:
    """Return the number of the file that is mapped at an address, if the system tells."""
    try:
        with open("/proc/self/maps") as maps:
            for line in maps:
                place, _, _, _, inode, *_ = line.split(maxsplit=5)
                begin, _, end = place.partition("-")
                if int(begin, 16) <= address < int(end, 16):
                    return int(inode)
    except (OSError, ValueError):
        pass
    return None


def _fill_holes(descriptor: int, size: int) -> None:
    """Write what is there once more; holes are read as zeros."""
    for first in range(0, size, _PIECE):
        os.lseek(descriptor, first, os.SEEK_SET)
        piece = os.read(descriptor, min(_PIECE, size - first))
        os.lseek(descriptor, first, os.SEEK_SET)
        os.write(descriptor, piece)

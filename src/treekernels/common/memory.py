"""How much memory there is, so that no more is asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_UNLIMITED = 2**60  # what a group without a limit may say


def free_memory() -> int | None:
    """Return how many bytes are free without swapping, or None if the system does not say.

    In a container, it is what the limit of the container leaves, if that is less.
    """
    if sys.platform.startswith("linux"):
        limits = (_available(), _left_to_group())
        return min((limit for limit in limits if limit is not None), default=None)
    if sys.platform == "win32":
        return _available_to_windows()
    try:  # all there is, since what is free cannot be asked for without other libraries
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _available(file: Path = Path("/proc/meminfo")) -> int | None:
    try:
        for line in file.read_text().splitlines():
            name, _, amount = line.partition(":")
            if name == "MemAvailable":
                return int(amount.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _left_to_group(folder: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return what the limit of a control group leaves, of version 2 or 1."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            most = int((folder / limit).read_text())
            if most < _UNLIMITED:
                return max(0, most - int((folder / used).read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return None


def _available_to_windows() -> int | None:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("all", ctypes.c_ulonglong),
            ("free", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 5),  # of page files and virtual memory
        ]

    status = Status()
    status.length = ctypes.sizeof(Status)
    windll = getattr(ctypes, "windll", None)
    if windll is None or not windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.free)

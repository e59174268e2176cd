"""How much memory there is, so that no more is asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

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
    if sys.platform == "darwin" and (free := _available_to_mac()) is not None:
        return free
    try:  # all there is, since this system does not say what is free
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


def _left_to_group(
    folder: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")
) -> int | None:
    """Return what the limits of the control groups of this process leave, of version 2 or 1.

    A group is within others, as those of SLURM, systemd and containers are: the least counts.
    """
    left = [
        _left_to(parent, names)
        for root, group, names in _groups(folder, membership)
        for parent in (root / group, *(root / group).parents)
        if parent == root or root in parent.parents
    ]
    return min((amount for amount in left if amount is not None), default=None)


class _Names(NamedTuple):
    """What the files of a group are called."""

    limit: str
    used: str
    cache: str  # the line of memory.stat with what can be taken back at once


_VERSION_2 = _Names("memory.max", "memory.current", "inactive_file")
_VERSION_1 = _Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")


def _groups(folder: Path, membership: Path) -> list[tuple[Path, str, _Names]]:
    """Return where groups are, which of them this process is in, and the names of their files."""
    roots = [(folder, "", _VERSION_2), (folder / "memory", "", _VERSION_1)]
    try:
        for line in membership.read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            group = group.strip("/")
            if ".." in Path(group).parts:  # outside of what this container sees
                continue
            if not controllers:
                roots += [(folder / name, group, _VERSION_2) for name in ("", "unified")]
            elif "memory" in controllers.split(","):
                roots.append((folder / "memory", group, _VERSION_1))
    except (OSError, ValueError):
        pass
    return roots


def _left_to(group: Path, names: _Names) -> int | None:
    """Return what the limit of one group leaves, or None if it has none."""
    try:
        most = int((group / names.limit).read_text())
        if most >= _UNLIMITED:
            return None
        used = int((group / names.used).read_text())
    except (OSError, ValueError):  # no such file, or "max"
        return None
    try:
        lines = (group / "memory.stat").read_text().splitlines()
        used -= next((int(line.split()[1]) for line in lines if line.startswith(names.cache)), 0)
    except (OSError, ValueError, IndexError):
        pass
    return max(0, most - max(0, used))


def _available_to_mac() -> int | None:
    """Return the pages that are free, or that nobody has used for some time."""
    import ctypes

    try:
        system = ctypes.CDLL(None)
        pages = (ctypes.c_uint32 * 128)()  # free, active, inactive, wired, and more
        count = ctypes.c_uint32(len(pages))
        system.mach_host_self.restype = ctypes.c_uint32
        if system.host_statistics64(
            ctypes.c_uint32(system.mach_host_self()), 4, pages, ctypes.byref(count)
        ):
            return None
        return (pages[0] + pages[2]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
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

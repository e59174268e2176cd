"""How many cores this process may use; joblib would say the same, but takes a while to import."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path

_QUOTA = Path("/sys/fs/cgroup/cpu.max")  # of a container: microseconds of work in so many of time
_OLD_QUOTA = Path("/sys/fs/cgroup/cpu")  # the same, on older systems


def usable_cores() -> int:
    """Return the number: all, unless the system, a container or LOKY_MAX_CPU_COUNT allows fewer."""
    limits = [os.cpu_count() or 1]
    if hasattr(os, "sched_getaffinity"):
        limits.append(len(os.sched_getaffinity(0)))
    with suppress(OSError, ValueError, ZeroDivisionError):
        if (quota := _quota()) > 0:
            limits.append(math.ceil(quota))
    with suppress(KeyError, ValueError):
        limits.append(int(os.environ["LOKY_MAX_CPU_COUNT"]))
    return max(1, min(limits))


def _quota() -> float:
    """Return the cores that a container may use; at most 0 for any number."""
    if _QUOTA.exists():
        quota, period = _QUOTA.read_text().split()
        return 0 if quota == "max" else int(quota) / int(period)
    quota, period = (
        (_OLD_QUOTA / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period")
    )
    return int(quota) / int(period)

"""Ctrl-C in a program that computes.

A second of processor time, where the system tells it: other programs may keep the processor longer.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def processor_time(process: int) -> float:
    """Return how many seconds of processor time another process has taken; on Linux alone."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def pressed_after(seconds: float) -> Iterator[None]:
    """Press Ctrl-C in this program after some seconds, if it is not done by then."""
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def assert_hears_interrupt(prepare: str, compute: str, *, after: float) -> None:
    """Run a statement in a process, interrupt it after some seconds, and see that it ends soon."""
    script = f"""
import signal
import time
import numpy as np
import treekernels as tk
from helpers import random_forest, random_tree
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
{prepare}
print("ready", flush=True)
try:
    {compute}
except KeyboardInterrupt:
    print(time.process_time(), flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        pressed = processor_time(process.pid) if sys.platform == "linux" else None
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert output, "it was not interrupted"
    if pressed is not None:
        assert float(output) - pressed < 1

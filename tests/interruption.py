"""Ctrl-C in a program that computes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path


def assert_hears_interrupt(prepare: str, compute: str, *, after: float) -> None:
    """Run a statement in a process, interrupt it after some seconds, and see that it ends soon."""
    script = f"""
import signal
import numpy as np
import treekernels as tk
from helpers import random_forest, random_tree
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
{prepare}
print("ready", flush=True)
try:
    {compute}
except KeyboardInterrupt:
    print("interrupted")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=2)
    finally:
        process.kill()
        process.wait()
    assert output == "interrupted\n"

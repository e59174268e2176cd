"""Ctrl-C is heard within a second of processor time, by every operation, on trees of any form."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from interruption import processor_time
from pressing import FORMS, OPERATIONS

PROGRAM = Path(__file__).parents[1] / "pressing.py"
USUAL = ["gram of partial", "landmarks by leverage", "read a file"]  # others have their own tests
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux says how much processor time another process took"
)


def press(name: str, form: str, after: float) -> None:
    """Interrupt an operation after so much processor time, and see when it hears that."""
    with subprocess.Popen(
        [sys.executable, PROGRAM, name, form], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            begin = processor_time(process.pid)
            while process.poll() is None and processor_time(process.pid) < begin + after:
                time.sleep(0.005)
            pressed = float("nan")  # if it has ended
            if process.poll() is None:
                pressed = processor_time(process.pid)
                process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=300)
        finally:
            process.kill()
    if output == "refused\n":
        pytest.skip("trees of this form are refused")
    heard, end = output.splitlines()
    assert end == "fine"
    assert float(heard.split()[0]) - pressed < 1


@pytest.mark.parametrize("name", USUAL)
def test_some_operations_hear_ctrl_c(name: str) -> None:
    press(name, "large", 0.2)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_hears_ctrl_c(name: str, form: str) -> None:
    press(name, form, random.Random(name).uniform(0.05, 1.5))

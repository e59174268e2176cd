"""What all tests share: one hypothesis profile, with the same examples on every run; Ctrl-C."""

from __future__ import annotations

import gzip
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from helpers import Write

# Ctrl-C is heard also where the tests run in the background, for which a shell turns it off.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "treekernels",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("treekernels")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file; a name in .gz makes it compressed."""

    def written(name: str, content: str | bytes) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return tmp_path / name

    return written

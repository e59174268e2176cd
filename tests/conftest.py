"""What all tests share: hypothesis profiles, Ctrl-C, files to read.

The usual profile has the same examples on every run. HYPOTHESIS_PROFILE=nightly, as `make fuzz`
sets it, has other ones each time, and sixty times as many for every test.
"""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from command_line import run as run  # a fixture
from helpers import Write

# Ctrl-C is heard also where the tests run in the background, for which a shell turns it off.
signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "treekernels",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly", settings.get_profile("treekernels"), derandomize=False, print_blob=True
)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "treekernels")
TIMES_AT_NIGHT = 60
ATTRIBUTE = "_hypothesis_internal_use_settings"
settings.load_profile(PROFILE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the long tests, so that no worker is left with one; more examples at night."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
    if PROFILE == "nightly":
        lengthen({item.function for item in items if isinstance(item, pytest.Function)})


def lengthen(tests: set[Callable[..., object]]) -> None:
    """Give each property test more examples, also where it says how many it has by day.

    Hypothesis keeps what `@settings` says in an attribute of the test, and has no other way in.
    """
    for test in tests:
        if getattr(test, "is_hypothesis_test", False):
            by_day: settings = getattr(test, ATTRIBUTE, settings.default)
            at_night = settings(by_day, max_examples=TIMES_AT_NIGHT * by_day.max_examples)
            setattr(test, ATTRIBUTE, at_night)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a file; a name in .gz makes it compressed."""

    def written(name: str, content: str | bytes) -> Path:
        raw = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return tmp_path / name

    return written


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A client of two Dask workers, for all tests that do them no harm."""
    from dask_cluster import small_cluster

    with small_cluster() as client:
        yield client


@pytest.fixture(autouse=True)
def _no_cluster_hangs(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.path.parent.name != "cluster":
        yield
        return
    from dask_cluster import time_limit

    with time_limit(1200 if request.node.get_closest_marker("slow") else 400):
        yield

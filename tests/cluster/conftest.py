"""One cluster of two processes for all tests that do no harm to it, and a limit of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dask_cluster import small_cluster, time_limit

pytest.importorskip("distributed", reason="the extra dask is not installed")

SECONDS = 100  # after which a test hangs


@pytest.fixture(autouse=True)
def _nothing_hangs(request: pytest.FixtureRequest) -> Iterator[None]:
    marker = request.node.get_closest_marker("slow")
    with time_limit(1200 if marker else SECONDS):
        yield


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A client of two workers."""
    with small_cluster() as client:
        yield client

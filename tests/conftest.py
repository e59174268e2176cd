"""One hypothesis profile for all tests: the same examples on every run, on any machine."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "treekernels",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("treekernels")

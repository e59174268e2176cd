"""What all tests share: one hypothesis profile, with the same examples on every run; Ctrl-C."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

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

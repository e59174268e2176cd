"""Calls from several threads at once, for tests of what they may share."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def frequent_switches() -> Iterator[None]:
    """Let Python turn to another thread a thousand times as often as it does by itself."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_together(*calls: Callable[[], object]) -> None:
    """Make calls at the same moment, each in a thread of its own; raise what one raises."""
    start = threading.Barrier(len(calls))
    failures: list[BaseException] = []

    def run(call: Callable[[], object]) -> None:
        start.wait()
        try:
            call()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    with frequent_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


def hammer(*calls: Callable[[], object], seconds: float = 0.5) -> list[int]:
    """Make calls over and over, each in a thread of its own; return how often each was made.

    On a busy machine a thread may begin late: the others go on until each call was made, but for
    no more than a minute, so that what keeps a call out for ever is seen by its count of 0.
    """
    start = time.monotonic()
    end, limit = start + seconds, start + max(60.0, seconds)
    counts = [0] * len(calls)
    failed = threading.Event()

    def goes_on() -> bool:
        now = time.monotonic()
        return now < end or (now < limit and min(counts) == 0)

    def repeated(number: int, call: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            try:
                while goes_on() and not failed.is_set():
                    call()
                    counts[number] += 1
            except BaseException:
                failed.set()
                raise

        return run

    run_together(*(repeated(number, call) for number, call in enumerate(calls)))
    return counts

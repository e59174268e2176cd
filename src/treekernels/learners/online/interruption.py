"""Interruption: Ctrl-C held back while a model is in two minds.

The native core changes the forest, and Python then notes what it did. An interruption between the
two would leave a model that does not know what it has learned.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treekernels.common.progress import Progress


@contextmanager
def defer_interrupt(progress: Progress | None) -> Iterator[Progress | None]:
    """Return a progress callback in which Ctrl-C is heard; elsewhere it waits until the end.

    Signals come to the main thread only, so that there is nothing to do in any other.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield progress
        return
    pressed: list[tuple[int, Any]] = []

    def listening(done: int, total: int) -> None:
        if progress is not None:
            progress(done, total)
        if pressed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, lambda number, frame: pressed.append((number, frame)))
    try:
        yield listening
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        before(*pressed[0])

"""What is worked out before somebody asks: one thing after the other, while the page is read."""

from __future__ import annotations

import threading
from typing import Any

from treekernels.errors import DataError
from treekernels.explorer.answers import ANSWERS
from treekernels.explorer.state import Pending, State

__all__ = ["prepare"]

_BEFOREHAND: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mistakes", {}),
    ("nearest", {"row": 0}),
    ("fragments", {}),
    ("map", {}),
)
_HEAD_START = 1.5  # seconds in which the first view has the machine to itself
_MOST = 300_000  # examples; of more, only what is asked for is worked out


def prepare(state: State) -> None:
    """Ask what the page will ask, in a thread of its own."""
    threading.Thread(target=_ask, args=[state], name="explorer prepares", daemon=True).start()


def _ask(state: State) -> None:
    state.stopped.wait(_HEAD_START)
    for name, question in _BEFOREHAND:
        while not state.stopped.is_set():
            try:
                ANSWERS[name](state, question)
            except Pending as pending:
                if pending.job.state == "cancelled":
                    break
                pending.job.wait(1.0)
                corpus = state.corpus_if_read()
                if corpus is not None and len(corpus) > _MOST:
                    return
                continue
            except (DataError, ValueError, ImportError, MemoryError):
                pass  # whoever asks for it will be told
            break

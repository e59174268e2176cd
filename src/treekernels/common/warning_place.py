"""Where a warning belongs: the line of the user's own that led to it."""

from __future__ import annotations

import inspect

__all__ = ["calls_up_to_user"]

_OURS = ("treekernels.", "sklearn.")


def calls_up_to_user() -> int:
    """Return the ``stacklevel`` for a warning: how many calls up from its line the user's is."""
    frame, count = inspect.currentframe(), -1  # this function itself does not count
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame, count = frame.f_back, count + 1
    return count + 1

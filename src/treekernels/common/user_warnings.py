"""Warnings that point at the user's own line, however many of our calls lie between."""

from __future__ import annotations

import inspect
import warnings

_OURS = ("treekernels.", "sklearn.")


def warn_user(message: str | Warning, category: type[Warning] = UserWarning) -> None:
    """Warn at the line outside of this library and scikit-learn that led to the warning."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level + 1)

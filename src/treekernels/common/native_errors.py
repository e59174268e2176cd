"""Errors of the native core as sentences with a remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from treekernels import _native
from treekernels.errors import KernelMemoryError, KernelOverflowError

__all__ = ["VALUE_TOO_LARGE", "translate_native_errors"]

VALUE_TOO_LARGE = (
    "a kernel value is too large for the result: use normalize=True, a smaller decay, or "
    "dtype=float64 if it was float32"
)


@contextmanager
def translate_native_errors(too_large: str = VALUE_TOO_LARGE) -> Iterator[None]:
    """Raise the library's own errors for those of the core; `too_large` is said of an overflow."""
    try:
        yield
    except _native.Overflow:
        raise KernelOverflowError(too_large) from None
    except _native.TooLarge as error:
        raise KernelMemoryError(str(error)) from None

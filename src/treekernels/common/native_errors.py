"""Errors of the native core as sentences with a remedy."""

from __future__ import annotations

from types import TracebackType

from treekernels import _native
from treekernels.errors import KernelMemoryError, KernelOverflowError

VALUE_TOO_LARGE = (
    "a kernel value is too large for the result: use normalize=True, a smaller decay, or "
    "dtype=float64 if it was float32"
)

SCORE_TOO_LARGE = (
    "a score is too large while learning, because the values of the kernel are: use normalize=True "
    "and a smaller decay for trees, and scale vectors, for instance with scikit-learn's "
    "StandardScaler"
)

MODEL_TOO_LARGE = (
    "a kernel value is too large for the numbers of a weighted forest, which come before they are "
    "normalised: use a smaller decay, or compare trees one by one (solver='gram' of machines, "
    "solver='standard' of perceptrons)"
)


class translate_native_errors:
    """Raise the library's own errors for those of the core; `too_large` is said of an overflow.

    It is a class, because a generator would take as long as a small kernel value.
    """

    __slots__ = ("too_large",)

    def __init__(self, too_large: str = VALUE_TOO_LARGE) -> None:
        self.too_large = too_large

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, _native.Overflow):
            raise KernelOverflowError(self.too_large) from None
        if isinstance(error, _native.TooLarge):
            raise KernelMemoryError(str(error)) from None

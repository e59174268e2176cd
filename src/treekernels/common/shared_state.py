"""SharedState: an object that several threads may use at once.

Methods that read it run side by side. One that changes it waits for them and runs alone, so that
every call sees the object between two others, never in the midst of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from treekernels import _native
from treekernels.errors import DataError

_Method = TypeVar("_Method", bound=Callable[..., Any])


class SharedState:
    """What has a lock for all that belongs together."""

    _lock: _native.ReaderWriterLock
    _may_be_used_within_changes = True  # by the thread that makes them

    def __new__(cls, *args: Any, **parameters: Any) -> Any:
        # Here and not in __init__, which is not called for a copy, and whose parameters alone
        # scikit-learn wants to see there.
        shared = super().__new__(cls)
        shared._lock = _native.ReaderWriterLock()
        return shared

    def __getstate__(self) -> Any:
        """Return all but the lock, of one moment: for copies and pickles."""
        with self._lock.reading():
            return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Any) -> None:
        vars(self).update(state)


def reads(method: _Method) -> _Method:
    """Let a method run beside others that read."""
    return _locked(method, _native.ReaderWriterLock.reading)


def changes(method: _Method) -> _Method:
    """Let a method run alone."""
    return _locked(method, _native.ReaderWriterLock.writing)


def of_one_moment(method: _Method) -> _Method:
    """Let a method see the attributes of one moment, where a change replaces all in one step.

    It must set none of them.
    """

    @wraps(method)
    def seen(self: Any, /, *args: Any, **options: Any) -> Any:
        return method(copy_of_attributes(self), *args, **options)

    return cast("_Method", seen)


def copy_of_attributes(original: Any) -> Any:
    """Return an object of the same class with the same attributes."""
    twin = object.__new__(type(original))
    twin.__dict__ = dict(vars(original))
    return twin


def _locked(method: _Method, lock: Callable[[_native.ReaderWriterLock], Any]) -> _Method:
    @wraps(method)
    def locked(self: SharedState, /, *args: Any, **options: Any) -> Any:
        if not self._may_be_used_within_changes and self._lock.is_changing:
            raise DataError(
                f"this {type(self).__name__} is being changed: progress= cannot use it meanwhile"
            )
        with lock(self._lock):
            return method(self, *args, **options)

    return cast("_Method", locked)

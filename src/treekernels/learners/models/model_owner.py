"""ModelOwner: an object with a model that several threads may use at once.

Methods that read the model run side by side. One that changes it waits for them and runs alone, so
that every call sees the model between two others, never in the midst of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from treekernels import _native
from treekernels.learners.models.model import Model, ModelSnapshot

_Method = TypeVar("_Method", bound=Callable[..., Any])


class ModelOwner:
    """What has a model, and a lock for it and all that was learned along with it."""

    _lock: _native.ReaderWriterLock
    _model: Model

    def __new__(cls, *args: Any, **parameters: Any) -> Any:
        # Here and not in __init__, which is not called for a copy, and whose parameters alone
        # scikit-learn wants to see there.
        owner = super().__new__(cls)
        owner._lock = _native.ReaderWriterLock()
        return owner

    def copy_learned(self, *names: str) -> tuple[Model, dict[str, Any]]:
        """Return a copy of the model and some attributes, None for missing ones, of one moment."""
        with self._lock.reading():
            if "_model" not in vars(self):
                from sklearn.exceptions import NotFittedError

                raise NotFittedError(f"this {type(self).__name__} has learned nothing yet")
            snapshot = self._model.snapshot()
            attributes = {name: getattr(self, name, None) for name in names}
        return snapshot.restored(), attributes

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, of one moment: for copies and pickles."""
        with self._lock.reading():
            state = {name: value for name, value in vars(self).items() if name != "_lock"}
            if "_model" in state:
                state["_model"] = self._model.snapshot()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if isinstance(snapshot := state.get("_model"), ModelSnapshot):
            self._model = snapshot.restored()


def reads_model(method: _Method) -> _Method:
    """Let a method run beside others that read the model."""
    return _locked(method, _native.ReaderWriterLock.reading)


def changes_model(method: _Method) -> _Method:
    """Let a method run alone."""
    return _locked(method, _native.ReaderWriterLock.writing)


def _locked(method: _Method, lock: Callable[[_native.ReaderWriterLock], Any]) -> _Method:
    @wraps(method)
    def locked(self: ModelOwner, /, *args: Any, **options: Any) -> Any:
        with lock(self._lock):
            return method(self, *args, **options)

    return cast("_Method", locked)

"""ModelOwner: an object with a model that several threads may use at once."""

from __future__ import annotations

from typing import Any

from treekernels.common.shared_state import SharedState
from treekernels.common.shared_state import changes as changes_model
from treekernels.common.shared_state import reads as reads_model
from treekernels.learners.models.model import Model, ModelSnapshot

__all__ = ["ModelOwner", "changes_model", "reads_model"]


class ModelOwner(SharedState):
    """What has a model, and a lock for it and all that was learned along with it."""

    _model: Model

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
            state: dict[str, Any] = super().__getstate__()
            if "_model" in state:
                state["_model"] = self._model.snapshot()
        return state

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        if isinstance(snapshot := state.get("_model"), ModelSnapshot):
            self._model = snapshot.restored()

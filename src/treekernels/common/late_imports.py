"""What happens at the moment when another library is imported.

Our learners are classes of scikit-learn to those who use it, and cost nothing to those who do not:
to import it takes longer than most calls. Code that asks whether a learner is an estimator has
imported scikit-learn before it asks, so that moment is early enough to answer.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], object]

_ACTIONS: dict[str, list[Action]] = {}  # by module
_SEEKING = threading.local()


def when_imported(name: str, action: Action) -> None:
    """Call something with a module: now if it is there, and else as soon as it is imported."""
    module = sys.modules.get(name)
    if module is None:
        _ACTIONS.setdefault(name, []).append(action)
    else:
        action(module)


class _Watch:
    """Is asked about each import first, and leaves the finding to others."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Find a module that is waited for as it would be found otherwise, and watch it load."""
        if name not in _ACTIONS or getattr(_SEEKING, "name", None) == name:
            return None
        _SEEKING.name = name  # or this would be asked again
        try:
            spec = importlib.util.find_spec(name)
        finally:
            _SEEKING.name = None
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_act(module: ModuleType) -> None:
                load(module)
                for action in _ACTIONS.pop(name, ()):
                    action(module)

            spec.loader.exec_module = load_and_act  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _Watch)

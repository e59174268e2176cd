"""What makes learners estimators of scikit-learn: its base classes, as soon as it is imported.

To import scikit-learn takes far longer than to fit a small model, or to load one and label a tree.
So learners have stand-ins among their bases. When scikit-learn is imported, by whomever, its own
classes become the bases of these: whoever asks whether a learner is a `BaseEstimator` has imported
that class, and so it is one. A learner that is asked for something that only scikit-learn knows,
such as `score`, imports it.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from treekernels.common.late_imports import when_imported

_Class = TypeVar("_Class", bound=type)


def _plain() -> type:
    """Return a base for a stand-in: Python lets no class that has none get others later.

    Each has its own, or there would be no order of bases while they change one after the other.
    """
    return type("Plain", (), {})


def _stands_in_for(module: str, name: str) -> Callable[[_Class], _Class]:
    """Return a decorator for a class of which one of scikit-learn becomes the base.

    What it can do itself until then, it leaves to that.
    """

    def decorate(class_: _Class) -> _Class:
        own = [attribute for attribute, value in vars(class_).items() if inspect.isfunction(value)]

        def take_place(theirs: ModuleType) -> None:
            class_.__bases__ = (getattr(theirs, name),)
            for attribute in own:
                delattr(class_, attribute)
            stand_in: Any = class_
            for below in _subclasses(stand_in):
                super(stand_in, below).__init_subclass__()  # as when they were made

        when_imported(module, take_place)
        return class_

    return decorate


def _subclasses(class_: Any) -> Iterator[Any]:
    """Yield all classes below a class, each once and after those above it."""
    levels, seen = [class_], {class_}
    for above in levels:
        new = [below for below in above.__subclasses__() if below not in seen]
        seen.update(new)
        levels.extend(new)
        yield from new


if TYPE_CHECKING:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    class Estimator(BaseEstimator):  # type: ignore[misc]
        """`BaseEstimator`."""

    class ClassifierPart(ClassifierMixin):  # type: ignore[misc]
        """`ClassifierMixin`."""

    class RegressorPart(RegressorMixin):  # type: ignore[misc]
        """`RegressorMixin`."""

    class CallbackSupport:
        """`CallbackSupportMixin`, which scikit-learn has from 1.9 on."""

else:

    @_stands_in_for("sklearn.base", "BaseEstimator")
    class Estimator(_plain()):
        """Stands in for `BaseEstimator`."""

        def get_params(self, deep=True):
            """Return the parameters by name."""
            if deep:  # those of estimators within it as well
                return _as_estimator(self).get_params(deep=True)
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **parameters):
            """Set parameters by name."""
            if not parameters.keys() <= inspect.signature(type(self)).parameters.keys():
                return _as_estimator(self).set_params(**parameters)
            for name, value in parameters.items():
                setattr(self, name, value)
            return self

        def __repr__(self):
            return repr(_as_estimator(self))

        def __getattr__(self, name):
            """Look for what is missing in scikit-learn: public methods, and pages for notebooks."""
            if name.startswith("_repr_") or not (name.startswith("_") or name.endswith("_")):
                return getattr(_as_estimator(self), name)
            return object.__getattribute__(self, name)  # which says that it is not there

    @_stands_in_for("sklearn.base", "ClassifierMixin")
    class ClassifierPart(_plain()):
        """Stands in for `ClassifierMixin`."""

    @_stands_in_for("sklearn.base", "RegressorMixin")
    class RegressorPart(_plain()):
        """Stands in for `RegressorMixin`."""

    @_stands_in_for("sklearn.callback", "CallbackSupportMixin")
    class CallbackSupport(_plain()):
        """Stands in for `CallbackSupportMixin`, which scikit-learn has from 1.9 on."""


def _as_estimator(learner: Any) -> Any:
    """Return a learner as it is with scikit-learn."""
    importlib.import_module("sklearn.base")
    return learner

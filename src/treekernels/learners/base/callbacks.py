"""The callbacks of scikit-learn, which has them from 1.9 on.

With it, learners have `set_callbacks`; with an older one they have not, and nothing here has an
effect. What is asked of an estimator may still change: scikit-learn calls it experimental.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

__all__ = ["FitTask", "fit_task", "tearing_down"]

Method = TypeVar("Method", bound=Callable[..., Any])


def tearing_down(method: Method) -> Method:
    """Let callbacks end their work whenever and however a method ends."""

    @wraps(method)
    def torn_down(learner: Any, *args: Any, **options: Any) -> Any:
        if not _has_callbacks(learner):
            return method(learner, *args, **options)
        from sklearn.callback import with_callbacks

        return with_callbacks(method)(learner, *args, **options)

    return cast("Method", torn_down)


def _has_callbacks(learner: Any) -> bool:
    return bool(vars(learner).get("_skl_callbacks"))  # where `set_callbacks` puts them


class FitTask:
    """A fit as callbacks see it, with epochs in it.

    Parameters
    ----------
    learner : Learner
    context : CallbackContext of scikit-learn, or None
        None where nobody has asked to be called.
    data : dict
        What callbacks may ask for: X, y and metadata.
    """

    def __init__(self, learner: Any, context: Any, data: dict[str, Any]) -> None:
        self.learner = learner
        self.context = context
        self.data = data

    @property
    def is_watched(self) -> bool:
        """Whether there are callbacks."""
        return self.context is not None

    def run_epoch(
        self, learn: Callable[[], None], attributes: Callable[[], dict[str, Any]]
    ) -> bool:
        """Go through an epoch, and return whether a callback wants it to be the last.

        Parameters
        ----------
        learn : callable
            What is done in the epoch.
        attributes : callable
            Returns what the learner would have learned if this were the end.
        """
        epoch = self.context.subcontext(task_name="epoch")
        epoch.call_on_fit_task_begin(estimator=self.learner, **self.data)
        learn()
        return bool(
            epoch.call_on_fit_task_end(
                estimator=self.learner, **self.data, reconstruction_attributes=attributes
            )
        )


@contextmanager
def fit_task(
    learner: Any, X: Any, y: Any, sample_weight: Any, epochs: int = 0
) -> Iterator[FitTask]:
    """Tell callbacks when a fit begins and when it is done.

    Parameters
    ----------
    learner : Learner
        It has learned when this ends.
    X, y, sample_weight
        What it learns from.
    epochs : int, default=0
        How many epochs there are to be told of.
    """
    if not _has_callbacks(learner):
        yield FitTask(learner, None, {})
        return
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    data = {"X": X, "y": y, "metadata": metadata}
    context = learner._init_callback_context(max_subtasks=epochs)
    context.call_on_fit_task_begin(estimator=learner, **data)
    yield FitTask(learner, context, data)
    context.call_on_fit_task_end(estimator=learner, **data, reconstruction_attributes=dict)

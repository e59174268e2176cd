"""The questions that the page may ask, and what answers them."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from treekernels.errors import DataError
from treekernels.explorer.session.state import Pending, State
from treekernels.explorer.views.comparison import comparison
from treekernels.explorer.views.corpus_map import corpus_map, map_examples
from treekernels.explorer.views.fragments import fragments, places
from treekernels.explorer.views.mistakes import mistakes
from treekernels.explorer.views.nearest import nearest
from treekernels.explorer.views.overview import overview
from treekernels.explorer.views.prediction import prediction
from treekernels.explorer.views.shared.question import Question, sentence, text_of
from treekernels.kernels.expressions.parsing import without_files

_PREPARED: tuple[tuple[str, Question], ...] = (
    ("mistakes", {}),
    ("nearest", {"row": 0}),
    ("fragments", {}),
    ("map", {}),
)
_HEAD_START = 1.5  # seconds in which the first view has the computer to itself
_MOST_PREPARED = 300_000  # examples; of more, only what is asked for is worked out


def _cancel(state: State, question: Question) -> dict[str, Any]:
    """Cancel a piece of work that the page knows by name."""
    name = _job_name(question)
    if name == "reasons":
        state.jobs.cancel_all("reasons")
    else:
        state.jobs.cancel(name)
    return {}


def _restart(state: State, question: Question) -> dict[str, Any]:
    """Let a piece of work that was cancelled begin again when the page asks for it."""
    state.jobs.forget(_job_name(question))
    return {}


def _job_name(question: Question) -> Any:
    name = json.loads(text_of(question, "job"))
    parts = name if isinstance(name, list) else [name]
    if any(isinstance(part, list | dict) for part in parts):
        raise DataError("there is no job of this name")
    return tuple(name) if isinstance(name, list) else name


ANSWERS: dict[str, Callable[[State, Question], dict[str, Any]]] = {
    "overview": overview,
    "prediction": prediction,
    "fragments": fragments,
    "places": places,
    "comparison": comparison,
    "nearest": nearest,
    "mistakes": mistakes,
    "map": corpus_map,
    "map-examples": map_examples,
    "cancel": _cancel,
    "restart": _restart,
}


def answer(state: State, name: str, question: Question) -> tuple[int, dict[str, Any]]:
    """Return a status of HTTP and an answer: what was asked for, how far it is, or an error."""
    try:
        with without_files():  # which kernels that are written on the page could name
            return 200, ANSWERS[name](state, question)
    except Pending as pending:
        job = pending.job.status()
        return 202, {"pending": {**job, "name": json.dumps(pending.name)}}
    except RecursionError:
        return 400, {"error": "The question has too many levels."}
    except (DataError, ValueError, ImportError, KeyError, MemoryError, ArithmeticError) as error:
        return 400, {"error": sentence(error)}
    except Exception as error:  # our own mistake must not end the page
        mistake = "(this is a mistake in treekernels; please report it)"
        return 500, {"error": f"{type(error).__name__}: {error} {mistake}"}


def prepare(state: State) -> None:
    """Ask what the page is going to ask, one thing after the other, in a thread of its own."""
    threading.Thread(target=_prepare, args=[state], name="explorer prepares", daemon=True).start()


def _prepare(state: State) -> None:
    state.stopped.wait(_HEAD_START)
    for name, question in _PREPARED:
        while not state.stopped.is_set():
            try:
                ANSWERS[name](state, question)
            except Pending as pending:
                if pending.job.state == "cancelled":
                    break
                pending.job.wait(1.0)
                corpus = state.corpus_if_read()
                if corpus is not None and len(corpus) > _MOST_PREPARED:
                    return
                continue
            except (DataError, ValueError, ImportError, MemoryError):
                pass  # the page gets the error when it asks
            break

"""The questions that a page may ask, and who answers them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from treekernels.errors import DataError
from treekernels.explorer.state import Pending, State
from treekernels.explorer.views.asking import Question, text_of
from treekernels.explorer.views.comparison import comparison
from treekernels.explorer.views.corpus_map import corpus_map, map_examples
from treekernels.explorer.views.fragments import fragments, places
from treekernels.explorer.views.mistakes import mistakes
from treekernels.explorer.views.nearest import nearest
from treekernels.explorer.views.overview import overview
from treekernels.explorer.views.prediction import prediction

__all__ = ["ANSWERS", "answer"]


def _cancel(state: State, question: Question) -> dict[str, Any]:
    """Cancel a piece of work that the page was told the name of."""
    name = _job(question)
    if name == "reasons":
        state.jobs.cancel_all("reasons")
    else:
        state.jobs.cancel(name)
    return {}


def _restart(state: State, question: Question) -> dict[str, Any]:
    """Let a piece of work that was cancelled begin again when the page asks for it."""
    state.jobs.forget(_job(question))
    return {}


def _job(question: Question) -> Any:
    name = json.loads(text_of(question, "job"))
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
        return 200, ANSWERS[name](state, question)
    except Pending as pending:
        job = pending.job.status()
        return 202, {"pending": {**job, "name": json.dumps(pending.name)}}
    except (DataError, ValueError, ImportError, KeyError, MemoryError, ArithmeticError) as error:
        return 400, {"error": _sentence(error)}


def _sentence(error: BaseException) -> str:
    text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    text = text or type(error).__name__
    first = text.split(maxsplit=1)[0].strip(",:")
    if first.isalpha():  # the name of a file stays as it is
        text = f"{text[:1].upper()}{text[1:]}"
    return text + ("" if text.endswith((".", "!", "?")) else ".")

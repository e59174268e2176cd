"""One example: what the model says of it, and what speaks for and against that."""

from __future__ import annotations

import json
from typing import Any

from treekernels.data.forest import Forest
from treekernels.drawing import svg
from treekernels.errors import DataError
from treekernels.explanation.best_first import checked_by
from treekernels.explanation.explain import explain
from treekernels.explanation.fragment import Fragments
from treekernels.explorer.jobs import Job
from treekernels.explorer.placeholders import pair_picture
from treekernels.explorer.state import State
from treekernels.explorer.views.asking import Question, text_of
from treekernels.explorer.views.listing import column_key, fragment_row
from treekernels.explorer.views.written import Asked, asked_example

__all__ = ["prediction"]

_TOP = 12  # fragments for and against, each of which colours its nodes
_LARGEST = 5_000  # nodes of a tree that is explained
_DRAWN = 250  # nodes of a tree
_NAME = json.dumps("reasons")  # by which the page cancels it


def prediction(state: State, question: Question) -> dict[str, Any]:
    """Return the scores of all classes for an example, its picture, and the fragments."""
    asked = asked_example(state, question)
    model = state.model
    X = model.example(asked.trees, state.corpus_if_read(), asked.base)
    answers, all_scores = model.answers(X)
    predicted = answers[0]
    scores = None if all_scores is None else all_scores[0].tolist()
    class_ = _class(state, text_of(question, "class"), predicted)
    job = _explaining(state, X, asked, class_)
    status = job.status()
    explained = status["state"] == "done"
    fragments, note = job.result if explained else (Fragments(), "")
    if status["state"] == "failed" and job.error is not None:
        raise job.error
    found: dict[str, Any] = {
        "predicted": _answer(predicted),
        "scores": _scored(state, scores),
        "class": None if class_ is None else str(class_),
        "pictures": _pictures(state, asked, fragments),
        "fragments": [fragment_row(one) for one in fragments],
        "notes": [*asked.notes, *([note] if note else [])],
        "trees": {column_key(column): _text(tree) for column, tree in asked.trees.items()},
        "size": sum(int(tree.sizes[0]) for tree in asked.trees.values()),
        "explaining": None if explained else {**status, "name": _NAME},
    }
    corpus = state.corpus_if_read()
    if asked.row is not None and corpus is not None:
        found["row"] = asked.row
        found["place"] = corpus.place(asked.row)
        found["label"] = corpus.label(asked.row)
        found["examples"] = len(corpus)
    return found


def _answer(predicted: Any) -> str:
    return f"{predicted:.4g}" if isinstance(predicted, float) else str(predicted)


def _scored(state: State, scores: list[float] | None) -> list[dict[str, Any]]:
    if scores is None or state.model.classes is None:
        return []
    both = zip(state.model.classes, scores, strict=True)
    return [{"class": str(name), "score": score} for name, score in both]


def _class(state: State, name: str, predicted: Any) -> Any:
    """Return the class to explain: the one that is named, or else the predicted one."""
    if state.model.classes is None:
        return None
    return next((one for one in state.model.classes if str(one) == name), predicted)


def _explaining(state: State, X: Any, asked: Asked, class_: Any) -> Job:
    """Look for what decides: mostly at once, but rewrite rules take their time."""
    texts = tuple(_text(tree) for tree in asked.trees.values())
    name = ("reasons", *texts, asked.base, str(class_))
    if state.jobs.get(name) is None:
        state.jobs.cancel_all("reasons")  # nobody waits for another tree any longer
    title = "Looking for what decides"
    return state.jobs.ensure(
        name, title, lambda own: _reasons(state, X, asked, class_, own), patience=0.6
    )


def _reasons(state: State, X: Any, asked: Asked, class_: Any, job: Job) -> tuple[Fragments, str]:
    if sum(int(tree.sizes[0]) for tree in asked.trees.values()) > _LARGEST:
        return Fragments(), f"A tree of more than {_LARGEST:,} nodes is not explained here."
    try:
        with checked_by(lambda: job.progress(0, 0)):
            return explain(state.model.model, tree=X, class_=class_, top=_TOP), ""
    except (DataError, ValueError) as error:
        text = str(error)
        return Fragments(), f"{text[:1].upper()}{text[1:]}."


def _pictures(state: State, asked: Asked, fragments: Fragments) -> list[dict[str, Any]]:
    if state.model.is_pairs:
        trees = [trees[0] for trees in asked.trees.values()]
        return [{"column": "", "svg": pair_picture(trees, max_nodes=_DRAWN)}]
    found = []
    for column, own in asked.trees.items():
        try:
            colours = fragments.node_weights(column)
        except DataError:  # too large to be looked at node by node
            colours = {}
        found.append({"column": column_key(column), "svg": svg(own[0], colours, max_nodes=_DRAWN)})
    return found


def _text(tree: Forest) -> str:
    size = int(tree.sizes[0])
    return tree[0].to_brackets() if size <= _LARGEST else ""

"""One example: what the model predicts, and the evidence for and against it."""

from __future__ import annotations

import json
from typing import Any

from treekernels.data.forest import Forest
from treekernels.drawing import svg
from treekernels.errors import DataError
from treekernels.explanation.explain import explain
from treekernels.explanation.fragment import Fragments
from treekernels.explanation.searches.best_first import checked_by
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.state import State
from treekernels.explorer.views.shared.list_items import column_key, fragment_item
from treekernels.explorer.views.shared.placeholders import pair_picture
from treekernels.explorer.views.shared.question import (
    AskedExample,
    Question,
    asked_example,
    sentence,
    text_of,
)

_TOP = 12  # fragments for and against, each of which colours its nodes
_LARGEST = 5_000  # nodes of a tree that is explained
_DRAWN = 250  # nodes of a tree
_NAME = json.dumps("reasons")  # by which the page cancels it


def prediction(state: State, question: Question) -> dict[str, Any]:
    """Return the scores of all classes for an example, its picture, and the fragments."""
    asked = asked_example(state, question)
    model, corpus = state.model, state.corpus_if_read()
    X = model.example(asked.trees, corpus, asked.base)
    classes, scores = model.predict(X)
    predicted = classes[0]
    class_ = None  # the one to explain: that which is named, or else the predicted one
    if model.classes is not None:
        name = text_of(question, "class")
        class_ = next((known for known in model.classes if str(known) == name), predicted)
    job = _explain_in_background(state, X, asked, class_)
    status = job.status()
    explained = status["state"] == "done"
    fragments, note = job.result if explained else (Fragments(), "")
    if status["state"] == "failed" and job.error is not None:
        raise job.error
    answer: dict[str, Any] = {
        "predicted": f"{predicted:.4g}" if isinstance(predicted, float) else str(predicted),
        "scores": _score_items(state, None if scores is None else scores[0].tolist()),
        "class": None if class_ is None else str(class_),
        "pictures": _pictures(state, asked, fragments),
        "fragments": [fragment_item(fragment) for fragment in fragments],
        "notes": [*asked.notes, *([note] if note else [])],
        "trees": {column_key(column): _text(tree) for column, tree in asked.trees.items()},
        "size": asked.size,
        "explaining": None if explained else {**status, "name": _NAME},
    }
    if asked.row is not None and corpus is not None:
        answer["row"] = asked.row
        answer["place"] = corpus.place(asked.row)
        answer["label"] = corpus.label(asked.row)
        answer["examples"] = len(corpus)
    return answer


def _score_items(state: State, scores: list[float] | None) -> list[dict[str, Any]]:
    if scores is None or state.model.classes is None:
        return []
    both = zip(state.model.classes, scores, strict=True)
    return [{"class": str(name), "score": score} for name, score in both]


def _explain_in_background(state: State, X: Any, asked: AskedExample, class_: Any) -> Job:
    """Look for what decides: mostly at once, but rewrite rules take their time."""
    texts = tuple(_text(tree) for tree in asked.trees.values())
    name = ("reasons", *texts, asked.base, str(class_))
    if state.jobs.get(name) is None:
        state.jobs.cancel_all("reasons")  # the page no longer waits for another tree
    title = "Looking for what decides"
    return state.jobs.ensure(
        name, title, lambda job: _reasons(state, X, asked, class_, job), patience=0.6
    )


def _reasons(
    state: State, X: Any, asked: AskedExample, class_: Any, job: Job
) -> tuple[Fragments, str]:
    if asked.size > _LARGEST:
        return Fragments(), f"A tree of more than {_LARGEST:,} nodes is not explained here."
    try:
        with checked_by(lambda: job.progress(0, 0)):
            return explain(state.model.model, tree=X, class_=class_, top=_TOP), ""
    except (DataError, ValueError) as error:
        return Fragments(), sentence(error)


def _pictures(state: State, asked: AskedExample, fragments: Fragments) -> list[dict[str, Any]]:
    if state.model.is_pairs:
        trees = [trees[0] for trees in asked.trees.values()]
        return [{"column": "", "svg": pair_picture(trees, max_nodes=_DRAWN)}]
    pictures = []
    for column, tree in asked.trees.items():
        try:
            colours = fragments.node_weights(column)
        except DataError:  # too large to be looked at node by node
            colours = {}
        picture = svg(tree[0], colours, max_nodes=_DRAWN)
        pictures.append({"column": column_key(column), "svg": picture})
    return pictures


def _text(tree: Forest) -> str:
    return tree[0].to_brackets() if int(tree.sizes[0]) <= _LARGEST else ""

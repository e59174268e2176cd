"""The fragments of the model, and the examples that have one of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from itertools import islice, zip_longest
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.pairs import Pair, Pairs
from treekernels.drawing import svg
from treekernels.errors import DataError
from treekernels.explanation.fragment import Fragment
from treekernels.explanation.matching import occurrences
from treekernels.explanation.searches.best_first import checked_by
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job
from treekernels.explorer.session.state import Pending, State
from treekernels.explorer.views.shared.fragment_places import CorpusSubtrees
from treekernels.explorer.views.shared.list_items import (
    PAGE,
    column_key,
    example_item,
    fragment_item,
)
from treekernels.explorer.views.shared.placeholders import rule_places
from treekernels.explorer.views.shared.question import Question, flag_of, number_of, text_of

MOST = 400  # fragments of a class
MOST_IN_ALL = 4_000
_SORTS: dict[str, Callable[[Fragment], Any]] = {
    "weight": lambda fragment: -fragment.weight,
    "class": lambda fragment: (str(fragment.class_), -fragment.weight),
    "size": lambda fragment: (-fragment.size, -fragment.weight),
    "label": lambda fragment: (fragment.text.lower().lstrip("("), -fragment.weight),
}
_DRAWN = 120
_PICTURES = 6


def fragments(state: State, question: Question) -> dict[str, Any]:
    """Return a page of the heaviest fragments, as far as they have been found."""
    text = text_of(question, "text").strip()[:200]
    wanted = text_of(question, "class")
    sort = text_of(question, "sort", "weight")
    if sort not in _SORTS:
        raise DataError(f"fragments cannot be sorted by {sort!r}")
    name: Hashable = ("fragments", text, wanted) if text or wanted else "fragments"
    if state.jobs.get(name) is None and isinstance(name, tuple):
        state.jobs.cancel_all("fragments")  # the page no longer waits for another search
    job = state.jobs.ensure(
        name,
        "Looking for the heaviest fragments",
        lambda job: _heaviest(state, job, text, wanted),
    )
    status = job.status()
    if status["state"] == "failed" and job.error is not None:
        raise job.error
    complete = status["state"] == "done"
    listed: list[Fragment] | None = job.result if complete else job.partial
    if listed is None:
        raise Pending(name, job)
    rows = sorted(listed, key=_SORTS[sort])
    if flag_of(question, "reverse"):
        rows.reverse()
    first = number_of(question, "first", 0)
    return {
        "rows": [fragment_item(fragment) for fragment in rows[first : first + PAGE]],
        "first": first,
        "count": len(rows),
        "complete": complete,
        "most": MOST,
        "largest": max((fragment.weight for fragment in listed), default=1.0),
        "job": None if complete else {**status, "name": json.dumps(name)},
    }


def _heaviest(state: State, job: Job, text: str, wanted: str) -> list[Fragment]:
    """Return the heaviest fragments of the classes, by turns, so that all have some soon."""
    classes: list[Any] = [None] if state.model.classes is None else list(state.model.classes)
    if wanted:
        classes = [class_ for class_ in classes if str(class_) == wanted]
    most = min(MOST, max(20, MOST_IN_ALL // max(1, len(classes))))
    texts = re.findall(r"[^\s()]+", text)
    with checked_by(lambda: job.progress(job.done, job.total)):
        ranked = state.model.ranked()
        streams = [islice(ranked.of(class_, texts), most) for class_ in classes]
        total, fitting = most * len(streams), list[Fragment]()
        for turn in zip_longest(*streams):
            for fragment in turn:
                if fragment is None:
                    continue
                if "(" not in text or _flat(text) in _flat(fragment.text):
                    fitting.append(fragment)
                job.partial = list(fitting) if len(fitting) % 20 == 0 else job.partial
                job.progress(len(fitting), total)
        return fitting


def _flat(text: str) -> str:
    return " ".join(text.lower().split())


def places(state: State, question: Question) -> dict[str, Any]:
    """Return the examples that have a fragment, with the place marked in the first of them."""
    corpus = state.corpus()
    sides, column, partial, kind = _fragment(state, text_of(question, "key"))
    if len(sides) == 2:
        rows = state.result(
            ("rule", text_of(question, "key")),
            "Looking for the rule in the pairs",
            lambda job: _rows_with_rule(corpus, sides, job),
        )
    else:
        name = "subtrees" if column is None else f"subtrees of {column}"
        subtrees = state.result(
            name, "Listing subtrees", lambda job: CorpusSubtrees(corpus.trees[column])
        )
        rows = subtrees.rows_with(sides[0], partial=partial, kind=kind).tolist()
    label = text_of(question, "label")
    if label and corpus.labels is not None:
        rows = [row for row in rows if corpus.label(row) == label]
    first = number_of(question, "first", 0)
    return {
        "count": len(rows),
        "examples": len(corpus),
        "first": first,
        "labels": corpus.label_counts(rows)[:12],
        "rows": [
            {
                **example_item(corpus, row),
                "pictures": _marked(corpus, row, sides, column, partial, kind),
            }
            for row in rows[first : first + _PICTURES]
        ],
        "page": _PICTURES,
    }


def _fragment(state: State, key: str) -> tuple[list[Any], Any, bool, str | None]:
    try:
        texts, on, partial, kind = json.loads(key)
        forest = Forest.from_brackets([str(text) for text in texts])
    except (ValueError, TypeError) as error:
        raise DataError(f"this link names no fragment ({error})") from None
    if len(forest) not in (1, 2):
        raise DataError("this link names no fragment")
    columns = state.model.columns
    column = columns[0] if on is None else {column_key(name): name for name in columns}.get(on)
    return list(forest), column, partial is True, kind if isinstance(kind, str) else None


def _rows_with_rule(corpus: Corpus, sides: list[Any], job: Job) -> list[int]:
    pairs = _pairs(corpus)
    rows = []
    for row in range(len(pairs)):
        if rule_places(Pair(*sides), pairs[row]) is not None:
            rows.append(row)
        job.progress(row, len(pairs))
    return rows


def _pairs(corpus: Corpus) -> Pairs:
    if isinstance(corpus.X, Pairs):
        return corpus.X
    return Pairs(*list(corpus.trees.values())[:2])


def _marked(
    corpus: Corpus, row: int, sides: list[Any], column: Any, partial: bool, kind: str | None
) -> list[str]:
    """Return the pictures of an example with the nodes of a fragment marked."""
    if len(sides) == 2:
        pair = _pairs(corpus)[row]
        both = rule_places(Pair(*sides), pair) or ([], [])
        return [
            svg(tree, dict.fromkeys(nodes, "the rule"), max_nodes=_DRAWN)
            for tree, nodes in zip(pair, both, strict=True)
        ]
    tree = corpus.trees[column][row]
    try:
        spots = occurrences(sides[0], tree, partial=partial, kind=kind)
        nodes = [node for spot in spots for node in spot]
    except DataError:  # too large to be looked at node by node
        nodes = []
    return [svg(tree, dict.fromkeys(nodes, "the fragment"), max_nodes=_DRAWN)]

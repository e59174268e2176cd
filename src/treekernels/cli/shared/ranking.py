"""Rankings on the command line: their queries, and how good they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.columns import examples_for, kernel_for, same_width
from treekernels.cli.shared.data import Data, read_data
from treekernels.cli.shared.learners import make_learner
from treekernels.cli.shared.problem import Problem
from treekernels.common.numbers_in_words import count_noun
from treekernels.common.screen import Screen, new_table, plain
from treekernels.kernels.expressions.parsing import format_kernel
from treekernels.metrics import average_precision, ndcg, reciprocal_rank

__all__ = ["evaluate_ranking", "queries_of", "relevance_of"]


def queries_of(data: Data) -> NDArray[Any]:
    """Return the query of each example, from the column qid."""
    if "qid" not in data.table:
        raise Problem(
            f"a ranker needs to know which examples belong together, and {data.path} has no column "
            f"qid, only {', '.join(data.table.columns)}"
        )
    return np.asarray(data.table["qid"])


def relevance_of(data: Data) -> NDArray[np.float64]:
    """Return the labels as numbers."""
    try:
        return data.labels(several=False).astype(np.float64)
    except ValueError:
        raise Problem(
            f"a ranker learns from numbers, and the labels of {data.path} are not"
        ) from None


def evaluate_ranking(
    paths: Sequence[str],
    test: str | None,
    screen: Screen,
    *,
    kernel: str | None,
    C: float | None,
    jobs: int,
    folds: int,
    as_json: bool,
    reading: Mapping[str, Any],
) -> None:
    """Learn from some queries, rank the others, and say how good that is."""
    data = read_data(paths, screen, **reading)
    y, queries = relevance_of(data), queries_of(data)
    chosen, X = kernel_for(kernel, data)
    learner = make_learner("ranker", chosen, C=C, epochs=None, seed=0, jobs=jobs)
    if test is not None:
        others = read_data(test, screen, **reading)
        X, Z = same_width(X, examples_for(chosen, others))
        scores = learner.fit(X, y, groups=queries).predict(Z)
        y, queries = relevance_of(others), queries_of(others)
        how = f"trained on {data.path}, tested on {test}"
    else:
        scores, folds = _cross_validated(learner, X, y, queries, folds, screen)
        how = f"{count_noun(folds, 'fold')} of {data.path}"
    figures = {
        "ndcg": ndcg(y, scores, queries),
        "map": average_precision(y, scores, queries),
        "mrr": reciprocal_rank(y, scores, queries),
    }
    count = len(np.unique(queries))
    if as_json:
        about = {"data": data.path, "test": test, "learner": "ranker"}
        screen.json({**about, "kernel": format_kernel(chosen), "queries": count, **figures})
        return
    table = new_table("metric", ">mean of the queries")
    for name, value in figures.items():
        table.add_row(name.upper(), f"{value:.3f}")
    title = f"[bold]ranker with {plain(format_kernel(chosen))}[/bold], {plain(how)}"
    screen.show(title, table, f"{count_noun(count, 'query', 'queries')}, {len(y):,} examples")


def _cross_validated(
    learner: Any, X: Any, y: Any, queries: Any, folds: int, screen: Screen
) -> tuple[NDArray[np.float64], int]:
    """Score each query by what was learned from the others."""
    from sklearn.model_selection import GroupKFold

    count = len(np.unique(queries))
    if count < 2:
        raise Problem("there is one query only, too few for cross-validation")
    if count < folds:
        screen.note(f"There are only {count} queries: {count} folds are used instead.")
        folds = count
    scores = np.zeros(len(y))
    parts = list(GroupKFold(folds).split(np.zeros(len(y)), y, queries))
    with screen.progress("cross-validation") as progress:
        for number, (train, rest) in enumerate(parts):
            learner.fit(X[train], y[train], groups=queries[train])
            scores[rest] = learner.predict(X[rest])
            if progress is not None:
                progress(number + 1, folds)
    return scores, folds

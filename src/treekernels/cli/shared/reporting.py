"""The report of ``treekernels evaluate --report``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treekernels.cli.shared.scores import Scores
from treekernels.common.numbers_in_words import count_noun
from treekernels.common.screen import Screen, seconds

__all__ = ["report_scores"]


def report_scores(path: str, scores: Scores, seed: int, screen: Screen) -> None:
    """Write what an evaluation found to a page."""
    from treekernels.report import ScoreTable, study, write_report

    outcome = scores.outcome
    rows = [
        ["always the commonest class", f"{scores.majority:.3f}", _commonest_f1(scores)],
        [f"{scores.learner} with {scores.kernel}", f"{scores.accuracy:.3f}",
         f"{scores.macro_f1:.3f}"],
    ]  # fmt: skip
    note = ""
    if outcome.accuracies:
        spread = np.std(outcome.accuracies)
        note = f"The accuracies of the folds have a standard deviation of {spread:.3f}."
    with screen.progress("report") as moving:
        found = study(
            outcome.splits,
            ScoreTable(["", "accuracy", "macro F1"], rows, note),
            title=f"How well can the labels of {_short(scores.data)} be learned?",
            facts=_facts(scores),
            times={
                "learned in": seconds(outcome.fit_seconds),
                "predicted in": seconds(outcome.predict_seconds),
            },
            seed=seed,
            progress=moving,
        )
        write_report(path, found)
    screen.note(f"The report is in {path}.")


def _short(data: str) -> str:
    """Return the name of a file or folder without the way to it."""
    first, separator, others = data.partition(" and ")
    return f"{Path(first).name or first}{separator}{others}"


def _facts(scores: Scores) -> dict[str, str]:
    outcome = scores.outcome
    count = count_noun(len(outcome.expected), "example")
    if scores.test is None:
        tested = f"{count} of {scores.data}, in {count_noun(len(outcome.accuracies), 'fold')}"
    else:
        tested = f"{count} of {scores.test}"
    settings = outcome.splits[0].model.get_params(deep=False)
    shown = {name: settings[name] for name in ("C", "epochs", "average") if name in settings}
    return {
        "data": scores.data,
        "learned from": count_noun(outcome.learned_from, "example"),
        "tested on": tested,
        "kernel": scores.kernel,
        "learner": ", ".join(
            [type(outcome.splits[0].model).__name__, *(f"{k} {v}" for k, v in shown.items())]
        ),
    }


def _commonest_f1(scores: Scores) -> str:
    """Return the macro F1 of always naming the commonest class."""
    return f"{2 * scores.majority / (1 + scores.majority) / len(scores.classes):.3f}"

"""``treekernels predict MODEL DATA``."""

from __future__ import annotations

import sys
from typing import Any

import click

from treekernels.cli.options import data_options, jobs_option, json_option, quiet_option

__all__ = ["command"]


@click.command("predict")
@click.argument("model")
@click.argument("data")
@click.option("--scores", is_flag=True, help="Also give the score of each class.")
@data_options
@jobs_option
@json_option
@quiet_option
def command(
    model: str,
    data: str,
    scores: bool,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Print the label of each tree in DATA, one per line, as MODEL sees it.

    \b
    Examples:
      treekernels predict model.tkm new.tsv > labels.txt
      treekernels predict model.tkm new.txt --scores

    Where DATA has labels as well, a note says how many of them were met.
    """
    from treekernels.cli.columns import examples_for, fitted_width
    from treekernels.cli.data import read_data
    from treekernels.cli.learning import feature_counts
    from treekernels.cli.problem import Problem
    from treekernels.cli.screen import Screen
    from treekernels.persistence import load

    screen = Screen(quiet=quiet)
    loaded = load(model).set_params(n_jobs=jobs, verbose=screen.lively)
    examples = read_data(data, screen, **reading)
    X = examples_for(loaded._kernel(), examples)
    X = fitted_width(X, feature_counts(loaded), screen)
    if scores and not hasattr(loaded, "decision_function"):
        raise Problem(f"{model} predicts numbers, and has no scores of classes")
    predicted = loaded.predict(X)
    rows: list[list[Any]] = [[label] for label in predicted.tolist()]
    names: list[Any] = ["label"]
    if scores:
        values = loaded.decision_function(X)
        classes = loaded.classes_.tolist()
        names += classes if values.ndim == 2 else classes[1:]
        for row, more in zip(rows, values.reshape(len(rows), -1).tolist(), strict=True):
            row += more
    if as_json:
        screen.json([dict(zip(map(str, names), row, strict=True)) for row in rows])
    else:
        if scores:
            sys.stdout.write("\t".join(map(str, names)) + "\n")
        for row in rows:
            sys.stdout.write("\t".join([str(row[0]), *(f"{x:.6g}" for x in row[1:])]) + "\n")
    if examples.label is not None and hasattr(loaded, "classes_"):
        given = [str(label) for label in examples.table[examples.label]]
        right = sum(str(row[0]) == label for row, label in zip(rows, given, strict=True))
        if any(label.strip() for label in given):
            screen.note(
                f"{right:,} of {len(rows):,} labels in {data} met ({right / len(rows):.1%})."
            )

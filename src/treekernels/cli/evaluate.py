"""``treekernels evaluate DATA``."""

from __future__ import annotations

from typing import Any

import click

from treekernels.cli.shared.cluster import cluster_learner, cluster_options, lent_client
from treekernels.cli.shared.options import (
    data_argument,
    data_options,
    jobs_option,
    json_option,
    learner_options,
    quiet_option,
)

__all__ = ["command"]


@click.command("evaluate", short_help="Say how well labels can be learned.")
@data_argument()
@click.option("--test", metavar="FILE", help="File to test on, instead of cross-validation.")
@click.option(
    "--folds",
    metavar="NUMBER",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Number of parts for cross-validation.",
)
@click.option(
    "--report", metavar="FILE", help="File to write a page of tables and pictures to, in HTML."
)
@learner_options
@data_options
@jobs_option
@cluster_options
@json_option
@quiet_option
def command(
    data: tuple[str, ...],
    test: str | None,
    folds: int,
    report: str | None,
    kernel: str | None,
    learner: str,
    C: float | None,
    epochs: int | None,
    class_weights: tuple[str, ...],
    seed: int,
    checkpoint: str | None,
    jobs: int,
    scheduler: str | None,
    workers: int | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Say how well the labels in DATA can be learned from its trees.

    \b
    Examples:
      treekernels evaluate data.tsv
      treekernels evaluate train.tsv --test test.tsv
      treekernels evaluate data.tsv --kernel "ptk(0.4)" --folds 10
      treekernels evaluate data.tsv --report report.html
      treekernels evaluate english.conllu german.conllu --label file
      treekernels evaluate data.tsv --learner perceptron --json > result.json
      treekernels evaluate answers.svmlight --learner ranker

    Without --test, this is found out by cross-validation: DATA is divided into parts, and each part
    in turn is labelled by what was learned from the others.

    With --learner ranker, labels are numbers, examples with the same number in the column qid
    belong to one query, and you are told how well each query is ranked: NDCG, MAP and MRR.
    """
    from treekernels.cli.shared.columns import examples_for, kernel_for, same_width
    from treekernels.cli.shared.data import read_data
    from treekernels.cli.shared.learners import make_learner, weights_of_classes
    from treekernels.cli.shared.problem import Problem
    from treekernels.cli.shared.scores import Scores, cross_validated, folds_of, trained_and_tested
    from treekernels.common.optional import require
    from treekernels.common.screen import Screen
    from treekernels.kernels.expressions.parsing import format_kernel

    screen = Screen(quiet=quiet)
    if checkpoint is not None and test is None:
        raise Problem(
            "--checkpoint goes with --test: cross-validation learns several times over, and a "
            "checkpoint is of one"
        )
    if report is not None:
        require("jinja2", "report", "a report")  # before hours of learning
        require("matplotlib", "report", "a report")
    if learner == "ranker":
        if not (report is None and scheduler is None and workers is None):
            raise Problem("rankings are evaluated here, without --report and a cluster")
        from treekernels.cli.shared.ranking import evaluate_ranking

        evaluate_ranking(
            data, test, screen,
            kernel=kernel, C=C, jobs=jobs, folds=folds, as_json=as_json, reading=reading,
        )  # fmt: skip
        return
    keep = report is not None
    examples = read_data(data, screen, origin=keep, **reading)
    labels = examples.labels()
    chosen, X = kernel_for(kernel, examples)
    made = make_learner(
        learner,
        chosen,
        C=C,
        epochs=epochs,
        seed=seed,
        jobs=jobs,
        class_weight=weights_of_classes(class_weights, labels),
        checkpoint=checkpoint,
    )
    if report is not None and not (scheduler is None and workers is None):
        raise Problem("--report is made on this machine: leave out --scheduler and --workers")
    with lent_client(scheduler, workers) as client:
        if client is not None:
            made = cluster_learner(made, client, epochs)
        if test is not None:
            others = read_data(test, screen, origin=keep, **reading)
            expected = others.labels(several=False)
            X, Y = same_width(X, examples_for(chosen, others))
            made.verbose = screen.verbose
            where = others.places() if keep else None
            outcome = trained_and_tested(made, X, labels, Y, expected, keep=keep, where=where)
        else:
            parts = folds_of(labels, folds, seed, screen)
            with screen.progress("cross-validation") as moving:
                where = examples.places() if keep else None
                outcome = cross_validated(made, X, labels, parts, moving, keep=keep, where=where)
    scores = Scores(
        outcome, data=examples.path, test=test, learner=learner, kernel=format_kernel(chosen)
    )
    if report is not None:
        from treekernels.cli.shared.reporting import report_scores

        report_scores(report, scores, seed, screen)
    if as_json:
        screen.json(scores.as_json())
    else:
        scores.show(screen)

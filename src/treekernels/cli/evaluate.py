"""``treekernels evaluate DATA``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.cluster import cluster_learner, lent_client
from treekernels.cli.shared.problem import Problem
from treekernels.common.optional import require
from treekernels.common.screen import Screen, new_table, plain
from treekernels.common.text import count_noun

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Unpack


@click.command("evaluate", short_help="Say how well labels can be learned.")
@options.data_argument()
@options.file("--test", "File to test on, instead of using cross-validation.")
@options.number("--folds", help="Number of parts for cross-validation.", default=5, least=2)
@click.option(
    "--groups",
    metavar="COLUMN",
    help="Column by which examples belong together, such as the document that they come from: "
    "those of one group are always in the same part of cross-validation.",
)
@options.report
@options.learning
@options.reading
@options.running
def command(
    data: tuple[str, ...],
    test: str | None,
    folds: int,
    groups: str | None,
    report: str | None,
    learning: options.Learning,
    running: options.Running,
    **reading: Unpack[options.Reading],
) -> None:
    """Say how well the labels in DATA can be learned from its trees.

    \b
    Examples:
      treekernels evaluate data.tsv
      treekernels evaluate train.tsv --test test.tsv
      treekernels evaluate data.tsv --kernel "ptk(0.4)" --folds 10
      treekernels evaluate data.tsv --report report.html
      treekernels evaluate english.conllu german.conllu --label file
      treekernels evaluate sentences.tsv --groups document
      treekernels evaluate data.tsv --learner perceptron --json > result.json
      treekernels evaluate answers.svmlight --learner ranker

    Without --test, the command uses cross-validation: DATA is divided into parts, and each part in
    turn is labelled by what was learned from the others.

    With --learner ranker, labels are numbers, and examples with the same number in the column qid
    belong to one query. The command then prints how well queries are ranked: NDCG, MAP and MRR.
    """
    from treekernels.cli.shared.columns import examples_for, kernel_to_learn_with, same_width
    from treekernels.cli.shared.data import strangers
    from treekernels.cli.shared.learners import learned_kernel_text, make_learner
    from treekernels.cli.shared.reading import read_data
    from treekernels.cli.shared.scores import (
        Scores,
        chosen_kernels,
        cross_validated,
        folds_of,
        report_scores,
        trained_and_tested,
    )

    screen = Screen(quiet=running.quiet)
    if learning["checkpoint"] is not None and test is None:
        raise Problem(
            "--checkpoint goes with --test: cross-validation learns several times over, and a "
            "checkpoint is of one"
        )
    if groups is not None and test is not None:
        raise Problem("--groups is for cross-validation, and --test has a file of its own")
    if groups is not None and learning["learner"] == "ranker":
        raise Problem("a ranker keeps queries together, by the column qid: leave out --groups")
    if report is not None:
        require("jinja2", "report", "a report")  # before hours of learning
        require("matplotlib", "report", "a report")
    if learning["learner"] == "ranker":
        if report is not None or running.on_cluster:
            raise Problem("rankings are evaluated here, without --report and a cluster")
        _evaluate_ranking(data, test, screen, learning, running, folds, reading)
        return
    if report is not None and running.on_cluster:
        raise Problem("--report is made on this machine: leave out --scheduler and --workers")
    for_report = report is not None
    examples = read_data(data, screen, origin=for_report, **reading)
    labels = examples.labels()
    chosen, X = kernel_to_learn_with(learning["kernel"], examples)
    estimator = make_learner(learning, chosen, labels, jobs=running.jobs)
    with lent_client(running) as client:
        if client is not None:
            estimator = cluster_learner(estimator, client, learning["epochs"])
        if test is not None:
            others = read_data(test, screen, origin=for_report, **reading)
            expected = others.labels(several=False)
            sentence = strangers(expected.tolist(), test, labels.tolist(), examples.path)
            if sentence is not None:
                raise Problem(sentence)
            X, Y = same_width(X, examples_for(chosen, others))
            estimator.verbose = screen.verbose
            where = others.places() if for_report else None
            outcome = trained_and_tested(estimator, X, labels, Y, expected, where=where)
        else:
            kept = None if groups is None else examples.groups(groups)
            parts = folds_of(labels, folds, learning["seed"], screen, kept)
            where = examples.places() if for_report else None
            with screen.progress("cross-validation") as progress:
                outcome = cross_validated(estimator, X, labels, parts, progress, where=where)
    if test is None and outcome.kernels:
        kernel = chosen_kernels(outcome.kernels)
    else:
        kernel = (*outcome.kernels, learned_kernel_text(estimator, chosen))[0]
    scores = Scores(outcome, examples.path, test, learning["learner"], kernel)
    if report is not None:
        report_scores(report, scores, learning["seed"], screen)
    if running.as_json:
        screen.json(scores.as_json())
    else:
        scores.show(screen)


def _evaluate_ranking(
    paths: tuple[str, ...],
    test: str | None,
    screen: Screen,
    learning: options.Learning,
    running: options.Running,
    folds: int,
    reading: options.Reading,
) -> None:
    """Learn from some queries, rank the others, and say how good that is."""
    from treekernels.cli.shared.columns import examples_for, kernel_to_learn_with, same_width
    from treekernels.cli.shared.learners import learned_kernel_text, make_learner
    from treekernels.cli.shared.reading import read_data
    from treekernels.metrics import average_precision, ndcg, reciprocal_rank

    data = read_data(paths, screen, **reading)
    y, queries = data.relevance(), data.queries()
    chosen, X = kernel_to_learn_with(learning["kernel"], data)
    learner = make_learner(learning, chosen, y, jobs=running.jobs)
    if test is not None:
        others = read_data(test, screen, **reading)
        X, Z = same_width(X, examples_for(chosen, others))
        scores = learner.fit(X, y, groups=queries).predict(Z)
        y, queries = others.relevance(), others.queries()
        how = f"trained on {data.path}, tested on {test}"
    else:
        scores, folds = _cross_validated(learner, X, y, queries, folds, screen)
        how = f"{count_noun(folds, 'fold')} of {data.path}"
    figures = {
        "ndcg": ndcg(y, scores, queries),
        "map": average_precision(y, scores, queries),
        "mrr": reciprocal_rank(y, scores, queries),
    }
    kernel = "auto" if test is None and learning["kernel"] == "auto" else None
    kernel = kernel or learned_kernel_text(learner, chosen)
    count = len(set(queries.tolist()))
    if running.as_json:
        about = {"data": data.path, "test": test, "learner": "ranker"}
        screen.json({**about, "kernel": kernel, "queries": count, **figures})
        return
    table = new_table("metric", ">mean of the queries")
    for name, value in figures.items():
        table.add_row(name.upper(), f"{value:.3f}")
    title = f"[bold]ranker with {plain(kernel)}[/bold], {plain(how)}"
    screen.show(title, table, f"{count_noun(count, 'query', 'queries')}, {len(y):,} examples")


def _cross_validated(
    learner: Any, X: Any, y: Any, queries: Any, folds: int, screen: Screen
) -> tuple[NDArray[np.float64], int]:
    """Score each query by what was learned from the others."""
    import numpy as np
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

"""``treekernels fit DATA MODEL``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.cluster import cluster_learner, lent_client
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.common.screen import Screen
from treekernels.common.text import byte_count, count_noun, printable, seconds

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("fit", short_help="Learn from labelled trees, and save a model.")
@options.data_argument(ends_with="MODEL")
@click.argument("model")
@options.learning
@options.reading
@options.running
def command(
    data: tuple[str, ...],
    model: str,
    learning: options.Learning,
    running: options.Running,
    **reading: Unpack[options.Reading],
) -> int:
    """Learn from the labelled trees in DATA, and save the result in the file MODEL.

    \b
    Examples:
      treekernels fit data.tsv model.tkm
      treekernels fit data.tsv model.tkm --kernel "sst(0.3)" --C 5
      treekernels fit rare.tsv model.tkm --class-weight balanced
      treekernels fit large.tsv.gz model.tkm --checkpoint learning.tkm
      treekernels fit stream.tsv.gz model.tkm --learner perceptron
      treekernels fit large.tsv.gz model.tkm --workers 8
      treekernels fit answers.svmlight model.tkm --learner ranker
      treekernels fit data.svmlight model.tkm -k "0.6*sst(on=tree1) + poly(3)"
      treekernels fit pages/ model.tkm --label folder
      treekernels fit english.conllu german.conllu model.tkm --label file
      treekernels fit reviews.csv model.tkm --parser spacy:en_core_web_sm --label stars

    If you press Ctrl-C, what has been learned by then is saved in MODEL, and the exit code is 130.

    The model is a file of plain data, and nothing in it is ever executed. It remembers the options
    given with -o that shape trees, such as each=function, and the parser of texts, so that the
    other commands read new data in the same way.
    """
    from treekernels.cli.shared.columns import kernel_to_learn_with
    from treekernels.cli.shared.learners import learned_kernel_text, make_learner
    from treekernels.cli.shared.reading import read_data, remember_reading
    from treekernels.io.files.container import is_container
    from treekernels.persistence import save

    screen = Screen(quiet=running.quiet)
    check_folder(model)
    if len(data) > 1 and Path(model).is_file() and not is_container(model):
        raise Problem(
            f"{model} is there already and is not a model: the last name is that of the model to "
            "write, so give another"
        )
    examples = read_data(data, screen, **reading)
    ranks = learning["learner"] == "ranker"
    labels = examples.relevance() if ranks else examples.labels()
    chosen, X = kernel_to_learn_with(learning["kernel"], examples)
    estimator = make_learner(learning, chosen, labels, jobs=running.jobs, verbose=screen.verbose)
    start = time.perf_counter()
    with lent_client(running) as client:
        if client is not None:
            estimator = cluster_learner(estimator, client, learning["epochs"])
        queries = {"groups": examples.queries()} if ranks else {}
        interrupted = False
        try:
            estimator.fit(X, labels, **queries)
        except KeyboardInterrupt:
            interrupted = True
    taken = time.perf_counter() - start
    if interrupted and not hasattr(estimator, "n_model_nodes_"):
        click.echo("Interrupted before anything was learned; no model was saved.", err=True)
        return 130
    fitted = estimator if client is None else estimator.to_local()
    remember_reading(fitted, data, reading, examples.parsed)
    save(fitted, model)
    size = Path(model).stat().st_size
    kernel = learned_kernel_text(fitted, chosen)
    if fitted.selection_ is not None and not screen.verbose:  # the learner has said it itself
        screen.note(f"{fitted.selection_.for_command}.")
    if interrupted:
        click.echo(_farewell(model, learning["checkpoint"]), err=True)
    if running.as_json:
        screen.json(
            {
                "model": model,
                "interrupted": interrupted,
                "examples": len(examples),
                "classes": [] if ranks else estimator.classes_.tolist(),
                "kernel": kernel,
                "learner": learning["learner"],
                "seconds": taken,
                "model_nodes": estimator.n_model_nodes_,
                "bytes": size,
            }
        )
    elif not interrupted:
        learned = (
            count_noun(estimator.n_pairs_, "preference")
            if ranks
            else count_noun(len(estimator.classes_), "class", "classes")
        )
        screen.note(
            f"Learned {learned} from {count_noun(len(examples), 'example')} with "
            f"{kernel} in {seconds(taken)}.\n"
            f"Saved {model} ({byte_count(size)}). Next: treekernels predict {model} NEW_DATA"
        )
    return 130 if interrupted else 0


def _farewell(model: str, checkpoint: str | None) -> str:
    """Say what an interrupted command has saved, and how to go on."""
    saved = f"Interrupted: what was learned so far is saved in {model}, and can be used as it is"
    if checkpoint is None:
        go_on = "with --checkpoint FILE, the same command could go on later"
    elif Path(checkpoint).exists():
        go_on = f"the same command goes on from {checkpoint}"
    else:
        go_on = "the checkpoint had not been written yet, so the same command begins anew"
    return printable(f"{saved}; {go_on}.")

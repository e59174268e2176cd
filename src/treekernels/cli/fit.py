"""``treekernels fit DATA MODEL``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from treekernels.cli.options import (
    data_argument,
    data_options,
    jobs_option,
    json_option,
    learner_options,
    quiet_option,
)

__all__ = ["command"]


@click.command("fit", short_help="Learn from labelled trees, and save a model.")
@data_argument()
@click.argument("model")
@learner_options
@data_options
@jobs_option
@json_option
@quiet_option
def command(
    data: tuple[str, ...],
    model: str,
    kernel: str | None,
    learner: str,
    C: float | None,
    epochs: int | None,
    seed: int,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Learn from the labelled trees in DATA, and save the result in the file MODEL.

    \b
    Examples:
      treekernels fit data.tsv model.tkm
      treekernels fit data.tsv model.tkm --kernel "sst(0.3)" --C 5
      treekernels fit stream.tsv.gz model.tkm --learner perceptron
      treekernels fit data.svmlight model.tkm -k "0.6*sst(on=tree1) + poly(3)"
      treekernels fit pages/ model.tkm --label folder
      treekernels fit english.conllu german.conllu model.tkm --label file

    The model is one file of plain data: nothing in it is ever executed.
    """
    from treekernels.cli.columns import kernel_for
    from treekernels.cli.data import read_data
    from treekernels.cli.learning import make_learner
    from treekernels.cli.problem import Problem
    from treekernels.common.screen import Screen, file_size, seconds
    from treekernels.common.wording import count_noun
    from treekernels.io.container import is_container
    from treekernels.kernels.expression import format_kernel
    from treekernels.persistence import save

    screen = Screen(quiet=quiet)
    if not Path(model).absolute().parent.is_dir():
        raise Problem(f"there is no folder {Path(model).parent} to put the model in")
    if len(data) > 1 and Path(model).is_file() and not is_container(model):
        raise Problem(
            f"{model} is there already and is not a model: the last name is that of the model to "
            "write, so give another"
        )
    examples = read_data(data, screen, **reading)
    labels = examples.labels()
    chosen, X = kernel_for(kernel, examples)
    made = make_learner(
        learner, chosen, C=C, epochs=epochs, seed=seed, jobs=jobs, verbose=screen.verbose
    )
    start = time.perf_counter()
    made.fit(X, labels)
    taken = time.perf_counter() - start
    save(made, model)
    if as_json:
        screen.json(
            {
                "model": model,
                "examples": len(examples),
                "classes": [_plain(label) for label in made.classes_],
                "kernel": format_kernel(chosen),
                "learner": learner,
                "seconds": taken,
                "model_nodes": made.n_model_nodes_,
                "bytes": Path(model).stat().st_size,
            }
        )
        return
    screen.note(
        f"Learned {count_noun(len(made.classes_), 'class', 'classes')} from "
        f"{count_noun(len(examples), 'example')} with {format_kernel(chosen)} "
        f"in {seconds(taken)}.\n"
        f"Saved {model} ({file_size(model)}). Next: treekernels predict {model} NEW_DATA"
    )


def _plain(label: Any) -> Any:
    return label.item() if hasattr(label, "item") else label

"""``treekernels predict MODEL DATA``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.cluster import lent_client
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("predict", short_help="Label trees with a model.")
@click.argument("model")
@options.data_argument()
@click.option(
    "--scores", is_flag=True, help="Also print the scores of the classes, in further columns."
)
@options.reading
@options.running
def command(
    model: str,
    data: tuple[str, ...],
    scores: bool,
    running: options.Running,
    **reading: Unpack[options.Reading],
) -> None:
    """Print the label of each tree in DATA, one per line, as MODEL sees it.

    \b
    Examples:
      treekernels predict model.tkm new.tsv > labels.txt
      treekernels predict model.tkm new.txt --scores

    If DATA has labels, a note says how many of them agree with the predictions. If DATA consists of
    several files, each label is followed by a tab and by the file and line of its tree; with
    --json, there is then an object with label, file and line for each tree.
    """
    from treekernels.cli.shared.columns import examples_for, fitted_width
    from treekernels.cli.shared.data import strangers
    from treekernels.cli.shared.reading import as_remembered, read_data
    from treekernels.persistence import load

    screen = Screen(quiet=running.quiet)
    loaded = load(model).set_params(n_jobs=running.jobs, verbose=screen.verbose)
    examples = read_data(data, screen, **as_remembered(loaded, data, reading, screen))
    X = examples_for(loaded.kernel_, examples)
    X = fitted_width(X, loaded.feature_counts(), screen)
    if scores and not hasattr(loaded, "decision_function"):
        raise Problem(f"{model} predicts numbers, and has no scores of classes")
    with lent_client(running) as client:
        predicted = _apply(loaded, "predict", X, client).tolist()
        scored = _scores(loaded, X, client) if scores else [{} for _ in predicted]
    origins = _origins(examples.table)
    rows = list(zip(predicted, scored, origins, strict=True))
    if running.as_json:
        objects = [
            {"label": label, **({"scores": by_class} if scores else {}), **origin}
            for label, by_class, origin in rows
        ]
        screen.json(objects if scores or any(origins) else predicted)
    else:
        if scores:
            screen.lines(["\t".join(["label", *scored[0], *(["file"] if any(origins) else [])])])
        for label, by_class, origin in rows:
            figures = [f"{score:.6g}" for score in by_class.values()]
            place = [":".join(map(str, origin.values()))] if origin else []
            screen.lines(["\t".join([str(label), *figures, *place])])
    if examples.label is not None and hasattr(loaded, "classes_"):
        expected = [str(label) for label in examples.table[examples.label]]
        right = sum(str(a) == b for a, b in zip(predicted, expected, strict=True))
        if any(label.strip() for label in expected):
            classes = loaded.classes_.tolist()
            sentence = strangers(filter(str.strip, expected), examples.path, classes, "the model")
            if sentence is not None:
                screen.note(f"{sentence[0].upper()}{sentence[1:]}.")
                return
            share = f"{right:,} of {len(expected):,} ({right / len(expected):.1%})"
            screen.note(f"{share} agree with the labels in {examples.path}.")


def _origins(table: Any) -> list[dict[str, Any]]:
    """Return the file, and as far as it is known the line, of each example of several files."""
    names = [name for name in ("file", "line") if name in table and "file" in table]
    columns = [table[name].tolist() for name in names]
    if not names:
        return [{} for _ in range(len(table))]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _apply(model: Any, method: str, X: Any, client: Any) -> Any:
    """Call a method of a model, here or on a cluster."""
    if client is None:
        return getattr(model, method)(X)
    import treekernels.dask as tkd

    bare = model.set_params(n_jobs=None, verbose=False)
    return getattr(tkd, method)(bare, X, client=client).compute()


def _scores(model: Any, X: Any, client: Any) -> list[dict[str, float]]:
    """Return the scores of each example by class; of two classes, only the second has one."""
    values = _apply(model, "decision_function", X, client)
    classes = [str(label) for label in model.classes_][0 if values.ndim == 2 else 1 :]
    rows = values.reshape(len(values), -1).tolist()
    return [dict(zip(classes, row, strict=True)) for row in rows]

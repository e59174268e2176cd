"""``treekernels explain MODEL``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen, new_table, plain

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.explanation.fragment import Fragment, Fragments


@click.command("explain", short_help="List the fragments that decide.")
@click.argument("model")
@options.data_argument(required=False)
@options.number(
    "--example", help="Explain the prediction for this example of DATA, counted from 1."
)
@click.option("--of", "tree_text", metavar="TREE", help="Explain the prediction for this tree.")
@click.option(
    "--class", "class_", metavar="LABEL", help="List only the fragments that speak for this class."
)
@options.number(
    "--top", help="Number of fragments to list for each class and direction.", default=10
)
@options.reading
@options.json
@options.quiet
def command(
    model: str,
    data: tuple[str, ...],
    example: int | None,
    tree_text: str | None,
    class_: str | None,
    top: int,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """List the fragments with the largest weights in MODEL, or in one of its predictions.

    \b
    Examples:
      treekernels explain model.tkm
      treekernels explain model.tkm --class question --top 20
      treekernels explain model.tkm --of "(S (NP (N dogs)) (VP (V bark)))"
      treekernels explain model.tkm new.tsv --example 3

    The weights are exact. Those of a prediction say what each fragment adds to the score of the
    class or, if they are below zero, takes from it. The tree is drawn below them: each node has its
    share of the weights of the fragments that are listed.
    """
    from treekernels.explanation.explain import explain
    from treekernels.persistence import load

    screen = Screen(quiet=quiet)
    if (not data) != (example is None):
        raise Problem("DATA and --example NUMBER go together: they say which prediction is meant")
    if bool(data) and tree_text is not None:
        raise Problem("one prediction is explained at a time: give --of or DATA, not both")
    loaded = load(model)
    tree = _example(loaded, data, example, tree_text, screen, reading)
    fragments = explain(loaded, tree=tree, top=top, class_=_class(loaded, class_))
    if as_json:
        screen.json([_row(fragment) for fragment in fragments])
        return
    if not fragments:
        screen.note("No fragment has a weight above zero.")
    _show(fragments, tree is not None, screen)


def _example(
    model: Any,
    data: tuple[str, ...],
    example: int | None,
    text: str | None,
    screen: Screen,
    reading: options.Reading,
) -> Any:
    """Return the example whose prediction is to be explained, None for the whole model."""
    from treekernels.cli.shared.columns import examples_for, fitted_width
    from treekernels.cli.shared.reading import as_remembered, one_tree, read_data

    if text is not None:
        return one_tree(text, screen, **as_remembered(model, [text], reading, screen))
    if not data or example is None:
        return None
    examples = read_data(data, screen, **as_remembered(model, data, reading, screen))
    if example > len(examples):
        raise Problem(f"{examples.path} has {len(examples):,} examples, and no example {example:,}")
    X = fitted_width(examples_for(model.kernel_, examples), model.feature_counts(), screen)
    return X[example - 1 : example]


def _class(model: Any, name: str | None) -> Any:
    """Return the class that a person means."""
    if name is None:
        return None
    classes = getattr(model, "classes_", ())
    for known in classes:
        if str(known) == name:
            return known
    has = ", ".join(map(str, classes))
    raise Problem(f"the model has no class {name!r}" + (f"; it has {has}" if has else ""))


def _row(fragment: Fragment) -> dict[str, Any]:
    class_ = getattr(fragment.class_, "item", lambda: fragment.class_)()
    return {
        "class": class_,
        "weight": fragment.weight,
        "fragment": str(fragment.fragment) if fragment.kind else fragment.text,
        "kind": fragment.kind,
        "size": fragment.size,
        "trees": fragment.trees,
        "column": fragment.on,
    }


def _show(fragments: Fragments, prediction: bool, screen: Screen) -> None:
    columns = ["column"] if fragments.names_columns else []
    for class_ in dict.fromkeys(fragment.class_ for fragment in fragments):
        title = None if class_ is None else plain(str(class_))
        weight = ">adds" if prediction else ">weight"
        table = new_table(weight, ">trees", *columns, "fragment", title=title)
        for fragment in fragments:
            if fragment.class_ == class_:
                trees = "" if fragment.trees is None else f"{fragment.trees:,}"
                column = [plain(str(fragment.on))] if columns else []
                table.add_row(f"{fragment.weight:+.4f}", trees, *column, plain(fragment.text))
        screen.show(table)
    screen.show(*fragments.drawings())

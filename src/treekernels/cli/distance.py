"""``treekernels distance TREE TREE``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("distance", short_help="Say what it takes to turn one tree into another.")
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="TREE")
@click.option("--insert", type=float, default=1.0, help="Cost to insert a node; 1 by default.")
@click.option("--delete", type=float, default=1.0, help="Cost to delete a node; 1 by default.")
@click.option(
    "--rename",
    default="1",
    metavar="COST",
    help="Cost to rename a node, a number; or 'text' for the share of changed characters.",
)
@options.file("--svg", "File to draw both trees into, with what is edited in colour.")
@options.file_format
@options.reader
@options.json
@options.quiet
def command(
    tree: str,
    other: str,
    insert: float,
    delete: float,
    rename: str,
    svg: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Say what it takes to turn one tree into another: their edit distance.

    \b
    Examples:
      treekernels distance "(S (NP we) (VP run))" "(S (NP they) (VP (V run)))"
      treekernels distance old.py new.py --svg both.svg
      treekernels distance "(A kitten)" "(A sitting)" --rename text

    A TREE is written in brackets, or is a file that holds one tree. An edit inserts a node, deletes
    one, whose children then take its place, or renames one. With --quiet, you see the number alone.
    """
    from treekernels.cli.shared.reading import one_tree
    from treekernels.distance.script import cost_text, edit_script
    from treekernels.io.files.atomic import write_lines

    screen = Screen(quiet=quiet)
    costs = {"insert": insert, "delete": delete, "rename": _rename_cost(rename)}
    first, second = (one_tree(text, screen, **reading)[0] for text in (tree, other))
    script = edit_script(first, second, **costs)
    if svg is not None:
        write_lines(svg, script.to_svg(background=True).splitlines())
        screen.note(f"The picture is in {svg}.")
    if as_json:
        screen.json(script.to_dict())
    else:
        click.echo(cost_text(script.distance) if quiet else str(script))


def _rename_cost(text: str) -> float | str:
    if text == "text":
        return text
    try:
        return float(text)
    except ValueError:
        raise Problem(f"--rename is a number or 'text', and not {text!r}") from None

"""``treekernels compare TREE TREE``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.common.screen import Screen

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.explanation.compare import Comparison

_TOP = 10  # shared fragments, for scripts


@click.command("compare", short_help="Say how similar two trees are.")
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="TREE")
@click.option(
    "--kernel",
    "-k",
    "kernels",
    metavar="EXPRESSION",
    multiple=True,
    help="Kernel to compare the trees with instead of all of them; may be repeated.",
)
@click.option("--edit", is_flag=True, help="Also say what has to be changed: the edit distance.")
@options.file("--svg", "File to draw both trees into, with the parts that they share in colour.")
@options.file_format
@options.reader
@options.json
@options.quiet
def command(
    tree: str,
    other: str,
    kernels: tuple[str, ...],
    edit: bool,
    svg: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Say how similar two trees are, under every kernel, and show what they share.

    \b
    Examples:
      treekernels compare "(S (NP (D the) (N dog)) (V ran))" "(S (NP (D a) (N dog)) (V ran))"
      treekernels compare old.py new.py --svg both.svg
      treekernels compare "(A b c)" "(A b d)" --kernel "ptk(0.5)" --kernel "st + sst"

    A TREE is written in brackets, or is a file that holds one tree. The last column is normalised:
    it is 1 for equal trees, and 0 for trees that share nothing. Below the table you see the largest
    fragments that the trees share, for the first sst kernel that you name, or for sst with its
    default decay of 0.4. The weight of a fragment counts all its parts as well, so that the weights
    add up to the value of that kernel.
    """
    from treekernels.cli.shared.reading import one_tree
    from treekernels.explanation.compare import compare
    from treekernels.io.files.atomic import write_lines

    screen = Screen(quiet=quiet)
    first, second = (one_tree(text, screen, **reading)[0] for text in (tree, other))
    comparison = compare(first, second, kernel=list(kernels) or None, edit=edit)
    if comparison.note:
        screen.note(comparison.note)
    if svg is not None:
        write_lines(svg, comparison.to_svg(background=True).splitlines())
        screen.note(f"The picture is in {svg}.")
    if as_json:
        screen.json(_contents(comparison))
    else:
        screen.show(comparison.table() if quiet else comparison)


def _contents(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data."""
    edits = {} if comparison.edits is None else {"edits": comparison.edits.to_dict()}
    return {
        "trees": [tree.to_brackets() for tree in comparison.trees],
        "kernels": [
            {
                "kernel": row.name,
                "counts": row.counts,
                "value": row.value,
                "normalized": row.normalized,
            }
            for row in comparison.similarities
        ],
        "shared": [
            {"fragment": str(part.fragment), "weight": part.weight, "places": len(part.places)}
            for part in comparison.shared[:_TOP]
        ],
        **edits,
    }

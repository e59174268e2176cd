"""``treekernels compare TREE TREE``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.options import format_option, json_option, quiet_option, reader_option

if TYPE_CHECKING:
    from treekernels.common.screen import Screen
    from treekernels.data.forest import Forest
    from treekernels.explanation.matching import SharedFragment
    from treekernels.kernels import Kernel

__all__ = ["command"]

_TOP = 10
_DECAY = 0.4

_KERNELS = {
    "st": "subtrees",
    "sst": "parts made of whole productions",
    "sst(leaf_weight=1)": "the same, and words",
    "ptk": "any connected parts",
    "elastic": "parts that may skip levels",
    "subpath": "paths down",
}


@click.command("compare", short_help="Say how similar two trees are.")
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="TREE")
@click.option(
    "--kernel",
    "-k",
    "kernels",
    metavar="EXPRESSION",
    multiple=True,
    help="Kernel to use instead of the usual ones; may be repeated.",
)
@click.option("--svg", metavar="FILE", help="Also draw both trees, with what they share coloured.")
@format_option
@reader_option
@json_option
@quiet_option
def command(
    tree: str,
    other: str,
    kernels: tuple[str, ...],
    svg: str | None,
    format_: str | None,
    reader_options: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how similar two trees are, under every kernel, and show what they share.

    \b
    Examples:
      treekernels compare "(S (NP (D the) (N dog)) (V ran))" "(S (NP (D a) (N dog)) (V ran))"
      treekernels compare old.py new.py --svg both.svg
      treekernels compare "(A b c)" "(A b d)" --kernel "ptk(0.5)" --kernel "st + sst"

    A TREE is in brackets, or a file that holds one. The last column is normalised: 1 for equal
    trees, 0 for those that share nothing. The fragments are the largest that the trees share, for
    sst with decay 0.4; their weights, which count the parts of each as well, add up to its value.
    """
    from treekernels.cli.one_tree import one_tree
    from treekernels.common.screen import Screen, new_table, plain
    from treekernels.data.forest import Forest
    from treekernels.kernels.expression import parse_kernel

    screen = Screen(quiet=quiet)
    both = Forest.concatenate(
        [one_tree(text, screen, format_, reader_options) for text in (tree, other)]
    )
    rows: list[dict[str, Any]] = []
    for expression in kernels or _KERNELS:
        value, ratio = _values(parse_kernel(expression), both)
        rows.append(
            {
                "kernel": expression,
                "counts": _KERNELS.get(expression, ""),
                "value": value,
                "normalized": ratio,
            }
        )
    shared = _shared(both, screen)
    if svg is not None:
        _draw(svg, both, shared)
        screen.note(f"The picture is in {svg}.")
    if as_json:
        listed = [
            {"fragment": str(one.fragment), "weight": one.weight, "places": len(one.places)}
            for one in shared[:_TOP]
        ]
        screen.json({"trees": both.to_brackets(), "kernels": rows, "shared": listed})
        return
    table = new_table("kernel", "what is shared", ">value", ">normalised")
    for row in rows:
        shown = "too large" if row["value"] is None else f"{row['value']:.6g}"
        table.add_row(plain(row["kernel"]), row["counts"], shown, _ratio(row["normalized"]))
    if not quiet:
        sizes = both.sizes.tolist()
        screen.show(f"{_short(both, 0)}  ({sizes[0]:,} nodes)")
        screen.show(f"{_short(both, 1)}  ({sizes[1]:,} nodes)")
    screen.show(table)
    if not quiet:
        _show(shared, screen)


def _shared(both: Forest, screen: Screen) -> list[SharedFragment]:
    """Return the shared fragments; of trees that are too large for that, say so and give none."""
    from treekernels.explanation.matching import shared_fragments

    try:
        return shared_fragments(both[0], both[1], _DECAY)
    except ValueError as error:
        screen.note(f"The shared fragments are not listed: {error}.")
        return []


def _show(shared: list[SharedFragment], screen: Screen) -> None:
    """List shared fragments, the heaviest first, each drawn."""
    from treekernels.common.screen import plain
    from treekernels.common.wording import count_noun
    from treekernels.drawing import text

    for number, one in enumerate(shared[:_TOP], start=1):
        times = "" if len(one.places) == 1 else f", {len(one.places):,} times"
        size = count_noun(one.size, "production")
        screen.show(f"[bold]{number}.[/bold] weight {one.weight:.4g}, {size}{times}")
        lines = text(one.fragment).splitlines()
        screen.show(plain("\n".join(f"   {line}" for line in lines)))
    if len(shared) > _TOP:
        screen.show(f"... and {len(shared) - _TOP:,} more shared fragments")


def _draw(path: str, both: Forest, shared: list[SharedFragment]) -> None:
    """Draw both trees; a node has the colour of the heaviest shared fragment that it is part of."""
    from treekernels.drawing import svg_of_several
    from treekernels.drawing.colours import GROUPS
    from treekernels.io.atomic import write_lines

    colours: tuple[dict[int, object], dict[int, object]] = ({}, {})
    for number, one in enumerate(shared, start=1):
        name = f"shared fragment {number}" if number < len(GROUPS) else "other shared fragments"
        for places in one.places:
            for side, nodes in zip(colours, places, strict=True):
                for node in nodes:
                    side.setdefault(node, name)
    picture = svg_of_several(
        list(both), colours, title="Two trees, with what they share coloured", background=True
    )
    write_lines(path, picture.splitlines())


def _ratio(value: float) -> str:
    """Write a value from 0 to 1, small ones so that they differ from 0."""
    return f"{value:.4f}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _short(forest: Forest, place: int) -> str:
    from treekernels.common.screen import plain

    text = forest[place].to_brackets()
    return plain(text if len(text) <= 90 else f"{text[:87]}...")


def _values(kernel: Kernel, both: Forest) -> tuple[float | None, float]:
    """Return the value without normalisation, None if it is too large, and with it."""
    from treekernels.errors import KernelOverflowError
    from treekernels.kernels import NormalizedKernel

    try:
        value = float(_with(kernel, normalize=False)(both[:1], both[1:])[0, 0])
    except KernelOverflowError:
        value = None
    if getattr(kernel, "normalize", None) is None:
        kernel = NormalizedKernel(kernel)
    return value, float(_with(kernel, normalize=True)(both[:1], both[1:])[0, 0])


def _with(kernel: Any, *, normalize: bool) -> Kernel:
    """Return a tree kernel with or without normalisation, and any other as it is."""
    if not hasattr(kernel, "normalize"):
        same: Kernel = kernel
        return same
    changed: Kernel = type(kernel)(**{**kernel.get_params(deep=False), "normalize": normalize})
    return changed

"""``treekernels compare TREE TREE``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.options import format_option, json_option, quiet_option, reader_option

if TYPE_CHECKING:
    from treekernels.forest import Forest
    from treekernels.kernels import Kernel

__all__ = ["command"]

_KERNELS = {
    "st": "subtrees",
    "sst": "parts made of whole productions",
    "sst(leaf_weight=1)": "the same, and words",
    "ptk": "any connected parts",
    "elastic": "parts that may skip levels",
}


@click.command("compare", short_help="Say how similar two trees are.")
@click.argument("tree", metavar="TREE")
@click.argument("other", metavar="TREE")
@click.option(
    "--kernel", "-k", "kernels", metavar="EXPRESSION", multiple=True, help="Instead; repeatable."
)
@format_option
@reader_option
@json_option
@quiet_option
def command(
    tree: str,
    other: str,
    kernels: tuple[str, ...],
    format_: str | None,
    reader_options: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Say how similar two trees are, under every kernel.

    \b
    Examples:
      treekernels compare "(S (NP (D the) (N dog)) (V ran))" "(S (NP (D a) (N dog)) (V ran))"
      treekernels compare old.py new.py
      treekernels compare "(A b c)" "(A b d)" --kernel "ptk(0.5)" --kernel "st + sst"

    A TREE is in brackets, or a file that holds one. The last column is normalised: 1 for equal
    trees, 0 for those that share nothing.
    """
    from treekernels.cli.one_tree import one_tree
    from treekernels.cli.screen import Screen, new_table, plain
    from treekernels.forest import Forest
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
    if as_json:
        screen.json({"trees": both.to_brackets(), "kernels": rows})
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


def _ratio(value: float) -> str:
    """Write a value from 0 to 1, small ones so that they differ from 0."""
    return f"{value:.4f}" if value == 0 or value >= 0.001 else f"{value:.1e}"


def _short(forest: Forest, place: int) -> str:
    from treekernels.cli.screen import plain

    text = forest[place].to_brackets()
    return plain(text if len(text) <= 90 else f"{text[:87]}...")


def _values(kernel: Kernel, both: Forest) -> tuple[float | None, float]:
    """Give the value without normalisation, None if it is too large, and with it."""
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
    """Give a tree kernel with or without normalisation, and any other as it is."""
    if not hasattr(kernel, "normalize"):
        same: Kernel = kernel
        return same
    changed: Kernel = type(kernel)(**{**kernel.get_params(deep=False), "normalize": normalize})
    return changed

"""``treekernels bench``: how fast the kernels are on this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared.options import (
    data_argument,
    format_option,
    jobs_option,
    json_option,
    kernels_option,
    quiet_option,
    reader_option,
    skip_bad_option,
    tree_option,
)

if TYPE_CHECKING:
    from treekernels.data.forest import Forest
    from treekernels.kernels import Kernel

__all__ = ["command"]

_KERNELS = ("st", "sst", "subpath", "ptk", "elastic")


@click.command("bench", short_help="Measure how fast kernels are here.")
@data_argument(required=False)
@kernels_option
@click.option(
    "--seconds",
    "limit",
    metavar="NUMBER",
    type=click.FloatRange(min=0, min_open=True),
    default=2.0,
    show_default=True,
    help="Time to spend on each kernel, in seconds, about.",
)
@tree_option
@format_option
@reader_option
@skip_bad_option
@jobs_option
@json_option
@quiet_option
def command(
    data: tuple[str, ...],
    kernels: tuple[str, ...],
    limit: float,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Measure how fast the kernels are here, on DATA or on functions of Python's library.

    \b
    Examples:
      treekernels bench
      treekernels bench data.tsv --kernel "sst(0.3)" --jobs 1

    The command takes as many trees as fit into the time, and reports the best of three runs.
    """
    from treekernels.cli.shared.data import read_data
    from treekernels.common.screen import Screen, new_table, plain
    from treekernels.kernels.expressions.parsing import parse_kernel

    screen = Screen(quiet=quiet)
    if not data:
        from treekernels.demo import functions

        forest = functions()[0]
    else:
        found = read_data(data, screen, **reading)
        forest = found.table.forest(found.trees[0])
    expressions = kernels or _KERNELS
    rows = []
    with screen.progress("kernels") as moving:
        for number, expression in enumerate(expressions):
            rows.append(_measured(expression, parse_kernel(expression), forest, limit, jobs))
            if moving is not None:
                moving(number + 1, len(expressions))
    if as_json:
        screen.json(rows)
        return
    table = new_table("kernel", ">trees", ">nodes a tree", ">pairs", ">seconds", ">ns a pair")
    for row in rows:
        figures = (f"{row['trees']:,}", f"{row['nodes']:.0f}", f"{row['pairs']:,}")
        rate = row["seconds"] / row["pairs"] * 1e9
        table.add_row(plain(row["kernel"]), *figures, f"{row['seconds']:.3f}", f"{rate:,.0f}")
    screen.show(table)


def _measured(
    expression: str, kernel: Kernel, forest: Forest, limit: float, jobs: int
) -> dict[str, Any]:
    """Time three runs on as many trees as fit into the time, spread over all."""
    import numpy as np

    _seconds(kernel, forest[:2], jobs)  # imports what it needs
    count = min(50, len(forest))
    while True:
        sample = forest[np.linspace(0, len(forest) - 1, count).astype(int)]
        spent = _seconds(kernel, sample, jobs)
        if count == len(forest) or spent * 4 * 3 > limit:
            break
        count = min(2 * count, len(forest))
    best = min([spent, *(_seconds(kernel, sample, jobs) for _ in range(2))])
    return {
        "kernel": expression,
        "trees": len(sample),
        "nodes": sample.n_nodes / len(sample),
        "pairs": len(sample) * (len(sample) + 1) // 2,
        "seconds": best,
    }


def _seconds(kernel: Kernel, forest: Forest, jobs: int) -> float:
    start = time.perf_counter()
    kernel(forest, n_jobs=jobs)
    return time.perf_counter() - start

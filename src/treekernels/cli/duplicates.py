"""``treekernels duplicates PATH...``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.common.screen import Screen, plain
from treekernels.common.text import count_noun

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.search.duplicates.near_copies import Copies

_MOST_SHOWN = 20


@click.command("duplicates", short_help="Find near-copies in code, pages or trees.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option(
    "--threshold",
    metavar="NUMBER",
    type=click.FloatRange(min=0, min_open=True, max=1),
    default=0.8,
    show_default=True,
    help="How similar two trees have to be to count as copies; 1 finds only exact copies.",
)
@click.option(
    "--smallest",
    metavar="NODES",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Leave out trees with fewer nodes, because short functions look alike everywhere.",
)
@click.option(
    "--kernel",
    "-k",
    metavar="EXPRESSION",
    default="auto",
    show_default=True,
    help="Normalised tree kernel that says how similar two trees are; auto chooses one by what the "
    "trees are: code, pages, documents or sentences.",
)
@click.option(
    "--renamed",
    is_flag=True,
    help="Also find code in which names and literals were changed: they do not count, and what "
    "is common in all of the code counts little.",
)
@options.frequencies
@options.file("--sarif", "File to write the groups to, as SARIF for code hosts.")
@options.file("--report", "File to write a page to that shows copies side by side.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are copies.")
@click.option("--strict", is_flag=True, help="Stop at a file that cannot be read.")
@options.file_format
@options.reader
@options.jobs
@options.json
@options.quiet
def command(
    paths: tuple[str, ...],
    threshold: float,
    smallest: int,
    kernel: str,
    renamed: bool,
    frequencies: str | None,
    sarif: str | None,
    report: str | None,
    exit_zero: bool,
    strict: bool,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> int:
    """Find near-copies: functions of code, pages, or trees of a file that are nearly the same.

    \b
    Examples:
      treekernels duplicates src
      treekernels duplicates src --threshold 0.8 --report copies.html
      treekernels duplicates submissions --renamed --threshold 0.7
      treekernels duplicates 'site/**/*.html' --json
      treekernels duplicates src --sarif copies.sarif --quiet || echo "there are copies"

    The exit code is 1 if there are copies, and 0 if there are none.
    """
    from treekernels.cli.shared.reading import read_pieces
    from treekernels.kernels import TreeFeaturesKernel
    from treekernels.kernels.automatic import for_copies, kernel_for
    from treekernels.kernels.expressions.parsing import format_kernel, parse_kernel
    from treekernels.search.duplicates.near_copies import near_copies

    for file in (sarif, report):
        if file is not None:
            check_folder(file)
    chosen = None if kernel == "auto" else parse_kernel(kernel)
    if not getattr(chosen, "normalize", True):
        raise Problem("the kernel must be normalised: a threshold is a share of what could be")
    screen = Screen(quiet=quiet)
    reading["skip_bad"] = not strict
    all_pieces = read_pieces(paths, screen, reading, without_names=renamed)
    large = all_pieces.at_least(smallest)
    if chosen is None:
        chosen = kernel_for(large.trees) if len(large.pieces) else TreeFeaturesKernel()
        kernel = format_kernel(chosen)
        screen.note(f"The kernel is {kernel}.")
        if frequencies is None and len(large.pieces):
            chosen = for_copies(chosen.fitted_on(large.trees))
    if frequencies is not None:
        from treekernels.cli.shared.weights import with_frequencies

        chosen = with_frequencies(chosen, frequencies)
    with screen.progress("comparing") as progress:
        groups = near_copies(large, chosen, threshold, n_jobs=jobs, progress=progress)
    if sarif is not None:
        from treekernels.search.duplicates.sarif import write_sarif

        write_sarif(sarif, groups)
        screen.note(f"The groups are in {sarif}.")
    if report is not None:
        from treekernels.search.duplicates.page import write_page

        write_page(
            report,
            groups,
            trees=len(large.pieces),
            threshold=threshold,
            kernel=kernel,
            renamed=renamed,
        )
        screen.note(f"The report is in {report}.")
    if as_json:
        screen.json({"trees": len(large.pieces), "groups": [group.as_data() for group in groups]})
    else:
        _show(groups, len(large.pieces), screen)
    return 1 if groups and not exit_zero else 0


def _show(groups: list[Copies], trees: int, screen: Screen) -> None:
    from treekernels.drawing.markup import visible_text

    if not groups:
        screen.show(f"No near-copies among {count_noun(trees, 'tree')}.")
        return
    copies = sum(len(group.pieces) for group in groups)
    screen.show(
        f"{count_noun(len(groups), 'group')} of near-copies: {copies:,} of "
        f"{count_noun(trees, 'tree')}."
    )
    for number, group in enumerate(groups[:_MOST_SHOWN], start=1):
        values = [pair.similarity for pair in group.pairs]
        least, most = min(values), max(values)
        similarity = f"{most:.3f}" if least == most else f"{least:.3f} to {most:.3f}"
        screen.show(f"[bold]{number}.[/bold] similarity {similarity}")
        for piece in group.pieces[:_MOST_SHOWN]:
            name = "" if piece.name is None else f"  {visible_text(piece.name)}"
            screen.show(plain(f"   {visible_text(str(piece))}{name}"))
        if len(group.pieces) > _MOST_SHOWN:
            screen.show(f"   and {len(group.pieces) - _MOST_SHOWN:,} more")
    if len(groups) > _MOST_SHOWN:
        screen.show(f"... and {len(groups) - _MOST_SHOWN:,} more groups; --json has all")

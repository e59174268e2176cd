"""``treekernels submissions FOLDER``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_files, check_folder
from treekernels.common.screen import Screen, new_table, plain
from treekernels.common.text import count_noun, printable

if TYPE_CHECKING:
    from treekernels.search.submissions.comparison import CourseComparison

_MOST_SHOWN = 20
_MOST_LISTED = 200_000


@click.command("submissions", short_help="Compare the submissions of a course with each other.")
@click.argument("paths", metavar="FOLDER...", nargs=-1, required=True)
@click.option(
    "--template",
    metavar="PATH",
    multiple=True,
    help="Folder or file of code that everybody was given, which does not count; may be repeated.",
)
@click.option(
    "--against",
    metavar="PATH",
    multiple=True,
    help="Folder of submissions to an earlier course, or an index of them (.tki), to compare with "
    "as well; may be repeated.",
)
@click.option(
    "--threshold",
    metavar="NUMBER",
    type=click.FloatRange(min=0, max=1),
    help="How similar two submissions have to be to be worth a look. [default: what chance is "
    "expected to reach in at most one pair of this course]",
)
@options.file(
    "--report",
    "File to write a page to that shows pairs side by side (.html); tables of the pairs are "
    "written beside it (.csv and .json).",
)
@options.file("--save-index", "File to write an index of this course to (.tki), for --against.")
@options.number(
    "--pairs",
    help="How many pairs the tables and --json have at most, the most similar first.",
    default=_MOST_LISTED,
)
@click.option(
    "--anonymous",
    is_flag=True,
    help="Write numbers in place of the names of submissions and files.",
)
@options.jobs
@options.json
@options.quiet
def command(
    paths: tuple[str, ...],
    template: tuple[str, ...],
    against: tuple[str, ...],
    threshold: float | None,
    report: str | None,
    save_index: str | None,
    pairs: int,
    anonymous: bool,
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> int:
    """Find submissions of a course that are alike, whatever things are called in them.

    \b
    Examples:
      treekernels submissions handed-in
      treekernels submissions handed-in --report course.html
      treekernels submissions handed-in --template given --against 2024 --against 2025.tki
      treekernels submissions handed-in --save-index 2026.tki
      treekernels submissions anna.py ben.py --json

    FOLDER has a folder or a file for each submission; several names are one submission each.
    Names, literals and comments do not count, nor does the order of functions and statements.
    """
    from treekernels.search.submissions.comparison import compare_submissions

    check_files([*paths, *template, *against])
    for file in (report, save_index):
        if file is not None:
            check_folder(file)
    if report is not None and Path(report).suffix.lower() in (".csv", ".json"):
        raise Problem(f"{report} is to be the page: give it a name that ends in .html")
    if save_index is not None and not save_index.endswith(".tki"):
        raise Problem(f"{save_index}: the name of an index has to end in .tki, as --against asks")
    screen = Screen(quiet=quiet)
    with screen.progress("comparing") as progress:
        result = compare_submissions(
            paths[0] if len(paths) == 1 else list(paths),
            template=list(template) or None,
            against=list(against) or None,
            threshold=threshold,
            n_jobs=jobs,
            progress=progress,
        )
    for sentence in result.left_out[:_MOST_SHOWN]:
        screen.note(sentence)
    if save_index is not None:
        result.index().save(save_index)
        screen.note(f"The index is in {save_index}.")
    if anonymous:
        result = result.anonymous()
    if report is not None:
        _write(result, report, pairs, screen)
    if as_json:
        screen.json(result.as_data(pairs))
    else:
        _show(result, screen)
    return 0


def _write(result: CourseComparison, report: str, most: int, screen: Screen) -> None:
    import json

    from treekernels.io.files.atomic import write_lines

    table, data = (str(Path(report).with_suffix(suffix)) for suffix in (".csv", ".json"))
    result.to_html(report)
    result.to_csv(table, most=most)
    write_lines(data, [printable(json.dumps(result.as_data(most), ensure_ascii=False))])
    screen.note(f"The page is in {report}, and tables of the pairs are in {table} and {data}.")


def _show(result: CourseComparison, screen: Screen) -> None:
    from treekernels.drawing.markup import visible_text

    found = result.pairs()
    screen.note(result.ignored)
    screen.show(
        f"{count_noun(len(result.names), 'submission')}, and {count_noun(len(found), 'pair')} of "
        f"similarity {result.threshold:.2f} or more. {result.threshold_reason}"
    )
    if not found:
        return
    table = new_table(">similarity", "first", ">of it in second", "second", ">of it in first")
    for pair in found[:_MOST_SHOWN]:
        table.add_row(
            f"{pair.similarity:.2f}",
            plain(visible_text(pair.first)),
            f"{pair.first_in_second:.0%}",
            plain(visible_text(pair.second)),
            f"{pair.second_in_first:.0%}",
        )
    screen.show(table)
    if len(found) > _MOST_SHOWN:
        screen.show(f"... and {len(found) - _MOST_SHOWN:,} more pairs; --report shows them")
    for number, group in enumerate(result.groups()[:_MOST_SHOWN], start=1):
        names = ", ".join(visible_text(name) for name in group[:_MOST_SHOWN])
        more = f" and {len(group) - _MOST_SHOWN:,} more" if len(group) > _MOST_SHOWN else ""
        screen.show(plain(f"Group {number}: {names}{more}"))

"""``treekernels duplicates [PATH...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.cli.shared.settings import SETTINGS, CommandWithSettings
from treekernels.common.screen import Screen

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.kernels import Kernel
    from treekernels.search.duplicates.files.choice import FileChoice
    from treekernels.search.duplicates.near_copies import AllCopies
    from treekernels.search.duplicates.reports.report import Report

_FORMS = ("text", "json", "html", "markdown", "sarif", "github", "gitlab")


@click.command(
    "duplicates", cls=CommandWithSettings, short_help="Find near-copies in code, pages or trees."
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
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
@options.file_choice
@click.option(
    "--baseline",
    metavar="FILE",
    help="Report only copies that are not in this file, which --update-baseline writes.",
)
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Write all copies that there are now to the file of --baseline, and exit with 0.",
)
@click.option(
    "--since",
    metavar="REVISION",
    help="Report only copies in which a piece has changed since a revision of git, such as "
    "origin/main; what has changed is compared with everything.",
)
@options.file(
    "--index",
    "File in which trees and pairs are kept from one run to the next (.tki): only what has changed "
    "is read and compared again. It needs a --kernel with a name.",
)
@click.option(
    "--format",
    "forms",
    metavar="FORM[=FILE]",
    multiple=True,
    help=f"Form of the report: {', '.join(_FORMS)}. It is printed, or written to a file; may be "
    "repeated. [default: text]",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 even if there are copies.")
@click.option("--strict", is_flag=True, help="Stop at a file that cannot be read.")
@options.read_as
@options.reader
@options.jobs
@options.json
@options.quiet
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    threshold: float,
    smallest: int,
    kernel: str,
    renamed: bool,
    frequencies: str | None,
    baseline: str | None,
    update_baseline: bool,
    since: str | None,
    index: str | None,
    forms: tuple[str, ...],
    exit_zero: bool,
    strict: bool,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.PieceReading],
) -> int:
    """Find near-copies: functions of code, pages, or trees of a file that are nearly the same.

    \b
    Examples:
      treekernels duplicates src
      treekernels duplicates src --threshold 0.8 --format html=copies.html
      treekernels duplicates submissions --renamed --threshold 0.7
      treekernels duplicates 'site/**/*.html' --json
      treekernels duplicates --since origin/main --format github
      treekernels duplicates --index .treekernels.tki --kernel 'sst(decay=0.1)'
      treekernels duplicates --baseline copies.json --format sarif=copies.sarif

    Without a PATH, the folder is read in which you are. Files that .gitignore names are left out,
    and so are generated and vendored ones; a comment "treekernels: ignore" in a function or above
    it switches it off. Options may stand in a table [tool.treekernels] of pyproject.toml, or in
    treekernels.toml.

    The exit code is 1 if there are copies (with --baseline and --since, new ones), and 0 if there
    are none.
    """
    from treekernels.cli.shared.reading import file_choice_of, read_pieces
    from treekernels.kernels import TreeFeaturesKernel
    from treekernels.kernels.automatic import for_copies, kernel_for
    from treekernels.kernels.expressions.parsing import format_kernel, parse_kernel
    from treekernels.search.duplicates.near_copies import near_copies
    from treekernels.search.duplicates.reports.report import Report

    wanted = _wanted_forms(forms, as_json)
    if update_baseline and baseline is None:
        raise Problem("--update-baseline needs the name of the file: --baseline FILE")
    chosen = None if kernel == "auto" else parse_kernel(kernel)
    if not getattr(chosen, "normalize", True):
        raise Problem("the kernel must be normalised: a threshold is a share of what could be")
    screen = Screen(quiet=quiet)
    reading["skip_bad"] = not strict
    changes = None
    if since is not None:
        from treekernels.search.duplicates.files.revisions import changes_since

        changes = changes_since(since)
    known = None
    if baseline is not None:
        from treekernels.search.duplicates.known import Baseline

        check_folder(baseline)
        if not update_baseline:
            known = Baseline.load(baseline)
    settings: Path | None = ctx.meta[SETTINGS]
    choice = file_choice_of(reading, settings and settings.parent)
    if index is not None:
        if chosen is None or frequencies is not None:
            raise Problem(
                "--index needs the name of a kernel, since the weights of auto depend on all of "
                "the trees: --kernel 'sst(decay=0.1)' --threshold 0.9 suits code"
            )
        check_folder(index)
        paths = paths or (".",)
        copies, trees = _with_index(
            index, paths, chosen, threshold, smallest, renamed, choice, jobs, reading, screen
        )
    else:
        pieces = read_pieces(paths or (".",), screen, reading, choice=choice, without_names=renamed)
        large = pieces.at_least(smallest)
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
            copies = near_copies(large, chosen, threshold, n_jobs=jobs, progress=progress)
        trees = len(large.pieces)
    if update_baseline and baseline is not None:
        Baseline.of(copies).save(baseline)
        screen.note(f"All copies that there are now are known to {baseline}.")
        known = Baseline.of(copies)
    groups = _new_groups(copies, known, changes)
    report = Report(
        groups,
        trees,
        threshold,
        kernel,
        renamed,
        None if known is None and changes is None else len(copies.groups) - len(groups),
    )
    for form, file in wanted:
        _write(report, form, file, screen)
    return 1 if groups and not exit_zero else 0


def _with_index(
    path: str,
    paths: tuple[str, ...],
    kernel: Kernel,
    threshold: float,
    smallest: int,
    renamed: bool,
    choice: FileChoice,
    jobs: int,
    reading: options.PieceReading,
    screen: Screen,
) -> tuple[AllCopies, int]:
    """Bring an index up to date, and return what it knows, and of how many pieces."""
    from treekernels.cli.shared.problem import check_files
    from treekernels.cli.shared.reading import list_left_out, reader_options_of
    from treekernels.io.files.lock import locked
    from treekernels.search.duplicates.piece_index import PieceIndex

    check_files(paths)
    how = {
        "format": reading["format_"],
        "without_names": renamed,
        **reader_options_of(reading["reader_options"]),
    }
    with locked(path):
        known = PieceIndex(kernel, threshold, smallest, how)
        if not known.load(path) and Path(path).exists():
            screen.note(f"{path} was made with other settings, or by another version: all is new.")
        done = known.update(paths, choice, strict=not reading.get("skip_bad"))
        list_left_out(done.problems, done.left_out, screen)
        with screen.progress("comparing") as progress:
            copies, count = known.copies(n_jobs=jobs, progress=progress)
        if known.has_changed:
            known.save(path)
    return copies, count


def _wanted_forms(forms: tuple[str, ...], as_json: bool) -> list[tuple[str, str | None]]:
    """Return the forms of the report and their files; None is standard output."""
    wanted: list[tuple[str, str | None]] = []
    for text in (*forms, *(["json"] if as_json else [])):
        form, _, file = text.partition("=")
        if form not in _FORMS:
            raise Problem(f"--format {form}: the forms of a report are {', '.join(_FORMS)}")
        if file:
            check_folder(file)
        wanted.append((form, file or None))
    printed = [form for form, file in wanted if file is None]
    if len(printed) > 1:
        raise Problem(
            f"only one form can be printed, and not {' and '.join(printed)}: give the others a "
            f"file, as in --format {printed[1]}=FILE"
        )
    return wanted if printed else [("text", None), *wanted]


def _new_groups(copies: AllCopies, known: Any, changes: Any) -> list[Any]:
    """Return the groups to report: all, or those in which something is new."""
    from dataclasses import replace

    groups = copies.groups if known is None else known.without_known(copies)
    if changes is None:
        return groups
    new_groups = []
    for group in groups:
        candidates = group.pieces if group.new is None else group.new
        new = frozenset(piece for piece in candidates if changes.touch(piece))
        if new:
            new_groups.append(replace(group, new=new))
    return new_groups


def _write(report: Report, form: str, file: str | None, screen: Screen) -> None:
    from treekernels.io.files.atomic import write_lines
    from treekernels.search.duplicates.reports.report import lines_of

    lines = lines_of(report, form)
    if file is None:
        screen.lines(lines)
    else:
        write_lines(file, lines)
        screen.note(f"The report is in {file}.")

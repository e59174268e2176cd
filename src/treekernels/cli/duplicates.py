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

    from treekernels.search.duplicates.files.choice import FileChoice
    from treekernels.search.duplicates.near_copies import AllCopies
    from treekernels.search.duplicates.piece_index import PieceIndex
    from treekernels.search.duplicates.reports.report import Report

_FORMS = ("text", "json", "html", "markdown", "sarif", "github", "gitlab")


@click.command(
    "duplicates", cls=CommandWithSettings, short_help="Find near-copies in code, pages or trees."
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@options.copies
@click.option(
    "--kernel",
    "-k",
    metavar="EXPRESSION",
    default="auto",
    show_default=True,
    help="Normalised tree kernel that says how similar two trees are; auto chooses one by what the "
    "trees are: code, pages, documents or sentences.",
)
@options.frequencies
@options.file_choice
@click.option(
    "--baseline",
    metavar="FILE",
    help="Report only copies of code that is not in this file, which --update-baseline writes.",
)
@click.option(
    "--update-baseline",
    is_flag=True,
    help="Write all code that there is now to the file of --baseline, and exit with 0.",
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
    "is read and compared again.",
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
      treekernels duplicates --index .treekernels.tki
      treekernels duplicates --baseline copies.json --format sarif=copies.sarif

    Without a PATH, the current folder is read. Files that .gitignore names are left out, and so are
    generated and vendored ones, and functions with a comment "treekernels: ignore" in them or above
    them. Options may stand in a table [tool.treekernels] of pyproject.toml, or in treekernels.toml.

    The exit code is 1 if there are copies (with --baseline and --since, new ones), and 0 if there
    are none.
    """
    from treekernels.cli.shared.reading import file_choice_of, read_pieces
    from treekernels.kernels import TreeFeaturesKernel
    from treekernels.kernels.expressions.parsing import parse_kernel
    from treekernels.search.duplicates.near_copies import fingerprints_of, near_copies
    from treekernels.search.duplicates.piece_index import PieceIndex
    from treekernels.search.duplicates.reports.report import Report
    from treekernels.search.duplicates.similar_trees import expression_of, learned_kernel

    wanted = _wanted_forms(forms, as_json)
    if update_baseline and baseline is None:
        raise Problem("--update-baseline needs the name of the file: --baseline FILE")
    chosen = None if kernel == "auto" else parse_kernel(kernel)
    if not getattr(chosen, "normalize", True):
        raise Problem("the kernel must be normalised: a threshold is a share of what could be")
    if frequencies is not None:
        from treekernels.cli.shared.columns import with_frequencies

        chosen = with_frequencies(chosen, frequencies)
    screen = Screen(quiet=quiet)
    reading["skip_bad"] = not strict
    changes = None
    if since is not None:
        from treekernels.search.duplicates.files.revisions import changes_since

        changes = changes_since(since)
    how = {"smallest": smallest, **_how_read(reading, renamed)}
    known = None
    if baseline is not None:
        from treekernels.search.duplicates.known import Baseline

        check_folder(baseline)
        if not update_baseline:
            known = Baseline.load(baseline, how)
    settings: Path | None = ctx.meta[SETTINGS]
    choice = file_choice_of(reading, settings and settings.parent)
    paths = paths or (".",)
    if index is not None:
        check_folder(index)
        name = None if frequencies is None else f"{kernel} with {_digest(frequencies)}"
        pieces = PieceIndex(chosen, threshold, smallest, _how_read(reading, renamed), name=name)
        copies = _indexed_copies(pieces, index, paths, choice, jobs, strict, screen)
        all_pieces, prints = pieces.pieces()
        expression = pieces.expression
    else:
        large = read_pieces(paths, screen, reading, choice=choice, without_names=renamed)
        large = large.at_least(smallest)
        all_pieces = large.pieces
        chosen = learned_kernel(chosen, large.trees) if all_pieces else TreeFeaturesKernel()
        with screen.progress("comparing") as progress:
            copies = near_copies(large, chosen, threshold, n_jobs=jobs, progress=progress)
        prints = fingerprints_of(large.trees) if update_baseline else []
        expression = expression_of(chosen) if kernel == "auto" else kernel
    if kernel == "auto" and all_pieces:
        kernel = expression
        screen.note(f"The kernel is {kernel}.")
    if update_baseline and baseline is not None:
        known = Baseline.of(all_pieces, prints, how)
        known.save(baseline)
        screen.note(f"All code that there is now is known to {baseline}.")
    groups = _new_groups(copies, known, changes)
    report = Report(
        groups,
        len(all_pieces),
        threshold,
        kernel,
        renamed,
        None if known is None and changes is None else len(copies.groups) - len(groups),
    )
    for form, file in wanted:
        _write(report, form, file, screen)
    return 1 if groups and not exit_zero else 0


def _how_read(reading: options.PieceReading, renamed: bool) -> dict[str, Any]:
    """Return what shapes the trees, for an index or a baseline to remember."""
    from treekernels.cli.shared.reading import reader_options_of

    options_ = reader_options_of(reading["reader_options"])
    return {"format": reading["format_"], "without_names": renamed, **options_}


def _indexed_copies(
    pieces: PieceIndex,
    path: str,
    paths: tuple[str, ...],
    choice: FileChoice,
    jobs: int,
    strict: bool,
    screen: Screen,
) -> AllCopies:
    """Bring the index in a file up to date, and return the copies that it knows."""
    from treekernels.cli.shared.problem import check_files
    from treekernels.cli.shared.reading import list_left_out
    from treekernels.io.files.lock import locked

    check_files(paths)
    with locked(path):
        if not pieces.load(path) and Path(path).exists():
            screen.note(f"{path} was made with other settings, or by another version: all is new.")
        done = pieces.update(paths, choice, strict=strict)
        list_left_out(done.problems, done.left_out, screen)
        with screen.progress("comparing") as progress:
            copies = pieces.copies(n_jobs=jobs, progress=progress)
        if pieces.is_worth_saving:
            pieces.save(path)
    return copies


def _digest(file: str) -> str:
    import hashlib

    return hashlib.blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()


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

"""``treekernels serve --mcp [PATH...]``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_files, check_folder
from treekernels.cli.shared.settings import SETTINGS, CommandWithSettings

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command(
    "serve",
    cls=CommandWithSettings,
    settings_of="duplicates",
    short_help="Answer questions of editors and agents about copies.",
)
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option(
    "--mcp",
    is_flag=True,
    help="Speak the Model Context Protocol on standard input and output.",
)
@options.copies
@options.file_choice
@options.file(
    "--index", "File in which trees and pairs are kept from one start to the next (.tki)."
)
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    mcp: bool,
    threshold: float,
    smallest: int,
    renamed: bool,
    index: str | None,
    **reading: Unpack[options.PieceReading],
) -> None:
    """Answer questions of editors and agents: is there something like this? What is copied here?

    \b
    Examples:
      treekernels serve --mcp
      treekernels serve --mcp src --index .treekernels.tki
      claude mcp add treekernels -- treekernels serve --mcp

    Without a PATH, the current folder is looked at. The options and settings of `treekernels
    duplicates` say which files are read, and what counts as a copy. A question cannot name files to
    be opened, links are not followed, and no file is changed except that of --index. The command
    needs the package mcp: pip install mcp.
    """
    from treekernels.cli.shared.reading import file_choice_of
    from treekernels.search.duplicates.mcp_server import mcp_server
    from treekernels.search.duplicates.piece_index import PieceIndex
    from treekernels.search.duplicates.questions import Repository

    if not mcp:
        raise Problem("say which protocol: --mcp is the only one")
    paths = paths or (".",)
    check_files(paths)
    if index is not None:
        check_folder(index)
    settings: Path | None = ctx.meta[SETTINGS]
    pieces = PieceIndex(None, threshold, smallest, {"format": None, "without_names": renamed})
    repository = Repository(
        paths,
        pieces,
        file_choice_of(reading, settings and settings.parent),
        file=index,
        renamed=renamed,
    )
    mcp_server(repository).run("stdio")

"""Files as pieces, for the commands that search."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from treekernels.cli.shared.data import reader_options_of
from treekernels.cli.shared.problem import Problem

if TYPE_CHECKING:
    from treekernels.common.screen import Screen
    from treekernels.errors import ParseError
    from treekernels.search.pieces import Pieces

__all__ = ["pieces_of"]


def pieces_of(
    paths: Sequence[str],
    screen: Screen,
    format_: str | None,
    reader_options: Sequence[str],
    skip_bad: bool,
    *,
    without_names: bool = False,
) -> Pieces:
    """Read files, folders and patterns, and say in a note what could not be read."""
    from treekernels.common.numbers_in_words import count_noun
    from treekernels.search.pieces import read_pieces

    for path in paths:
        if not Path(path).exists() and not glob.has_magic(path):
            raise Problem(f"there is no file {path}")
    problems: list[ParseError] = []
    try:
        found = read_pieces(
            paths,
            format=format_,
            problems=problems if skip_bad else None,
            without_names=without_names,
            **reader_options_of(reader_options),
        )
    except TypeError as error:  # an option that the reader does not have
        raise Problem(str(error)) from None
    if problems:
        screen.note(f"Left out {count_noun(len(problems), 'part')} that cannot be read:")
        for problem in problems[:5]:
            screen.note(f"  {problem}")
        if len(problems) > 5:
            screen.note(f"  and {len(problems) - 5:,} more")
    return found

"""One tree on the command line: in brackets, or the only one of a file."""

from __future__ import annotations

from pathlib import Path

from treekernels.cli.shared.data import read_data
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen
from treekernels.data.forest import Forest
from treekernels.errors import ParseError

__all__ = ["one_tree"]


def one_tree(
    text: str,
    screen: Screen,
    format_: str | None = None,
    reader_options: tuple[str, ...] = (),
) -> Forest:
    """Return the tree that a text is, or that is in a file."""
    if text.lstrip().startswith("("):
        try:
            return Forest.from_brackets([text])
        except ParseError as error:
            shown = text if len(text) <= 60 else f"{text[:57]}..."
            raise Problem(f"{shown!r}, column {error.column}: {error.reason}") from None
    if not Path(text).exists():
        raise Problem(f"{text!r} is neither a tree in brackets, such as (A b), nor a file")
    found = read_data(text, screen, format_=format_, reader_options=reader_options)
    if len(found) != 1 or len(found.trees) != 1:
        raise Problem(
            f"{text} holds {len(found) * len(found.trees):,} trees, and one is wanted here"
        )
    return found.table.forest(found.trees[0])

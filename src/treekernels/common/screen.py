"""What the person sees: results on standard output, notes and progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from treekernels.common.progress import Progress, moving_bar
from treekernels.common.text import printable

if TYPE_CHECKING:
    from rich.table import Table


class Screen:
    """Where a command writes; if it is quiet, there are neither notes nor progress."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet

    @property
    def lively(self) -> bool:
        """Whether somebody watches."""
        return not self.quiet and sys.stderr.isatty()

    @property
    def verbose(self) -> bool:
        """Whether learners may show bars of their own, which go to standard output."""
        return self.lively and sys.stdout.isatty()

    def note(self, text: str) -> None:
        """Say something that is not the result."""
        if not self.quiet:
            click.echo(printable(text), err=True)

    def json(self, value: Any) -> None:
        """Print a result for scripts; JSON reads an escaped character as the character itself."""
        click.echo(printable(json.dumps(value, indent=2, ensure_ascii=False)))

    def lines(self, rows: Iterable[str]) -> None:
        """Print lines for scripts: exactly as they are, unless they go to a terminal."""
        safe = printable if sys.stdout.isatty() else str
        for row in rows:
            sys.stdout.write(f"{safe(row)}\n")

    def show(self, *things: Any) -> None:
        """Print a result for people; texts from elsewhere must have gone through `plain`."""
        from rich.console import Console

        console = Console(highlight=False)
        if not console.is_terminal:  # a file or a pipe has no width of its own
            console = Console(highlight=False, width=120)
        for thing in things:
            console.print(thing)

    def progress(self, title: str) -> AbstractContextManager[Progress | None]:
        """Show a bar where somebody watches, and lend the function that moves it (else None)."""
        return moving_bar(title, stderr=True) if self.lively else nullcontext()


def new_table(*headings: str, title: str | None = None) -> Table:
    """Return an empty table; a heading that starts with > is that of a column of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in headings:
        table.add_column(
            heading.lstrip(">"), justify="right" if heading.startswith(">") else "left"
        )
    return table


def plain(text: str) -> str:
    """Return a text with everything escaped that `rich` or a terminal would obey."""
    from rich.markup import escape

    return escape(printable(text))

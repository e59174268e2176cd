"""What the person sees: results on standard output, notes and progress on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treekernels.common.progress import Progress
from treekernels.common.terminal import printable

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["Screen", "file_size", "new_table", "plain", "seconds"]


class Screen:
    """Where a command writes.

    Parameters
    ----------
    quiet : bool
        Leave out notes and progress.
    """

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
        """Print a result for scripts. To JSON, an escaped character is the character itself."""
        click.echo(printable(json.dumps(value, indent=2, ensure_ascii=False)))

    def lines(self, rows: Iterable[str]) -> None:
        """Print lines for scripts: exactly as they are, unless they go to a terminal."""
        shown = printable if sys.stdout.isatty() else str
        for row in rows:
            sys.stdout.write(f"{shown(row)}\n")

    def show(self, *things: Any) -> None:
        """Print a result for people; texts from elsewhere must have gone through `plain`."""
        from rich.console import Console

        console = Console(highlight=False)
        if not console.is_terminal:  # a file or a pipe has no width of its own
            console = Console(highlight=False, width=120)
        for thing in things:
            console.print(thing)

    @contextmanager
    def progress(self, title: str) -> Iterator[Progress | None]:
        """Show a bar where somebody watches, and lend the function that moves it (else None)."""
        if not self.lively:
            yield None
            return
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
        console = Console(stderr=True)
        with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
            task = bar.add_task(title, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)


def new_table(*headings: str, title: str | None = None) -> Table:
    """Return an empty table; headings that start with > are of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for heading in headings:
        table.add_column(
            heading.lstrip(">"), justify="right" if heading.startswith(">") else "left"
        )
    return table


def plain(text: str) -> str:
    """Return a text of which nothing is taken for a style, or obeyed by a terminal."""
    from rich.markup import escape

    return escape(printable(text))


def file_size(path: str) -> str:
    """Return how large a file is, as text."""
    size = Path(path).stat().st_size
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:.1f} kB"


def seconds(value: float) -> str:
    """Return a time as text."""
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s"

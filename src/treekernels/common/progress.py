"""Progress of long calls: a callback, or a `rich` bar when an object is verbose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from treekernels.common.checks import check_verbose

Progress = Callable[[int, int], object]
"""Called now and then with the units done and the units in all."""


class _Bar:
    """Moves a bar, and passes on where it is."""

    def __init__(self, bar: Any, title: str, callback: Progress | None) -> None:
        self.bar = bar
        self.title = title
        self.task = bar.add_task(title, total=None)
        self.callback = callback

    def __call__(self, done: int, total: int) -> None:
        self.bar.update(self.task, completed=done, total=total)
        if self.callback is not None:
            self.callback(done, total)

    def describe(self, text: str) -> None:
        self.bar.update(self.task, description=f"{self.title}: {text}")


def progress_bar(
    title: str, *, verbose: bool = False, callback: Progress | None = None
) -> AbstractContextManager[Progress | None]:
    """Show a bar if `verbose`, and lend the callback to pass on, which also moves the bar."""
    visible = check_verbose("verbose", verbose)
    return moving_bar(title, callback) if visible else nullcontext(callback)


@contextmanager
def moving_bar(
    title: str, callback: Progress | None = None, *, stderr: bool = False
) -> Iterator[Progress | None]:
    """Show a bar while the block runs, and lend the function that moves it."""
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    console = Console(stderr=stderr)
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        yield _Bar(bar, title, callback)


def describe(progress: Progress | None, text: str) -> None:
    """Say beside the bar how things stand, if there is one."""
    if isinstance(progress, _Bar):
        progress.describe(text)

"""Progress of long calls: a callback, or a `rich` bar when a kernel is verbose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Progress", "shown"]

Progress = Callable[[int, int], object]
"""Called now and then with the units done and the units in all."""


@contextmanager
def shown(
    title: str, *, verbose: bool = False, callback: Progress | None = None
) -> Iterator[Progress | None]:
    """Give the callback to pass on, which also moves a bar if `verbose`."""
    if not verbose:
        yield callback
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Bar(*columns, TimeRemainingColumn(), transient=True) as bar:
        task = bar.add_task(title, total=None)

        class Moving:
            """Moves the bar; `describe` says more beside it."""

            def __call__(self, done: int, total: int) -> None:
                bar.update(task, completed=done, total=total)
                if callback is not None:
                    callback(done, total)

            def describe(self, text: str) -> None:
                bar.update(task, description=f"{title}: {text}")

        yield Moving()

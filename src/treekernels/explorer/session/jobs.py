"""Jobs: work in the background that tells how far it is, and that can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Literal


class Cancelled(Exception):
    """The result of this work is no longer wanted."""


class Job:
    """One piece of work."""

    def __init__(self, title: str, work: Callable[[Job], Any]) -> None:
        self.title = title  # what is being done, for the page
        self.done = self.total = 0  # how far it is; a total of 0 is not known
        self.partial: Any = None  # what has been found so far, if the work sets it
        self.result: Any = None  # what it returned
        self.error: Exception | None = None
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self._work = work
        self._cancel = threading.Event()
        self._ended = threading.Event()

    def progress(self, done: int, total: int) -> None:
        """Note how far it is; raise `Cancelled` if it was cancelled."""
        self.done, self.total = done, total
        if self._cancel.is_set():
            raise Cancelled

    def run(self) -> None:
        """Do the work."""
        try:
            self.result = self._work(self)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except Exception as error:
            self.error = error  # before the state, which others look at
            # The core may wrap what a callback raises.
            self.state = "cancelled" if self._cancel.is_set() else "failed"
        finally:
            self._ended.set()

    def cancel(self) -> None:
        """Ask for an end, which comes with the next `progress`."""
        self._cancel.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, and return whether it has come."""
        return self._ended.wait(seconds)

    def status(self) -> dict[str, Any]:
        """Return how far it is, for the page.

        A view that decides by the state and also shows it calls this once, because the work may
        end between two calls.
        """
        return {
            "title": self.title,
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "error": "" if self.error is None else str(self.error),
        }


class Jobs:
    """All work of an explorer, each piece once and by name."""

    _KEPT = 20  # searches of a kind that have ended; older ones are forgotten

    def __init__(self) -> None:
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()

    def ensure(
        self,
        name: Hashable,
        title: str,
        work: Callable[[Job], Any],
        *,
        patience: float = 0.12,
    ) -> Job:
        """Return the job of this name, started now if it is new.

        It waits a moment, so that quick work is done when it returns.
        """
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                job = self._jobs[name] = Job(title, work)
                threading.Thread(target=job.run, name=f"explore {title}", daemon=True).start()
                self._forget(name)
            else:  # what was asked for last comes last
                self._jobs[name] = self._jobs.pop(name)
        job.wait(patience)
        return job

    def get(self, name: Hashable) -> Job | None:
        """Return a job that was started, or None."""
        return self._jobs.get(name)

    def cancel(self, name: Hashable) -> None:
        """Cancel a job, if it is there."""
        job = self.get(name)
        if job is not None:
            job.cancel()

    def cancel_all(self, kind: str | None = None) -> None:
        """Cancel all jobs, or those whose names begin with this word."""
        with self._lock:
            for name, job in self._jobs.items():
                if kind is None or (isinstance(name, tuple) and name[0] == kind):
                    job.cancel()

    def forget(self, name: Hashable) -> None:
        """Forget a job that was cancelled or failed, so that it starts again when asked for."""
        with self._lock:
            for known, job in list(self._jobs.items()):
                same = known == name or (isinstance(known, tuple) and known[0] == name)
                if same and job.state in ("cancelled", "failed"):
                    del self._jobs[known]

    def _forget(self, new: Hashable) -> None:
        """Forget old searches of the same kind, whose names are tuples; other jobs are kept."""
        if not isinstance(new, tuple):
            return
        ended = [
            name
            for name, job in self._jobs.items()
            if isinstance(name, tuple) and name[0] == new[0] and job.state != "running"
        ]
        for name in ended[: max(0, len(ended) - self._KEPT)]:
            del self._jobs[name]

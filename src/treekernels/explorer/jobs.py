"""Jobs: work in the background that tells how far it is, and that can be cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Literal

__all__ = ["Cancelled", "Job", "Jobs"]


class Cancelled(Exception):
    """Nobody waits for this work any longer."""


class Job:
    """One piece of work.

    Attributes
    ----------
    title : str
        What is being done, for the page.
    done, total : int
        How far it is; a total of 0 is not known.
    partial : object
        What has been found so far, if the work says so.
    result : object
        What it returned.
    error : Exception or None
    """

    def __init__(self, title: str, work: Callable[[Job], Any]) -> None:
        self.title = title
        self.done = self.total = 0
        self.partial: Any = None
        self.result: Any = None
        self.error: Exception | None = None
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.seconds = 0.0
        self._work = work
        self._cancel = threading.Event()
        self._ended = threading.Event()

    def progress(self, done: int, total: int) -> None:
        """Say how far it is; raise `Cancelled` if that is no longer wanted."""
        self.done, self.total = done, total
        if self._cancel.is_set():
            raise Cancelled

    def run(self) -> None:
        """Do the work."""
        start = time.perf_counter()
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
            self.seconds = time.perf_counter() - start
            self._ended.set()

    def cancel(self) -> None:
        """Ask for an end, which comes with the next `progress`."""
        self._cancel.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end, and say whether it has come."""
        return self._ended.wait(seconds)

    def status(self) -> dict[str, Any]:
        """Return how far it is, for the page.

        Whoever decides by the state and also shows it asks once: the work may end in between.
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

    _KEPT = 20  # searches of a kind that have ended; those not asked for longest are forgotten

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
        """Return the job of this name, begun now if it is new.

        Waits a moment, so that quick work is done at once.
        """
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                job = self._jobs[name] = Job(title, work)
                threading.Thread(target=job.run, name=f"explore {title}", daemon=True).start()
                self._forget(name)
            else:  # to the end: it was asked for last
                self._jobs[name] = self._jobs.pop(name)
        job.wait(patience)
        return job

    def get(self, name: Hashable) -> Job | None:
        """Return a job that was begun."""
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
        """Forget a job that came to nothing, so that it begins again when it is asked for."""
        with self._lock:
            for known, job in list(self._jobs.items()):
                same = known == name or (isinstance(known, tuple) and known[0] == name)
                if same and job.state in ("cancelled", "failed"):
                    del self._jobs[known]

    def _forget(self, new: Hashable) -> None:
        """Forget old searches of the same kind, whose names are tuples; others are kept."""
        if not isinstance(new, tuple):
            return
        ended = [
            name
            for name, job in self._jobs.items()
            if isinstance(name, tuple) and name[0] == new[0] and job.state != "running"
        ]
        for name in ended[: max(0, len(ended) - self._KEPT)]:
            del self._jobs[name]

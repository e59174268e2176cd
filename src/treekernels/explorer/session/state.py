"""State: what an explorer knows. Views read it, and no request changes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import TypeVar

from treekernels.errors import DataError
from treekernels.explorer.session.corpus import Corpus
from treekernels.explorer.session.jobs import Job, Jobs
from treekernels.explorer.session.model import ExploredModel
from treekernels.explorer.session.notations import Notations, Parser

Result = TypeVar("Result")


class Pending(Exception):
    """The answer is not there yet: the page shows how far it is, and asks again."""

    def __init__(self, name: Hashable, job: Job) -> None:
        super().__init__(job.title)
        self.name = name
        self.job = job


class State:
    """A model, the data that are explored with it, and what has been found out about them.

    Instead of a corpus, a function may be given that reads it, which runs in the background.
    """

    def __init__(
        self,
        model: ExploredModel,
        corpus: Corpus | Callable[[Job], Corpus] | None = None,
        parser: Parser | None = None,
        name: str = "the data",
    ) -> None:
        self.model = model
        self.jobs = Jobs()
        self.name = corpus.name if isinstance(corpus, Corpus) else name
        self.has_data = corpus is not None
        self._corpus = corpus if isinstance(corpus, Corpus) else None
        self._read = corpus if callable(corpus) else None
        self.notations = Notations(parser)
        if self._read is not None:
            self.jobs.ensure("data", f"Reading {name}", self._read, patience=0)
        self.stopped = threading.Event()

    def corpus_if_read(self) -> Corpus | None:
        """Return the data, or None while there are none."""
        if self._corpus is None and self._read is not None:
            job = self.jobs.get("data")
            if job is not None and job.state == "done":
                self._corpus = job.result
        return self._corpus

    def corpus(self) -> Corpus:
        """Return the data; raise `Pending` while they are being read."""
        if self._read is not None:
            return self.corpus_if_read() or self.result("data", f"Reading {self.name}", self._read)
        if self._corpus is None:
            raise DataError(
                "this view is about examples, and there are none: give data as well, as in "
                "treekernels explore MODEL DATA"
            )
        return self._corpus

    def result(self, name: Hashable, title: str, work: Callable[[Job], Result]) -> Result:
        """Return what a piece of work found; raise `Pending` until it is there."""
        job = self.jobs.ensure(name, title, work)
        if job.state == "done":
            result: Result = job.result
            return result
        if job.state == "failed" and job.error is not None:
            raise job.error
        raise Pending(name, job)

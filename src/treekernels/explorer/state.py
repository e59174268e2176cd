"""State: what an explorer knows. Views read it, and nothing of it is changed by a request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

from treekernels.errors import DataError
from treekernels.explorer.corpus import Corpus
from treekernels.explorer.explored_model import ExploredModel
from treekernels.explorer.inputs import Inputs, Parser
from treekernels.explorer.jobs import Job, Jobs

__all__ = ["Pending", "State"]


class Pending(Exception):
    """The answer is not there yet: the page shows how far it is, and asks again."""

    def __init__(self, name: Hashable, job: Job) -> None:
        super().__init__(job.title)
        self.name = name
        self.job = job


class State:
    """A model, the data that are explored with it, and what has been found out about them.

    Parameters
    ----------
    model : ExploredModel
    corpus : Corpus, callable or None
        The data, or a function that reads them, which runs in the background.
    parser : callable, optional
        From text to trees.
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
        self._corpus = corpus if isinstance(corpus, Corpus) else None
        self._read = corpus if callable(corpus) else None
        self.inputs = Inputs(parser)
        if self._read is not None:
            self.jobs.ensure("data", f"Reading {name}", self._read, patience=0)
        self.stopped = threading.Event()

    @property
    def has_data(self) -> bool:
        """Whether there are data, even if they are still being read."""
        return self._corpus is not None or self._read is not None

    def corpus_if_read(self) -> Corpus | None:
        """Return the data, or None while there are none."""
        if self._corpus is None and self._read is not None:
            job = self.jobs.get("data")
            if job is not None and job.state == "done":
                self._corpus = job.result
        return self._corpus

    def corpus(self) -> Corpus:
        """Return the data; raise `Pending` while they are being read."""
        corpus = self.corpus_if_read()
        if corpus is not None:
            return corpus
        if self._read is None:
            raise DataError(
                "this view is about examples, and there are none: give data as well, as in "
                "treekernels explore MODEL DATA"
            )
        read = self._read
        found: Corpus = self.result("data", f"Reading {self.name}", read)
        return found

    def result(self, name: Hashable, title: str, work: Callable[[Job], Any]) -> Any:
        """Return what a piece of work found; raise `Pending` until it is there."""
        job = self.jobs.ensure(name, title, work)
        if job.state == "done":
            return job.result
        if job.state == "failed" and job.error is not None:
            raise job.error
        raise Pending(name, job)

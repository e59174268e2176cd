"""Partitions: examples that lie on the workers of a cluster, part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, pairwise
from typing import Any

import numpy as np

from treekernels.cluster.workers.clients import client_of
from treekernels.cluster.workers.recovery import repeat, results_of, spread
from treekernels.cluster.workers.slicing import as_partition, assemble, join_rows, take_rows
from treekernels.common.checks import check_integer
from treekernels.common.optional import require
from treekernels.common.text import count_noun
from treekernels.data.columns import length
from treekernels.errors import DataError

__all__ = ["Part", "Partitions", "partitions"]

_LOST = ("cancelled", "lost")


class Part:
    """One result on a worker, and how to get it again should it be lost.

    `make` takes the futures of the parts that this one `needs`, and returns a future. A `future`
    that was made already may be given.
    """

    def __init__(
        self, make: Callable[..., Any], needs: Sequence[Part] = (), future: Any = None
    ) -> None:
        self.make = make
        self.needs = needs
        self.future: Any = make(*(part.future for part in needs)) if future is None else future

    def renew(self) -> None:
        """Make it again if it was lost, and before that all that it needs."""
        before = [part.future for part in self.needs]
        for part in self.needs:
            part.renew()
        now = [part.future for part in self.needs]
        moved = any(new is not old for new, old in zip(now, before, strict=True))
        if self.future.status in _LOST or (moved and self.future.status != "finished"):
            self.future = self.make(*now)


class Partitions:
    """Examples that lie on the workers of a cluster, part by part.

    `read` and `partitions` make them. Each part is a `Forest`, a `Table` or an array that stays
    where it is; only what is asked for comes to the client. Columns are chosen by name, as from a
    `Table`: ``data["tree"]`` and ``data["label"]``.

    Attributes
    ----------
    client : distributed.Client
    parts : list of Part
    """

    def __init__(self, client: Any, parts: Sequence[Part], lengths: Any = None) -> None:
        self.client = client
        self.parts = list(parts)
        self._lengths = None if lengths is None else [int(number) for number in lengths]

    @property
    def futures(self) -> list[Any]:
        """One future for each part."""
        return [part.future for part in self.parts]

    @property
    def npartitions(self) -> int:
        """How many parts there are."""
        return len(self.parts)

    @property
    def lengths(self) -> list[int]:
        """How many examples each part has; they are counted on the workers, once."""
        if self._lengths is None:
            self._lengths = self.collect(length)
        return self._lengths

    def __len__(self) -> int:
        return sum(self.lengths)

    def __getitem__(self, name: str) -> Partitions:
        if not isinstance(name, str):
            raise DataError(
                f"columns of partitions are chosen by name, and {name!r:.40} is none: "
                "to_local() brings all rows here"
            )
        return self.map(_column, name, same_length=True)

    def map(
        self, function: Callable[..., Any], *args: Any, same_length: bool = False
    ) -> Partitions:
        """Return what a function makes of each part, on the workers.

        Parameters
        ----------
        function : callable
            Called with a part and the other arguments.
        *args
            Small, since they are sent with every task.
        same_length : bool
            Whether the results have as many rows as the parts.
        """
        client = self.client

        def make(future: Any) -> Any:
            return client.submit(function, future, *args, pure=False)

        lengths = self._lengths if same_length else None
        return Partitions(client, [Part(make, [part]) for part in self.parts], lengths)

    def collect(
        self,
        function: Callable[..., Any],
        *args: Any,
        each: Callable[[], Sequence[Any]] | None = None,
    ) -> list[Any]:
        """Return what a function makes of each part, here: it should be small.

        `each` returns one more argument for each part, which comes before the others. It is called
        again if something was lost on the way.
        """

        def attempt() -> list[Any]:
            more = [()] * len(self.parts) if each is None else [(item,) for item in each()]
            futures = [
                self.client.submit(function, future, *item, *args, pure=False)
                for future, item in zip(self.futures, more, strict=True)
            ]
            return results_of(self.client, futures)

        return repeat(self.client, attempt, self.parts)

    def persist(self) -> Partitions:
        """Wait until all parts are in the memory of the workers, and return them."""
        self._lengths = self.collect(length)
        return self

    def repartition(self, npartitions: int) -> Partitions:
        """Return the same examples in the same order, in so many parts of about equal size."""
        count = check_integer("npartitions", npartitions, 1)
        bounds = np.linspace(0, len(self), count + 1).round().astype(int).tolist()
        return self.cut(bounds)

    def cut_every(self, rows: int) -> Partitions:
        """Return the same examples in parts of so many, wherever partitions end now."""
        return self.cut([*range(0, max(1, len(self)), rows), len(self)])

    def cut(self, bounds: Sequence[int]) -> Partitions:
        """Return the same examples, with a part from each bound to the next."""
        ends = [0, *np.cumsum(self.lengths).tolist()]
        if list(bounds) == ends:
            return self
        # Workers take turns, or one that has much would get more and more, and so more to do.
        workers = cycle(sorted(self.client.nthreads()) or [None])
        parts = [
            self._rows(first, last, ends, worker)
            for (first, last), worker in zip(pairwise(bounds), workers, strict=False)
        ]
        return Partitions(self.client, parts, np.diff(bounds))

    def _rows(self, first: int, last: int, ends: Sequence[int], worker: str | None) -> Part:
        rows = {}  # of each part that has some of them
        for part, (begin, end) in zip(self.parts, pairwise(ends), strict=True):
            low, high = max(first, begin), min(last, end)
            if low < high:
                rows[part] = (low - begin, high - begin)
        rows = rows or {self.parts[0]: (0, 0)}
        client, bounds = self.client, list(rows.values())
        where: dict[str, Any] = {"workers": worker, "allow_other_workers": worker is not None}

        def make(*futures: Any) -> Any:
            return client.submit(assemble, bounds, *futures, pure=False, **where)

        return Part(make, list(rows))

    def to_local(self) -> Any:
        """Return all rows, here."""
        return join_rows(
            repeat(self.client, lambda: results_of(self.client, self.futures), self.parts)
        )

    def __repr__(self) -> str:
        known = "" if self._lengths is None else f"{count_noun(len(self), 'row')} in "
        return f"<Partitions: {known}{count_noun(self.npartitions, 'part')}>"


def _column(part: Any, name: str) -> Any:
    column = part[name]
    return column.to_numpy() if hasattr(column, "to_numpy") else column


def partitions(data: Any, npartitions: int | None = None, *, client: Any = None) -> Partitions:
    """Return examples as partitions on the workers of a cluster.

    Parameters
    ----------
    data : partitions, Dask collection, list of Delayed or futures, or local data
        A ``dask.bag`` of trees, a ``dask.dataframe`` or one of its columns, a ``dask.array``, or
        a list of ``dask.delayed`` objects or futures, each of which is one part. Anything else (a
        `Forest`, a `Table`, a list of trees, an array, a data frame) is cut into parts and sent
        to the workers.
    npartitions : int, optional
        How many parts local data is cut into; by default one for each thread of the workers.
        Dask collections keep the parts that they have.
    client : distributed.Client, optional
        By default the one in use.

    Returns
    -------
    Partitions
    """
    if isinstance(data, Partitions):
        return data if npartitions is None else data.repartition(npartitions)
    client = client_of(client)
    lazy = _lazy_parts(data)
    if lazy is not None:
        parts = [
            Part(lambda piece=piece: piece if _is_future(piece) else client.compute(piece))
            for piece in lazy
        ]
        computed = Partitions(client, parts).map(as_partition)
        return computed if npartitions is None else computed.repartition(npartitions)
    local = as_partition(data)
    rows = length(local)
    if npartitions is None:
        npartitions = max(1, min(rows, sum(client.nthreads().values())))
    count = check_integer("npartitions", npartitions, 1)
    bounds = np.linspace(0, rows, count + 1).round().astype(int).tolist()
    pieces = [take_rows(local, first, last) for first, last in pairwise(bounds)]
    # At once, so that all workers get their share.
    futures = repeat(client, lambda: spread(client, pieces))
    parts = [
        Part(lambda piece=piece: spread(client, [piece])[0], future=future)
        for piece, future in zip(pieces, futures, strict=True)
    ]
    return Partitions(client, parts, np.diff(bounds))


def _is_future(item: Any) -> bool:
    return isinstance(item, require("distributed", "dask", "a Dask cluster").Future)


def _lazy_parts(data: Any) -> list[Any] | None:
    """Return the parts of a Dask collection, and None for anything else."""
    if hasattr(data, "to_delayed") and hasattr(data, "__dask_graph__"):
        pieces = data.to_delayed()
        return list(pieces.ravel() if isinstance(pieces, np.ndarray) else pieces)
    if not isinstance(data, list | tuple) or not data:
        return None
    lazy = all(hasattr(item, "__dask_graph__") or _is_future(item) for item in data)
    return list(data) if lazy else None

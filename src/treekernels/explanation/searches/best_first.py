"""Best-first search: what weighs most comes first, and most of the rest is never looked at."""

from __future__ import annotations

import copy
import heapq
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

from treekernels.common.arrays import Floats
from treekernels.explanation.searches.fragment_search import FragmentSearch, SearchResult

State = TypeVar("State")

_CHECK: ContextVar[Callable[[], object] | None] = ContextVar("check", default=None)


@contextmanager
def checked_by(check: Callable[[], object]) -> Iterator[None]:
    """Let a function be called again and again during a search, which it may end by raising."""
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


class BestFirst(FragmentSearch, Generic[State]):
    """A search among fragments that grow, where a bound on what can grow from each is known."""

    @abstractmethod
    def start(self, weights: Floats) -> Iterable[State]:
        """Keep the weights, and return what everything grows from."""

    @abstractmethod
    def grow(self, state: State) -> Iterable[State]:
        """Return what a state can become in one step; together that is all that it can become."""

    @abstractmethod
    def bound(self, state: State) -> float:
        """Return at least the weight of everything that can grow from a state."""

    @abstractmethod
    def weight(self, state: State) -> float | None:
        """Return the weight of a state that grows no more, None of any other."""

    @abstractmethod
    def result(self, state: State, weight: float) -> SearchResult:
        """Return the fragment of a state that grows no more."""

    def best(self, weights: Floats) -> Iterator[SearchResult]:
        return copy.copy(self)._run(weights)  # several searches may be under way at once

    def _run(self, weights: Floats) -> Iterator[SearchResult]:
        # Sorted by weight or bound; equal ones stay in the order in which they were found.
        queue: list[tuple[float, int, State, bool]] = []
        count = 0
        check = _CHECK.get()
        grown = self.start(weights)
        while True:
            for state in grown:
                bound = self.bound(state)
                if bound > 0:
                    count += 1
                    heapq.heappush(queue, (-bound, count, state, False))
            if not queue:
                return
            if check is not None:
                check()
            value, _, state, is_done = heapq.heappop(queue)
            grown = ()
            if is_done:
                yield self.result(state, -value)
                continue
            weight = self.weight(state)
            if weight is None:
                grown = self.grow(state)
            elif weight > 0:
                count += 1
                heapq.heappush(queue, (-weight, count, state, True))

"""Best-first search: what weighs most comes first, and most of the rest is never looked at."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

__all__ = ["BestFirst", "checked_by"]

State = TypeVar("State")
Result = TypeVar("Result")


_CHECK: ContextVar[Callable[[], object] | None] = ContextVar("check", default=None)


@contextmanager
def checked_by(check: Callable[[], object]) -> Iterator[None]:
    """Let a function be called again and again during a search, which it may end by raising."""
    before = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(before)


class BestFirst(ABC, Generic[State, Result]):
    """A search among things that grow, where a bound on what can grow from each is known."""

    @abstractmethod
    def start(self) -> Iterable[State]:
        """Return what everything grows from."""

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
    def result(self, state: State) -> Result:
        """Make a result of a state that grows no more."""

    def run(self) -> Iterator[Result]:
        """Return results by weight, the largest first, while it is above zero."""
        queue: list[tuple[float, int, State, bool]] = []
        pushed = 0

        def push(weight: float, state: State, done: bool) -> None:
            nonlocal pushed
            if weight > 0:
                pushed += 1
                heapq.heappush(queue, (-weight, pushed, state, done))

        check = _CHECK.get()
        for state in self.start():
            push(self.bound(state), state, False)
        while queue:
            if check is not None:
                check()
            _, _, state, done = heapq.heappop(queue)
            if done:
                yield self.result(state)
                continue
            weight = self.weight(state)
            if weight is not None:
                push(weight, state, True)
                continue
            for grown in self.grow(state):
                push(self.bound(grown), grown, False)

"""How the scripts on papers time what they compare: by turns, in several orders, until settled.

A single run says little on a machine that does other things as well, and the first of two calls
warms the caches for the second. So calls take turns; each round has another order; what counts is
the median of the rounds; and a call whose rounds differ too much is run again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import shared  # noqa: F401  (first: it sets the path)

from common import Row

MOST_ROUNDS = 9
SPREAD = 0.15  # of the median: how far the middle half of the rounds may reach
SHORTEST = 0.02  # seconds: what takes less is called as often as it takes to fill them
RULE = (
    "Times are of the processor, by turns: medians of several rounds, "
    "each in another order. Where the middle half of the rounds reaches over more "
    f"than {SPREAD:.0%} of the median, there are more rounds, up to {MOST_ROUNDS}."
)


class Stopwatch:
    """Times calls by turns, and knows how many of the times have not settled.

    Parameters
    ----------
    rounds : int
        How often each call runs, if its times do not differ much.

    Examples
    --------
    >>> watch = Stopwatch(rounds=3)
    >>> medians = watch.seconds({"much": lambda: sum(range(10_000)), "little": lambda: None})
    >>> medians["much"] > medians["little"]
    True
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.spreads: list[float] = []

    def seconds(self, calls: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        """Return the median seconds of each call."""
        times = dict.fromkeys(calls, 1)

        def timed(name: str) -> list[float]:
            start = time.process_time()
            for _ in range(times[name]):
                calls[name]()
            each = (time.process_time() - start) / times[name]
            times[name] = max(1, round(SHORTEST / max(each, 1e-9)))
            return [each]

        medians = self.by_turns({name: lambda n=name: timed(n) for name in calls})
        return {name: float(median[0]) for name, median in medians.items()}

    def rows(self, runs: Mapping[str, Callable[[], list[Row]]]) -> dict[str, list[Row]]:
        """Return rows of which each has the median of its "seconds" in all rounds."""
        rows: dict[str, list[Row]] = {}

        def timed(name: str) -> list[float]:
            rows[name] = runs[name]()
            return [row["seconds"] for row in rows[name]]

        medians = self.by_turns({name: lambda n=name: timed(n) for name in runs})
        return {
            name: [row | {"seconds": float(s)} for row, s in zip(last, medians[name], strict=True)]
            for name, last in rows.items()
        }

    def by_turns(self, runs: Mapping[str, Callable[[], Sequence[float]]]) -> dict[str, np.ndarray]:
        """Return the medians of what runs say of themselves; the last number decides on more."""
        measured: dict[str, list[Sequence[float]]] = {name: [] for name in runs}
        waiting = list(runs)
        number = 0
        while waiting and number < max(self.rounds, MOST_ROUNDS):
            first = number // 2 % len(waiting)
            order = waiting[first:] + waiting[:first]
            for name in order[:: -1 if number % 2 else 1]:
                measured[name].append(runs[name]())
            number += 1
            if number >= self.rounds:
                waiting = [name for name in waiting if spread_of(measured[name]) > SPREAD]
        self.spreads += [spread_of(rounds) for rounds in measured.values()]
        return {name: np.median(rounds, axis=0) for name, rounds in measured.items()}

    def note(self) -> str:
        """Say by which rule it was timed, and how many times have not settled."""
        beyond = sum(spread > SPREAD for spread in self.spreads)
        return f"{RULE} Of {len(self.spreads):,} times {beyond} had not settled then."


def spread_of(rounds: Sequence[Sequence[float]]) -> float:
    """Return the share of its median over which the middle half of the last numbers reaches.

    Examples
    --------
    >>> spread_of([[8.0], [10.0], [12.0]])
    0.2
    """
    low, middle, high = np.quantile([numbers[-1] for numbers in rounds], [0.25, 0.5, 0.75])
    return float((high - low) / middle) if middle > 0 else 0.0

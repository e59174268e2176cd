"""The rule by which the page on papers says that a statement holds, does not hold, or is open.

A statement is judged from at least five values, one for each seed or fold, in which whatever is
compared was run on the same examples. Everything else is open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

FEWEST = 5  # seeds or folds
LEVEL = 0.05
# How far two things may be apart that a paper calls equal, or a figure from the published one.
MARGINS = {
    "points": 0.5,  # of accuracy or F1 in percent: the smallest gain that a paper speaks of
    "exponent": 0.25,  # of a power of the size with which a time grows
    "factor": 2.0,  # "about as long as", "about ten times": half to twice as much
    "correlation": 0.05,
}
CHOSEN = (
    "The margins were chosen on 17 November 2026, before the runs on this page, but by people who "
    "had seen earlier runs on part of the same data. A statement that needs another bound says "
    "which; those of statements that were added later were chosen before these were first tested."
)
Holds = bool | Literal["open"] | None


class Verdict(NamedTuple):
    """Whether a statement holds, and the test that says so."""

    holds: Holds
    test: str


def greater(differences: Sequence[float], *, overlap: float = 0.0) -> Verdict:
    """Judge that one thing is more than another, from what it is more in each seed or fold.

    Parameters
    ----------
    differences : sequence of float
    overlap : float
        Where the folds or splits are of one corpus, so that their training parts share examples:
        test examples for each training example (the correction of Nadeau and Bengio, 2003).

    Examples
    --------
    >>> greater([1.0, 1.2, 0.9, 1.1, 1.0])
    Verdict(holds=True, test='p = 3.4e-05, paired t-test, 5 runs')
    >>> greater([1.0, -1.2, 0.9, -1.1, 1.0]).holds
    'open'
    >>> greater([1.0, 1.2])
    Verdict(holds='open', test='2 runs; the rule asks for 5')
    """
    if len(differences) < FEWEST:
        return _too_few(differences)
    mean, spread = _mean_and_spread(differences, overlap)
    count = len(differences)
    if spread == 0:
        p = 1.0 if mean == 0 else 0.0
    else:
        p = float(2 * stats.t.sf(abs(mean) / spread, count - 1))
    test = f"p = {_short(p)}, paired t-test, {count} runs"
    return Verdict("open" if p >= LEVEL else mean > 0, test)


def equal(
    differences: Sequence[float], margin: float, unit: str = "", *, overlap: float = 0.0
) -> Verdict:
    """Judge that two things are the same within a margin: both one-sided tests at 5 %.

    It does not hold if the difference is larger than the margin by such a test.

    Examples
    --------
    >>> equal([0.1, -0.1, 0.2, 0.0, 0.1], 0.5, "points")
    Verdict(holds=True, test='90 % interval -0.049 to 0.17 points, margin ±0.5, 5 runs')
    """
    return _within(differences, -margin, margin, unit, f"±{_short(margin)}", overlap)


def not_greater(
    differences: Sequence[float], margin: float, unit: str = "", *, overlap: float = 0.0
) -> Verdict:
    """Judge that one thing is at most a margin more than another."""
    return _within(differences, -np.inf, margin, unit, f"+{_short(margin)}", overlap)


def about(ratios: Sequence[float], published: float, factor: float | None = None) -> Verdict:
    """Judge that ratios are those of the paper, up to a factor either way.

    Examples
    --------
    >>> about([8.0, 9.0, 9.5, 8.5, 9.1], 10.0)
    Verdict(holds=True, test='90 % interval 8.3 to 9.4 times, margin 5 to 20, 5 runs')
    """
    factor = MARGINS["factor"] if factor is None else factor
    if len(ratios) < FEWEST:
        return _too_few(ratios)
    low, high = np.exp(_interval(np.log(ratios), 0.0))
    bounds = published / factor, published * factor
    test = (
        f"90 % interval {_short(low)} to {_short(high)} times, "
        f"margin {_short(bounds[0])} to {_short(bounds[1])}, {len(ratios)} runs"
    )
    return Verdict(_inside(low, high, *bounds), test)


def exactly(holds: bool, test: str = "no chance in it") -> Verdict:
    """Judge what is the same whenever it is run, such as an identity or a count."""
    return Verdict(bool(holds), test)


def all_of(verdicts: Sequence[Verdict]) -> Verdict:
    """Judge a table, or a statement with several parts: it holds if all of them do."""
    held = [verdict.holds for verdict in verdicts]
    counts = ", ".join(
        f"{held.count(value)} {word}"
        for value, word in ((True, "hold"), (False, "do not"), ("open", "open"))
        if held.count(value)
    )
    holds: Holds = False if False in held else "open" if "open" in held else True
    if len(verdicts) <= 2:
        return Verdict(holds, "; ".join(verdict.test for verdict in verdicts))
    return Verdict(holds, f"of {len(held)} parts {counts}")


def exponents_about(found: Sequence[float], published: float) -> Verdict:
    """Judge the power with which a time grows."""
    return equal([value - published for value in found], MARGINS["exponent"])


def _within(
    differences: Sequence[float], low: float, high: float, unit: str, margin: str, overlap: float
) -> Verdict:
    if len(differences) < FEWEST:
        return _too_few(differences)
    start, end = _interval(differences, overlap)
    test = f"90 % interval {_short(start)} to {_short(end)} {unit}".rstrip()
    return Verdict(
        _inside(start, end, low, high), f"{test}, margin {margin}, {len(differences)} runs"
    )


def _inside(start: float, end: float, low: float, high: float) -> Holds:
    if low < start and end < high:
        return True
    return False if end < low or start > high else "open"


def _interval(values: Sequence[float] | np.ndarray, overlap: float) -> tuple[float, float]:
    """Return the 90 % interval of the mean, of which both ends are one-sided tests at 5 %."""
    mean, spread = _mean_and_spread(values, overlap)
    reach = spread * float(stats.t.ppf(1 - LEVEL, len(values) - 1))
    return mean - reach, mean + reach


def _mean_and_spread(values: Sequence[float] | np.ndarray, overlap: float) -> tuple[float, float]:
    array = np.asarray(values, float)
    variance = float(array.var(ddof=1)) * (1 / len(array) + overlap)
    return float(array.mean()), float(np.sqrt(variance))


def _too_few(values: Sequence[float]) -> Verdict:
    runs = "run" if len(values) == 1 else "runs"
    return Verdict("open", f"{len(values)} {runs}; the rule asks for {FEWEST}")


def _short(value: float) -> str:
    return f"{value:.2g}" if abs(value) < 100 else f"{value:,.0f}"

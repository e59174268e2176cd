"""Splits by sentence, F1, and the paired bootstrap: how the scripts on papers compare learners."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

Counts = np.ndarray
Statistic = Callable[[Counts], np.ndarray]


def by_sentence(
    sentences: Sequence[str], shares: Sequence[float], seed: int = 0
) -> list[np.ndarray]:
    """Return the places of the examples of each part; all examples of a sentence are in one part.

    Parameters
    ----------
    sentences : sequence of str
        The sentence of each example.
    shares : sequence of float
        How much of the sentences each part gets; the last gets the rest.

    Examples
    --------
    >>> train, test = by_sentence(["a", "a", "b", "c", "c"], [0.7, 0.3])
    >>> sorted(int(place) for place in [*train, *test])
    [0, 1, 2, 3, 4]
    """
    names, members = np.unique(np.asarray(sentences), return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(names))
    bounds = np.round(np.cumsum(shares)[:-1] * len(names)).astype(int)
    part = np.empty(len(names), int)
    for number, chosen in enumerate(np.split(order, bounds)):
        part[chosen] = number
    return [np.flatnonzero(part[members] == number) for number in range(len(shares))]


def folds_by_sentence(
    sentences: Sequence[str], count: int, seed: int = 0
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test places of each fold; each sentence is in one test part."""
    parts = by_sentence(sentences, [1 / count] * count, seed)
    return [
        (np.sort(np.concatenate(parts[:fold] + parts[fold + 1 :])), parts[fold])
        for fold in range(count)
    ]


def right_counts(predicted: np.ndarray, truth: np.ndarray) -> Counts:
    """Return for each example whether it is right, and 1: what `rate` needs."""
    return np.column_stack([predicted == truth, np.ones(len(truth))]).astype(float)


def rate(counts: Counts) -> np.ndarray:
    """Return the share of what is right."""
    return counts[..., 0] / counts[..., 1]


def f1_counts(predicted: np.ndarray, truth: np.ndarray) -> Counts:
    """Return for each example what `f1` needs: hits, false alarms, misses of the class True."""
    return np.column_stack([predicted & truth, predicted & ~truth, ~predicted & truth]).astype(
        float
    )


def f1(counts: Counts) -> np.ndarray:
    """Return 2 hits / (2 hits + false alarms + misses), 0 where there is nothing."""
    hits = 2 * counts[..., 0]
    total = hits + counts[..., 1] + counts[..., 2]
    return np.divide(hits, total, out=np.zeros_like(hits), where=total > 0)


def paired_bootstrap(
    a: Counts,
    b: Counts,
    sentences: Sequence[str] | None = None,
    statistic: Statistic = rate,
    samples: int = 2000,
    seed: int = 0,
) -> dict[str, float]:
    """Compare two learners on the same examples by drawing whole sentences again and again.

    Returns
    -------
    dict
        ``difference`` of the statistic, a less b, its 95 % interval ``from`` and ``to``, and ``p``:
        how probable as large a difference were if there was none (two-sided).
    """
    groups = np.arange(len(a))
    if sentences is not None:
        groups = np.unique(np.asarray(sentences), return_inverse=True)[1]
    count = int(groups.max()) + 1
    sums = np.zeros((2, count, a.shape[1]))
    for side, counts in enumerate((a, b)):
        np.add.at(sums[side], groups, counts)
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(count, np.full(count, 1 / count), samples).astype(float)
    result = statistic(weights @ sums[0]) - statistic(weights @ sums[1])
    low, high = np.quantile(result, [0.025, 0.975])
    tail = min((result <= 0).sum(), (result >= 0).sum())
    return {
        "difference": float(statistic(a.sum(0)) - statistic(b.sum(0))),
        "from": float(low),
        "to": float(high),
        "p": float(min(1.0, 2 * (tail + 1) / (samples + 1))),
    }

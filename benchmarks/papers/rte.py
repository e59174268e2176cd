"""Entailment as the scripts on papers learn it: eight runs in which each pair is tested once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from scipy import stats
from sklearn.svm import SVC

import treekernels as tk

CHALLENGES = ("rte1", "rte2", "rte3", "rte5")
COLUMNS = ["label", "text", "hypothesis"]
DESIGN = (
    "Eight runs: RTE-1, 2 and 3, each learned from its development set and tested on its test set, "
    "and the other way round; and RTE-5, of whose 1,200 pairs the 600 of the development set are "
    "at hand, by halves. So each of the 5,167 pairs is tested once, and no two runs of a challenge "
    "share a training pair."
)
Run = tuple[np.ndarray, np.ndarray]  # places of what is learned from, and of what is tested


class Challenge(NamedTuple):
    """The pairs of one challenge, which of them are true, and its two runs."""

    pairs: tk.Pairs
    truth: np.ndarray
    runs: list[Run]


def read(path: Path, limit: int | None) -> tuple[tk.Pairs, np.ndarray]:
    """Return the anchored pairs of a file, and which of them are true."""
    table = tk.read(path, format="anchored-pairs", columns=COLUMNS)[:limit]
    return table["pair"], table["label"].astype(int)


def challenges(data: Path, limit: int | None) -> Iterator[tuple[str, Challenge]]:
    """Return the challenges one after the other."""
    for name in CHALLENGES:
        parts = ("dev",) if name == "rte5" else ("dev", "test")
        table = [read(data / f"{name}.{part}.anchored.tsv.gz", limit) for part in parts]
        pairs = tk.Pairs.concatenate([part for part, _ in table])
        truth = np.concatenate([answers for _, answers in table])
        half = np.arange(len(pairs)) % 2 == 1
        if len(table) == 2:
            half = np.arange(len(pairs)) >= len(table[0][0])
        one, two = np.flatnonzero(~half), np.flatnonzero(half)
        yield name, Challenge(pairs, truth, [(one, two), (two, one)])


def tested(gram: np.ndarray, challenge: Challenge, cost: float) -> list[np.ndarray]:
    """Return for each run which of the tested pairs a machine gets right."""
    right = []
    for train, test in challenge.runs:
        machine = SVC(kernel="precomputed", C=cost)
        machine.fit(gram[np.ix_(train, train)], challenge.truth[train])
        right.append(machine.predict(gram[np.ix_(test, train)]) == challenge.truth[test])
    return right


def percent(right: Sequence[np.ndarray]) -> np.ndarray:
    """Return the accuracy of each run in percent."""
    return np.array([100 * part.mean() for part in right])


def gains(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> list[float]:
    """Return by how many points one is better than the other in each run."""
    return list(percent(a) - percent(b))


def papers_test(
    a: Sequence[np.ndarray], b: Sequence[np.ndarray], *, of_pairs: bool = False
) -> float:
    """Return p of the paper's test, the two-sample t-test.

    The paper does not say of what: of the accuracies of the runs, or of all tested pairs.
    """
    samples = [np.concatenate(part).astype(float) if of_pairs else percent(part) for part in (a, b)]
    if all(np.ptp(sample) == 0 for sample in samples):
        return 1.0 if samples[0][0] == samples[1][0] else 0.0
    with warnings.catch_warnings():  # one of the samples may be of equal numbers
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_ind(*samples).pvalue)


def bootstrap(a: Sequence[np.ndarray], b: Sequence[np.ndarray], samples: int = 2000) -> float:
    """Return p of the paired bootstrap over all tested pairs, two-sided.

    To draw pairs again is to draw how many of them only the first gets right, and only the second.
    """
    one, two = (np.concatenate(part) for part in (a, b))
    counts = np.array([(one & ~two).sum(), (two & ~one).sum(), (one == two).sum()])
    drawn = np.random.default_rng(0).multinomial(counts.sum(), counts / counts.sum(), samples)
    result = drawn[:, 0] - drawn[:, 1]
    tail = min((result <= 0).sum(), (result >= 0).sum())
    return float(min(1.0, 2 * (tail + 1) / (samples + 1)))


def least(found: Mapping[float, float]) -> str:
    """Say which is the least of several p, and where."""
    decay = min(found, key=lambda key: found[key])
    return f"{found[decay]:.2g} (decay {decay})"

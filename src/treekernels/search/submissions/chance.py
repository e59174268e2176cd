"""How alike two submissions are by chance: the threshold that the distribution gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from treekernels.common.arrays import Array

FEWEST = 6
"""The number of submissions from which on the distribution says anything."""

WITHOUT_DISTRIBUTION = 0.5
LOWEST, HIGHEST = 0.2, 0.85

_SMALLEST = 1e-3  # the logarithm of odds has no end


@dataclass(frozen=True)
class Threshold:
    """From which similarity on a pair is worth a look, and why.

    Attributes
    ----------
    value : float
    reason : str
        A sentence.
    """

    value: float
    reason: str

    @classmethod
    def of(cls, similarities: Array) -> Threshold:
        """Find the similarity that chance is expected to reach in at most one pair of a course.

        Each submission has peers: those that it is much like, but not most like, because the few
        most similar ones may be copies. How the similarities of the peers fall off, as logarithms
        of odds, says how a tail of chance goes on above them. For a tail that falls off
        exponentially, ``k (x_k - x_(k+1))`` of the k-th largest values all have its scale as their
        mean (Rényi); the scale of the course is the median over its submissions, which copies do
        not move while fewer than half of the submissions have several.

        Parameters
        ----------
        similarities : array of shape (n, n)

        Examples
        --------
        >>> chance = np.random.default_rng(0).beta(2, 8, (60, 60))
        >>> similarities = np.triu(chance, 1) + np.triu(chance, 1).T
        >>> similarities[3, 5] = similarities[5, 3] = 0.95
        >>> bool(similarities.max() > Threshold.of(similarities).value > 0.6)
        True
        """
        count = len(similarities)
        if count < FEWEST:
            return cls(
                WITHOUT_DISTRIBUTION,
                f"With fewer than {FEWEST} submissions there is no distribution to speak of.",
            )
        best = max(2, min(5, count // 8))
        last = min(20, max(best + 2, count // 4), count - 1)
        others = similarities.astype(np.float64)
        np.fill_diagonal(others, -1.0)
        ranked = -np.partition(-others, np.arange(last), axis=1)[:, :last]
        ranked = np.clip(ranked, _SMALLEST, 1 - _SMALLEST)
        odds = np.log(ranked / (1 - ranked))
        ranks = np.arange(best, last)
        spacings = ranks * (odds[:, best - 1 : last - 1] - odds[:, best:last])
        scale = float(np.median(spacings.mean(axis=1)))
        # In a large group of copies, all peers are copies: they must not raise it for all others.
        peers = np.minimum(odds[:, -1], np.quantile(odds[:, -1], 0.9))
        highest = float(peers.max())
        if scale > 0:
            expected = 0.5 * last * float(np.exp((peers - highest) / scale).sum())
            highest += scale * np.log(expected)
        value = float(np.clip(1 / (1 + np.exp(-highest)), LOWEST, HIGHEST))
        return cls(
            value,
            "By chance, as the similarities of this course fall off, at most about one pair would "
            "be as similar as this.",
        )

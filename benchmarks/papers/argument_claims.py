"""What Moschitti (EACL 2006) says of kernels on arguments, on PropBank and on FrameNet alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
from argument_kernels import SINGLE, SUMS, Tried
from shared import claim as paper_says
from verdicts import MARGINS, Verdict, all_of, equal, greater, not_greater

from common import Row

POINTS = MARGINS["points"]
RICHER = "Its fragments are richer than the features."
WITH_SST = ("Linear+SST", "Poly+SST")
FEWEST_EXAMPLES = 100  # of a class in all test parts, for its F1 to say anything


class Statements:
    """Statements on the kernels tried; `overlap` is that of `verdicts.greater`."""

    def __init__(self, tried: Tried, overlap: float) -> None:
        self.tried = tried
        self.overlap = overlap

    def gain(self, a: str, b: str) -> np.ndarray:
        """Return how many points of accuracy one kernel is above another in each split."""
        return self.tried.accuracies(a) - self.tried.accuracies(b)

    def above(self, says: str, a: str, b: str, why: str, published: float | None = None) -> Row:
        """Judge that one kernel is more accurate than another."""
        gain = self.gain(a, b)
        verdict = greater(list(gain), overlap=self.overlap)
        return self._claim(says, gain, verdict, why, published)

    def by_about(self, says: str, a: str, b: str, published: float, why: str) -> Row:
        """Judge that the gain is the published one."""
        gain = self.gain(a, b)
        verdict = equal(list(gain - published), POINTS, "points", overlap=self.overlap)
        return self._claim(says, gain, verdict, why, published)

    def no_better(self, says: str, a: str, b: str, why: str) -> Row:
        """Judge that one kernel is not more accurate than another, up to the margin."""
        gain = self.gain(a, b)
        verdict = not_greater(list(gain), POINTS, "points", overlap=self.overlap)
        return self._claim(says, gain, verdict, why)

    def best(self, says: str, candidates: Sequence[str], others: Sequence[str]) -> Row:
        """Judge that the best of some kernels is more accurate than each of the others.

        Which of them it is, the validation part says: the test parts have no say in it.
        """
        best = max(candidates, key=lambda name: self.tried.settings[name].accuracy)
        verdicts = [greater(list(self.gain(best, b)), overlap=self.overlap) for b in others]
        next_best = max(others, key=lambda name: self.tried.accuracies(name).mean())
        why = (
            f"{best} was the best of {' and '.join(candidates)} on the validation part; the best "
            f"of the {len(others)} kernels that are no such sums is {next_best}."
        )
        return self._claim(says, self.gain(best, next_best), all_of(verdicts), why)

    def f1_follows_accuracy(self) -> Row:
        """Judge that a kernel which is more accurate than another has the higher F1 of each class.

        Looked at are the pairs of kernels whose accuracies differ by the test.
        """
        pairs = [
            (a, b)
            for a, b in permutations([name for name in SINGLE if name in self.tried.predicted], 2)
            if greater(list(self.gain(a, b)), overlap=self.overlap).holds is True
        ]
        labels, counts = np.unique(np.concatenate(self.tried.truth), return_counts=True)
        verdicts: list[Verdict] = []
        cells: list[Row] = []
        for label in labels[counts >= FEWEST_EXAMPLES]:
            result = [
                greater(
                    list(self.tried.f1s(a, label) - self.tried.f1s(b, label)), overlap=self.overlap
                )
                for a, b in pairs
            ]
            held = [verdict.holds for verdict in result]
            cells.append(
                {"class": str(label), "pairs of kernels": len(pairs)}
                | {"F1 agrees": held.count(True), "contradicts": held.count(False)}
                | {"open": held.count("open")}
            )
            verdicts += result
        return paper_says(
            "The F1 of single arguments follows the accuracy across kernels",
            holds=all_of(verdicts) if verdicts else Verdict("open", "nothing to compare"),
            why="Pairs of kernels whose accuracies differ by the test, and F1 of each class with "
            f"at least {FEWEST_EXAMPLES} examples.",
            cells=cells,
        )

    def features_and_sums(self, improves: float, linear: tuple[float, float] | None) -> list[Row]:
        """Return what is said of flat features and of sums of kernels.

        Parameters
        ----------
        improves : float
            By how many points ST and SST are said to improve Poly.
        linear : pair of float, optional
            By how many ST and SST improve Linear.
        """
        by_st, by_sst = linear or (None, None)
        others = [name for name in (*SINGLE, *SUMS) if name not in WITH_SST]
        made = [
            self.above("SST is more accurate than ST", "SST", "ST", "Whole subtrees seldom recur."),
            self.above(
                "Poly on features is more accurate than SST",
                "Poly",
                "SST",
                "The features name the predicate, the head and the path each on its own.",
            ),
        ]
        if linear:
            why = "It has conjunctions of features."
            made.append(self.above("Poly is more accurate than Linear", "Poly", "Linear", why, 2.9))
        for name in ("ST", "SST"):
            both = f"Poly+{name}"
            made.append(self.above(f"{name} improves Poly", both, "Poly", RICHER))
            made.append(
                self.by_about(
                    f"{name} improves Poly by about {improves:g} points", both, "Poly", improves, ""
                )
            )
        conjunctions = "Fragments stand in for conjunctions of features."
        return [
            *made,
            self.above("ST improves Linear", "Linear+ST", "Linear", conjunctions, by_st),
            self.above("SST improves Linear", "Linear+SST", "Linear", conjunctions, by_sst),
            self.above(
                "SST improves Linear more than ST does",
                "Linear+SST",
                "Linear+ST",
                RICHER,
                0.8 if linear else None,
            ),
            self.best("The best of all is a sum of SST and features", WITH_SST, others),
            self.f1_follows_accuracy(),
        ]

    def _claim(
        self,
        says: str,
        gain: np.ndarray,
        verdict: Verdict,
        why: str,
        published: float | None = None,
    ) -> Row:
        ours = float(gain.mean())
        return paper_says(
            says, published=published, ours=ours, unit="points", holds=verdict, why=why
        )


def decay_claims(found: dict[str, dict[float, np.ndarray]], overlap: float) -> list[Row]:
    """Judge the decays that the paper found to be best: none is better by more than the margin."""
    made = []
    for name, best in (("ST", 1.0), ("SST", 0.4)):
        own = found[name]
        verdicts = [
            not_greater(list(values - own[best]), POINTS, "points", overlap=overlap)
            for decay, values in own.items()
            if decay != best
        ]
        cells = [
            {"decay": decay, "accuracy, %": float(values.mean())}
            | {f"above decay {best:g}, points": float((values - own[best]).mean())}
            for decay, values in own.items()
        ]
        ours = max(own, key=lambda decay: own[decay].mean())
        made.append(
            paper_says(
                f"The best decay of {name} is {best:g}",
                published=best,
                ours=ours,
                holds=all_of(verdicts),
                why=f"No other decay may be better by more than {POINTS:g} points.",
                cells=cells,
            )
        )
    return made

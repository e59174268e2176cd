"""How kernels are compared for a learner: on which examples, and by what score.

Classes and numbers are compared by leaving out one example after the other. Kernel ridge regression
says what all others say of each, from one Gram matrix and in one step, and it treats many classes
as support vector machines do that set each of them against all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.common.arrays import Array, Floats, Places
from treekernels.common.random_states import check_random_state

FOLDS = 3  # of rankings
_FEWEST = 20  # examples that are worth a comparison
_FIRST, _LAST, _MOST = 300, 1200, 2400  # examples in the first round, and in the last one
_EACH = 4  # examples of each class in the first round


@dataclass(frozen=True)
class Comparison:
    """What a learner says about comparing kernels."""

    metric: str  # what a score is, for people
    rows: Places  # the sample: places in the training data
    # Returns scores of a Gram matrix of the sample: one for each example, or for each fold of a
    # ranking. The larger, the better.
    scores: Callable[[Floats], Floats]
    weights: Floats | None = None  # how much each example counts, if not all count the same

    def mean(self, scores: Floats) -> float:
        """Return the mean of scores, or of differences of them."""
        return float(np.average(scores, weights=self.weights))

    def standard_error(self, scores: Floats) -> float:
        """Return that of their mean."""
        shares = np.ones(len(scores)) if self.weights is None else self.weights
        shares = shares / shares.sum()
        spread = shares @ (scores - shares @ scores) ** 2
        scattered = shares @ shares  # one over as many examples as would say the same
        return float(np.sqrt(spread * scattered / (1 - scattered)))


Compare = Callable[[int], Comparison | None]
"""Make a comparison on no more than so many examples; None if there are too few of them."""


@dataclass(frozen=True)
class Contest:
    """How a learner compares kernels: in rounds, each on twice as many examples as the last."""

    compare: Compare
    count: int  # how many examples there are
    # How many classes there are, each of which should be in the sample several times.
    groups: int = 1
    fewest: int = _FEWEST  # how many examples are worth a comparison

    def sizes(self, most: int) -> list[int]:
        """Return how many examples each round may have, if memory and time allow so many."""
        if self.count < self.fewest:
            return []
        last = min(self.count, most, max(_LAST, min(_MOST, self.count // 4), _EACH * self.groups))
        sizes = [last]
        while sizes[0] >= 2 * max(_FIRST, _EACH * self.groups):
            sizes.insert(0, sizes[0] // 2)
        return sizes


def seed_of(random_state: Any) -> int:
    """Return a seed for the sample and the folds: always the same if there is no state."""
    if random_state is None:
        return 0
    return int(check_random_state(random_state).randint(2**31))


def left_out(gram: Floats, target: Floats, ridge: Floats) -> Floats:
    """Return what kernel ridge regression on all other examples says of each one.

    Parameters
    ----------
    gram : array of shape (examples, examples)
    target : array of shape (examples, outputs)
    ridge : array
        What is added to the diagonal for each example: the less it counts, the more. The mean
        target, weighted in the same way, is what is said where nothing is known.

    Notes
    -----
    With A for the Gram matrix with the ridge, and y for targets less their mean, what is said of
    example i by the others is off by ``(A^-1 y)_i / (A^-1)_ii``, and so nothing is learned twice.
    """
    from scipy.linalg import lapack

    mean = np.average(target, axis=0, weights=1 / ridge)
    factor = np.array(gram, order="F")
    factor.flat[:: len(gram) + 1] += ridge
    factor, failed = lapack.dpotrf(factor, lower=True, overwrite_a=True)
    if not failed:
        inverse, failed = lapack.dtrtri(factor, lower=True, overwrite_c=True)
    if failed:
        return np.full(target.shape, np.nan)
    weights = inverse.T @ (inverse @ (target - mean))
    error: Floats = weights / np.einsum("ij,ij->j", inverse, inverse)[:, None]
    return target - error


def compare_classes(
    y: Array, penalty: Callable[[float], float], seed: int, weights: Floats | None = None
) -> Contest:
    """Compare by accuracy. A class of which there is one example alone is left out.

    Parameters
    ----------
    penalty : callable
        Returns the C of the learner, given the mean of K(x, x).
    weights : array, optional
        How much each example counts, in learning and in the accuracy. Those of 0 are left out.
    """
    counted = _counted(y, weights)

    def compare(most: int) -> Comparison | None:
        rows = counted[_stratified(y[counted], most, np.random.RandomState(seed))]
        _, labels, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
        rows = rows[counts[labels] > 1]
        classes, labels = np.unique(y[rows], return_inverse=True)
        if len(classes) < 2:
            return None
        shares = None if weights is None else weights[rows]
        target = (labels[:, None] == np.arange(len(classes))).astype(float)

        def scores(gram: Floats) -> Floats:
            said = left_out(gram, target, _ridge(gram, penalty, shares))
            if not np.isfinite(said).all():
                return np.full(len(rows), np.nan)
            right: Floats = (said.argmax(axis=1) == labels).astype(float)
            return right

        return Comparison("accuracy", rows, scores, shares)

    return Contest(compare, len(counted), len(np.unique(y[counted])))


def compare_numbers(
    y: Floats, penalty: Callable[[float], float], seed: int, weights: Floats | None = None
) -> Contest:
    """Compare by R²: how much smaller squared errors are than those of the mean."""
    counted = _counted(y, weights)

    def compare(most: int) -> Comparison | None:
        rows = counted[np.sort(np.random.RandomState(seed).permutation(len(counted))[:most])]
        shares = None if weights is None else weights[rows]
        target = y[rows]
        variance = float(
            np.average((target - np.average(target, weights=shares)) ** 2, weights=shares)
        )
        if not variance > 0:
            return None

        def scores(gram: Floats) -> Floats:
            said = left_out(gram, target[:, None], _ridge(gram, penalty, shares))[:, 0]
            skill: Floats = 1 - (target - said) ** 2 / variance
            return skill

        return Comparison("R²", rows, scores, shares)

    return Contest(compare, len(counted))


def compare_rankings(
    y: Floats, queries: Places, learn: Callable[[Floats, Floats, Places], Floats], seed: int = 0
) -> Contest:
    """Compare by NDCG in folds. Queries stay together, unless there are fewer of them than folds.

    Parameters
    ----------
    learn : callable
        Returns the weights of examples, given their Gram matrix, their y and their queries.
    """

    def compare(most: int) -> Comparison | None:
        from sklearn.model_selection import GroupKFold, KFold

        from treekernels.metrics.ranking import ndcg

        random = np.random.RandomState(seed)
        several = len(np.unique(queries)) >= FOLDS
        mixed = random.permutation(len(y))
        if several:  # whole queries, in random order
            order = random.permutation(queries.max() + 1)[queries]
            mixed = np.argsort(order, kind="stable")
        rows = np.sort(mixed[:most])
        several = several and len(np.unique(queries[rows])) >= FOLDS
        grades, groups = y[rows], queries[rows]
        if several:
            folds = list(GroupKFold(FOLDS).split(rows, grades, groups))
        else:
            folds = list(KFold(FOLDS, shuffle=True, random_state=seed).split(rows))

        def score(gram: Floats, train: Places, test: Places) -> float:
            weights = learn(gram[np.ix_(train, train)], grades[train], groups[train])
            return ndcg(grades[test], gram[np.ix_(test, train)] @ weights, groups[test])

        def scores(gram: Floats) -> Floats:
            return np.array([score(gram, train, test) for train, test in folds])

        return Comparison("NDCG", rows, scores)

    return Contest(compare, len(y))


def _counted(y: Array, weights: Floats | None) -> Places:
    """Return the places of the examples that count."""
    return np.arange(len(y)) if weights is None else np.flatnonzero(weights)


def _ridge(gram: Floats, penalty: Callable[[float], float], weights: Floats | None) -> Floats:
    """Return the ridge that costs errors as much as C does, where they are squared."""
    ridge = 1 / (2 * penalty(float(np.trace(gram)) / len(gram)))
    return np.full(len(gram), ridge) if weights is None else ridge / weights


def _stratified(y: Array, most: int, random: np.random.RandomState) -> Places:
    """Return places of at most so many examples, with about the same share of each class.

    More examples have fewer among them.
    """
    if len(y) <= most:
        return np.arange(len(y))
    mixed = random.permutation(len(y))
    _, labels, counts = np.unique(y[mixed], return_inverse=True, return_counts=True)
    # The examples of a class are spread evenly over all places, and the first places are taken.
    order = np.argsort(labels, kind="stable")
    within = np.empty(len(y))
    within[order] = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
    return np.sort(mixed[np.argsort(within, kind="stable")[:most]])

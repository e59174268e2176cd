"""How kernels are compared for a learner: on which examples, in which folds, and by what score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treekernels.common.arrays import Array, Floats, Places
from treekernels.metrics.ranking import ndcg

FOLDS = 3
MOST_EXAMPLES = 1000
_FEWEST = 10  # examples that are worth a comparison

Fold = tuple[Places, Places]
Score = Callable[[Floats, Places, Places], float]
"""What is learned from the first places of a Gram matrix, tried on the second."""


@dataclass(frozen=True)
class Comparison:
    """What a learner says about comparing kernels.

    Attributes
    ----------
    metric : str
        What a score is, for people.
    rows : array of int
        The sample: places in the training data.
    folds : list of pairs of arrays
        Places in the sample to learn from, and places to be scored.
    score : callable
        Returns the score of a fold; the larger, the better.
    is_share : bool
        Whether a score is the share of examples that are right, whose standard error is known from
        their number. That of other scores can only be told from how much folds differ.
    """

    metric: str
    rows: Places
    folds: list[Fold]
    score: Score
    is_share: bool = False

    def standard_error(self, scores: Floats) -> float:
        """Return that of the mean of the scores of all folds."""
        if self.is_share:
            mean = float(scores.mean())
            return float(np.sqrt(max(0.0, mean * (1 - mean)) / len(self.rows)))
        return float(scores.std(ddof=1) / np.sqrt(len(scores)))


Compare = Callable[[int], Comparison | None]
"""Make a comparison on no more than so many examples; None if there are too few of them."""


def seed_of(random_state: Any) -> int:
    """Return a seed for the sample and the folds: always the same if there is no state."""
    if random_state is None:
        return 0
    return int(check_random_state(random_state).randint(2**31))


def compare_classes(y: Array, penalty: Callable[[float], float], seed: int) -> Compare:
    """Compare by accuracy, with a support vector machine of scikit-learn.

    It sets each class against each other one, which is quick also for many classes. A class that
    does not have an example in each fold is left out.

    Parameters
    ----------
    penalty : callable
        Returns the C of the learner, given the mean of K(x, x).
    """

    def compare(most: int) -> Comparison | None:
        from sklearn.model_selection import StratifiedKFold

        random = np.random.RandomState(seed)
        rows = _stratified(y, most, random)
        _, labels, counts = np.unique(y[rows], return_inverse=True, return_counts=True)
        rows = rows[counts[labels] >= FOLDS]
        if len(rows) < _FEWEST or (counts >= FOLDS).sum() < 2:
            return None
        own = y[rows]
        splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)

        def score(gram: Floats, train: Places, test: Places) -> float:
            from sklearn.svm import SVC

            learned = gram[np.ix_(train, train)]
            machine = SVC(kernel="precomputed", C=penalty(float(np.trace(learned)) / len(train)))
            machine.fit(learned, own[train])
            return float(np.mean(machine.predict(gram[np.ix_(test, train)]) == own[test]))

        folds = list(splitter.split(rows, own))
        return Comparison("accuracy", rows, folds, score, is_share=True)

    return compare


def compare_numbers(
    y: Floats, penalty: Callable[[float], float], epsilon: float, seed: int
) -> Compare:
    """Compare by R², with a support vector machine of scikit-learn."""

    def compare(most: int) -> Comparison | None:
        from sklearn.model_selection import KFold

        rows = np.sort(np.random.RandomState(seed).permutation(len(y))[:most])
        if len(rows) < _FEWEST:
            return None
        own = y[rows]
        splitter = KFold(FOLDS, shuffle=True, random_state=seed)

        def score(gram: Floats, train: Places, test: Places) -> float:
            from sklearn.metrics import r2_score
            from sklearn.svm import SVR

            learned = gram[np.ix_(train, train)]
            C = penalty(float(np.trace(learned)) / len(train))
            machine = SVR(kernel="precomputed", C=C, epsilon=epsilon).fit(learned, own[train])
            return float(r2_score(own[test], machine.predict(gram[np.ix_(test, train)])))

        return Comparison("R²", rows, list(splitter.split(rows)), score)

    return compare


def compare_rankings(
    y: Floats, queries: Places, learn: Callable[[Floats, Floats, Places], Floats], seed: int = 0
) -> Compare:
    """Compare by NDCG. Queries stay together, unless there are fewer of them than folds.

    Parameters
    ----------
    learn : callable
        Returns the weights of examples, given their Gram matrix, their y and their queries.
    """

    def compare(most: int) -> Comparison | None:
        from sklearn.model_selection import GroupKFold, KFold

        random = np.random.RandomState(seed)
        several = len(np.unique(queries)) >= FOLDS
        mixed = random.permutation(len(y))
        if several:  # whole queries, in random order
            order = random.permutation(queries.max() + 1)[queries]
            mixed = np.argsort(order, kind="stable")
        rows = np.sort(mixed[:most])
        several = several and len(np.unique(queries[rows])) >= FOLDS
        if len(rows) < _FEWEST:
            return None
        own, groups = y[rows], queries[rows]
        if several:
            folds = list(GroupKFold(FOLDS).split(rows, own, groups))
        else:
            folds = list(KFold(FOLDS, shuffle=True, random_state=seed).split(rows))

        def score(gram: Floats, train: Places, test: Places) -> float:
            weights = learn(gram[np.ix_(train, train)], own[train], groups[train])
            return ndcg(own[test], gram[np.ix_(test, train)] @ weights, groups[test])

        return Comparison("NDCG", rows, folds, score)

    return compare


def _stratified(y: Array, most: int, random: np.random.RandomState) -> Places:
    """Return places of at most so many examples, with about the same share of each class."""
    if len(y) <= most:
        return np.arange(len(y))
    mixed = random.permutation(len(y))
    _, labels, counts = np.unique(y[mixed], return_inverse=True, return_counts=True)
    # The examples of a class are spread evenly over all places, and the first places are taken.
    order = np.argsort(labels, kind="stable")
    within = np.empty(len(y))
    within[order] = np.concatenate([(np.arange(count) + 0.5) / count for count in counts])
    return np.sort(mixed[np.argsort(within, kind="stable")[:most]])

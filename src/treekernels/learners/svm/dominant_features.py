"""DominantFeatures: vectors that are far larger than all else in a support vector machine.

Descent on the sum of a large kernel of few dimensions and a small one is slow: to move a little in
the small one, many coefficients have to keep a balance in the large one. Here they need not. The
weights w of the features are found by the proximal point method: instead of |w|^2 / 2, which hardly
holds them, |w|^2 / 2 + rho |w - anchor|^2 / 2 is minimised again and again, the anchor being the
last w. In the dual problem that is the linear kernel made smaller by 1 + rho, and scores of the
anchor to begin with; rho makes it as large as the rest. (The intercept is found so too, as a
feature that nothing holds.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.kernels.base.feature_rows import FeatureRows


class DominantFeatures:
    """The features of one summand, with their anchor.

    All weights are kept as sums of examples: they are to be multiplied by the square root of
    `weight`, as the features are.

    Parameters
    ----------
    rows : FeatureRows
    weight : float
        The weight of the linear kernel in the sum.
    scale : float
        How many times larger it is than the rest.
    n_outputs : int
    """

    def __init__(self, rows: FeatureRows, weight: float, scale: float, n_outputs: int) -> None:
        self.rows = rows
        self.weight = weight
        self.rho = scale - 1
        self.anchor = np.zeros((rows.width, n_outputs))
        self._matrix: Any = rows.matrix()

    def summand(self) -> _native.Summand:
        """Return the features for a solver that begins without coefficients."""
        # What the solver adds up goes into this array; together with the anchor's part it is all
        # that scores are made of.
        self._learned = self.rho * self.anchor
        smaller = self.weight / (1 + self.rho)
        return self.rows.linear_summand(smaller, self.anchor.shape[1], self._learned)

    @property
    def weights(self) -> Floats:
        """The weights that the scores are made of: a point of the primal problem."""
        result: Floats = self._learned / (1 + self.rho)
        return result

    @property
    def _sums(self) -> Floats:
        """The sums of the examples, times their coefficients: what `weights` are in the end."""
        result: Floats = self._learned - self.rho * self.anchor
        return result

    def move(self, violation: float) -> bool:
        """Move the anchor, if it holds the scores back by more than they change in an epoch.

        That changes what all examples score.
        """
        change = self.weight / (1 + self.rho) * (self._matrix @ (self._sums - self.anchor))
        if violation > np.abs(change).max(initial=0.0):
            return False
        weights = self.weights
        self._learned += self.rho * (weights - self.anchor)
        self.anchor = weights
        return True

    def corrections(self) -> tuple[Floats, Floats]:
        """Return what to add to primal and dual objectives that took the scores for the sums'."""
        weights, sums = self.weights, self._sums
        mixed = (weights * sums).sum(axis=0)
        primal = self.weight / 2 * ((weights**2).sum(axis=0) - mixed)
        dual = self.weight / 2 * (mixed - (sums**2).sum(axis=0))
        return primal, dual

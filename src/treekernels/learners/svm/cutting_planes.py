"""Ranking machines by cutting planes, which ask a kernel for scores and not for pairs of trees.

The problem is ``|w|^2 / 2 + sum of c max(0, 1 - w (x_a - x_b))`` over preferences of a to b. It is
convex, and lies above each of its planes: at any w, a plane is a sum of weighted examples, one
weight each, however many preferences there are. So what is asked of the kernel is one product of
its matrix with a vector in each step, and that is what a weighted forest computes without the
matrix. A small problem in the planes found so far tells where to look next (Franc and Sonnenburg,
*Optimized cutting plane algorithm*, ICML 2008).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from treekernels.common.arrays import Floats, Places

Product = Callable[[Floats], Floats]

_BEYOND = 0.1  # how far from the best towards the planes' own minimum the next plane is put
_FARTHEST = 10.0  # on a line, in multiples of the way to the other point
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class Preferences:
    """Pairs of examples of which the first should have the larger score."""

    better: Places
    worse: Places
    costs: Floats  # what it costs if the margin is missed by 1
    count: int  # the number of examples

    def margins(self, scores: Floats) -> Floats:
        """Return by how much the better example of each pair has the larger score."""
        margins: Floats = scores[self.better] - scores[self.worse]
        return margins

    def loss(self, margins: Floats) -> float:
        """Return the sum of what missed margins cost."""
        return float(self.costs @ np.maximum(0.0, 1.0 - margins))

    def plane(self, margins: Floats) -> tuple[Floats, float]:
        """Return the weights of examples, and the height, of the plane that touches the loss."""
        missed = margins < 1
        costs = self.costs[missed]
        weights = np.zeros(self.count)
        weights += np.bincount(self.better[missed], costs, self.count)
        weights -= np.bincount(self.worse[missed], costs, self.count)
        return weights, float(costs.sum())


@dataclass
class _Point:
    """A w as a sum of weighted examples, and what it gives each example."""

    weights: Floats
    scores: Floats

    @property
    def norm(self) -> float:
        return float(self.weights @ self.scores)

    def towards(self, other: _Point, share: float) -> _Point:
        return _Point(
            (1 - share) * self.weights + share * other.weights,
            (1 - share) * self.scores + share * other.scores,
        )


@dataclass
class CuttingPlanes:
    """The search for the best weights of examples."""

    preferences: Preferences
    product: Product  # returns the Gram matrix of the examples times a vector
    objective: float = np.inf
    bound: float = 0.0
    steps: int = 0
    _planes: list[_Point] = field(default_factory=list)
    _heights: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        nothing = np.zeros(self.preferences.count)
        self.best = _Point(nothing, nothing)
        self.objective = self.preferences.loss(self.preferences.margins(nothing))
        self._planes.append(self.best)  # the loss is never below zero
        self._heights.append(0.0)
        self._products = np.zeros((1, 1))
        self._shares = np.ones(1)
        self._next = self.best

    @property
    def gap(self) -> float:
        """By how much the best weights so far may be worse than the best of all."""
        return max(0.0, self.objective - self.bound)

    def step(self, tol: float) -> None:
        """Add a plane, and look for better weights; `tol` is the part that the gap may be."""
        self._add_plane(self._next)
        self._solve_planes(0.01 * tol * max(self.objective, 1e-300))
        lowest = self._lowest()
        self.bound = max(self.bound, float(self._shares @ self._heights) - lowest.norm / 2)
        share, objective = self._search_line(lowest)
        if objective < self.objective:
            better = self.best.towards(lowest, share)
            self.best, self.objective = better, objective  # together, should Ctrl-C come now
        self._next = self.best.towards(lowest, _BEYOND)
        self.steps += 1

    def _add_plane(self, point: _Point) -> None:
        weights, height = self.preferences.plane(self.preferences.margins(point.scores))
        plane = _Point(weights, self.product(weights))
        between = np.array([other.weights @ plane.scores for other in self._planes])
        size = len(self._planes)
        products = np.empty((size + 1, size + 1))
        products[:size, :size] = self._products
        products[:size, size] = products[size, :size] = between
        products[size, size] = max(0.0, plane.norm)
        self._products = products
        self._planes.append(plane)
        self._heights.append(height)
        self._shares = np.append(self._shares, 0.0)

    def _solve_planes(self, tol: float) -> None:
        """Find the shares, not negative and 1 together, of the planes at their lowest point.

        Two shares at a time are changed: those that promise most.
        """
        products, shares = self._products, self._shares
        slopes = products @ shares - self._heights
        for _ in range(_MOST_STEPS):
            more = int(np.argmin(slopes))
            less = int(np.argmax(np.where(shares > 0, slopes, -np.inf)))
            promise = slopes[less] - slopes[more]
            if promise <= tol:
                break
            bend = products[more, more] + products[less, less] - 2 * products[more, less]
            change = shares[less] if bend <= 0 else min(promise / bend, shares[less])
            shares[more] += change
            shares[less] = 0.0 if change == shares[less] else shares[less] - change
            slopes += change * (products[:, more] - products[:, less])

    def _lowest(self) -> _Point:
        used = np.flatnonzero(self._shares)
        shares = self._shares[used]
        return _Point(
            shares @ np.array([self._planes[plane].weights for plane in used]),
            shares @ np.array([self._planes[plane].scores for plane in used]),
        )

    def _search_line(self, other: _Point) -> tuple[float, float]:
        """Return the best place on the line from the best point so far to another one.

        The objective there is a parabola with kinks where a margin is just met: its slope rises,
        and where it passes zero is the lowest point.
        """
        preferences = self.preferences
        here = preferences.margins(self.best.scores)
        change = preferences.margins(other.scores) - here
        cross = float(self.best.weights @ other.scores)
        bend = max(0.0, self.best.norm - 2 * cross + other.norm)
        missed = np.where(change == 0, here < 1, np.where(change > 0, here < 1, here <= 1))
        slope = cross - self.best.norm - float(preferences.costs[missed] @ change[missed])
        with np.errstate(divide="ignore", invalid="ignore"):
            kinks = (1 - here) / change
        ahead = np.flatnonzero((change != 0) & (kinks > 0))
        ahead = ahead[np.argsort(kinks[ahead])]
        rises = preferences.costs[ahead] * np.abs(change[ahead])
        places = np.concatenate([[0.0], kinks[ahead]])
        before = slope + np.concatenate([[0.0], np.cumsum(rises)])  # without the parabola's part
        # The slope just behind each kink, and the first of them at which it is not negative.
        passed = int(np.searchsorted(before + bend * places, 0.0))
        if passed == 0:
            share = 0.0
        else:
            flat = before[passed - 1]
            limit = places[passed] if passed < len(places) else np.inf
            share = min(-flat / bend if bend > 0 else limit, limit)
            # Farther away, large weights cancel out, and little of the value is left.
            share = min(share, _FARTHEST)
        point = self.best.towards(other, share)
        loss = preferences.loss(preferences.margins(point.scores))
        return share, max(0.0, point.norm) / 2 + loss

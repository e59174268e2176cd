"""The intercepts of all shards together, found exactly although no one sees all scores.

The loss, as a function of the intercept, is made of straight lines with a kink for each example.
Every shard sends its slopes on a grid, and then its kinks in the one cell of the grid where the
slope changes its sign. These are a few thousand numbers, however many examples there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.learning.descent_tasks import Shard

Matrix = NDArray[np.float64]

_CELLS = 1024
_FLAT = 1e-12  # weights that add up to nothing leave some rounding


def _kinks(
    shard: Shard, scores: Matrix, k: int, epsilon: float | None
) -> tuple[Matrix, Matrix, float]:
    """Return places and weights of the kinks of an output, and the slope far to the left."""
    open_ = shard.target[:, k] - scores[:, k]
    weight = shard.bound[:, k]
    if epsilon is None:
        return open_, weight, -float(weight[shard.target[:, k] > 0].sum())
    places = np.concatenate([open_ - epsilon, open_ + epsilon])
    return places, np.concatenate([weight, weight]), -float(weight.sum())


@dataclass(frozen=True)
class Sums:
    """What a shard adds to the objectives, one number for each output, and its extent."""

    square: Matrix  # the coefficients times the scores: over all shards, the norm of the model
    linear: Matrix  # the coefficients times the targets, less epsilon for each
    coefficients: Matrix  # their sum
    least: Matrix  # the first kink
    most: Matrix  # the last kink
    lowest: Matrix  # the smallest target
    highest: Matrix  # the largest target
    weight: Matrix  # of all kinks


def sums_of(shard: Shard, scores: Matrix, beta: Matrix, epsilon: float | None) -> Sums:
    """Return the sums of a shard."""
    outputs = shard.target.shape[1]
    width = epsilon or 0.0
    open_ = shard.target - scores
    if len(shard):
        least, most = open_.min(axis=0) - width, open_.max(axis=0) + width
        lowest, highest = shard.target.min(axis=0), shard.target.max(axis=0)
    else:
        least = lowest = np.full(outputs, np.inf)
        most = highest = np.full(outputs, -np.inf)
    return Sums(
        (beta * scores).sum(axis=0),
        (shard.target * beta - width * np.abs(beta)).sum(axis=0),
        beta.sum(axis=0),
        *(least, most, lowest, highest),
        shard.bound.sum(axis=0) * (1 if epsilon is None else 2),
    )


def extent(sums: list[Sums]) -> tuple[Matrix, Matrix]:
    """Return the first and the last kink of all shards."""
    return np.min([part.least for part in sums], 0), np.max([part.most for part in sums], 0)


def grid_of(
    shard: Shard, scores: Matrix, extent: tuple[Matrix, Matrix], epsilon: float | None
) -> Matrix:
    """Return the slopes of the loss on the grid, just right of each of its points."""
    points = _grid(extent)
    slopes = np.zeros(points.shape)
    for k in range(points.shape[1]):
        places, weights, slope = _kinks(shard, scores, k, epsilon)
        order = np.argsort(places, kind="stable")
        total = np.concatenate([[0.0], np.cumsum(weights[order])])
        slopes[:, k] = slope + total[np.searchsorted(places[order], points[:, k], side="right")]
    return slopes


def _grid(extent: tuple[Matrix, Matrix]) -> Matrix:
    return np.linspace(*extent, _CELLS + 1)


@dataclass(frozen=True)
class Cell:
    """How the loss of one output bends within a cell of the grid, for some or all examples."""

    slope: float  # on the left of the cell
    places: Matrix  # of the kinks within it, and of the next on the right of it
    weights: Matrix  # of these kinks

    @staticmethod
    def joined(cells: list[Cell]) -> Cell:
        """Return the cell of all shards."""
        places = np.concatenate([cell.places for cell in cells])
        weights = np.concatenate([cell.weights for cell in cells])
        order = np.lexsort((weights, places))
        slope = sum(cell.slope for cell in cells)
        return Cell(slope, places[order], weights[order])


def cell_of(
    shard: Shard,
    scores: Matrix,
    extent: tuple[Matrix, Matrix],
    slopes: Matrix,
    weight: Matrix,
    epsilon: float | None,
) -> list[Cell]:
    """Return what a shard has in the cells, one for each output, where all slopes change sign.

    Slopes and weights are those of all shards together.
    """
    points = _grid(extent)
    cells = []
    for k in range(points.shape[1]):
        # The first point from which on the slope is not below zero ends the cell.
        end = int(np.argmax(slopes[:, k] >= -_FLAT * weight[k]))
        left = points[end - 1, k] if end else np.nextafter(points[0, k], -np.inf)
        right = points[end, k]
        places, weights, slope = _kinks(shard, scores, k, epsilon)
        slope += float(weights[places <= left].sum())
        within = (places > left) & (places <= right)
        beyond = np.flatnonzero((places > right) & (weights > 0))
        kept = np.flatnonzero(within & (weights > 0))
        if len(beyond):
            kept = np.append(kept, beyond[np.argmin(places[beyond])])
        cells.append(Cell(slope, places[kept], weights[kept]))
    return cells


def losses_of(shard: Shard, scores: Matrix, intercept: Matrix, epsilon: float | None) -> Matrix:
    """Return the loss of a shard, for each output."""
    open_ = shard.target - scores - intercept
    if epsilon is None:
        losses = np.maximum(0.0, shard.target * open_)
    else:
        losses = np.maximum(0.0, np.abs(open_) - epsilon)
    total: Matrix = (shard.bound * losses).sum(axis=0)
    return total


def best_intercept(cell: Cell, weight: float) -> float:
    """Return where the loss is smallest, or the middle of where it is flat.

    `cell` is that of all shards, and `weight` that of all kinks.
    """
    slopes = cell.slope + np.cumsum(cell.weights)
    reached = np.flatnonzero(slopes >= -_FLAT * weight)
    if not len(reached):
        return float(cell.places[-1]) if len(cell.places) else 0.0
    first = int(reached[0])
    flat = slopes[first] <= _FLAT * weight and first + 1 < len(cell.places)
    return float((cell.places[first] + cell.places[first + 1 if flat else first]) / 2)

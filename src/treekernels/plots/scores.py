"""Plots of how well labels were learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from treekernels.common.arrays import text_array
from treekernels.common.optional import require
from treekernels.drawing.colours import AGAINST, FOR
from treekernels.plots.style import (
    MAX_LENGTH,
    displayable_name,
    hide_empty_spines,
    new_axes,
    text_colour,
)

__all__ = ["confusion_matrix", "learning_curve", "matrix_size"]

MAX_NAMES = 60  # of classes along an axis
MAX_NUMBERS = 12  # of classes, for numbers in the cells


def learning_curve(
    sizes: ArrayLike,
    scores: ArrayLike,
    *,
    train_scores: ArrayLike | None = None,
    baseline: float | None = None,
    score: str = "accuracy",
    ax: Any = None,
) -> Any:
    """Plot how a score grows with the number of examples.

    Parameters
    ----------
    sizes : array of shape (n_sizes,)
        How many examples were learned from.
    scores, train_scores : array of shape (n_sizes,) or (n_sizes, n_repeats)
        The scores on examples that were not learned from, and on those that were. If there are
        repeats, their mean is drawn, in a band of one standard deviation to each side. You get
        the three arrays from scikit-learn's `learning_curve`.
    baseline : float, optional
        The score of always predicting the most common class, for comparison.
    score : str, default="accuracy"
        The name of the score.
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from treekernels import plots
    >>> ax = plots.learning_curve([10, 100, 1000], [0.5, 0.7, 0.8], baseline=0.3)
    >>> ax.get_ylabel()
    'accuracy'
    """
    ax = new_axes(ax)
    places = np.asarray(sizes, float)
    ends = []
    for values, colour, marker, name, above in (
        (train_scores, AGAINST, "s", "learned from", -14),
        (scores, FOR, "o", "not learned from", 8),
    ):
        if values is None:
            continue
        table = np.asarray(values, float).reshape(len(places), -1)
        mean = table.mean(axis=1)
        ax.plot(places, mean, color=colour, marker=marker, markersize=5, linewidth=2)
        if table.shape[1] > 1:
            spread = table.std(axis=1)
            ax.fill_between(places, mean - spread, mean + spread, color=colour, alpha=0.2, lw=0)
        ends.append((mean[-1], name, above))
    if len(ends) > 1:  # names at the end of the lines need no legend
        for value, name, above in ends:
            ax.annotate(
                name, (places[-1], value), (-4, above), textcoords="offset points", ha="right"
            )
    if baseline is not None:
        ax.axhline(baseline, color=text_colour(), alpha=0.6, linestyle="--", linewidth=1)
        ax.annotate(
            "commonest class", (0, baseline), (4, 4), xycoords=ax.get_yaxis_transform(),
            textcoords="offset points", fontsize="small",
        )  # fmt: skip
    if len(places) > 1 and places.min() > 0 and places.max() > 8 * places.min():
        ax.set_xscale("log")
        ticks = places if len(places) <= 6 else places[:: len(places) // 5]
        ax.set_xticks(ticks, [f"{place:,.0f}" for place in ticks])
        ax.set_xticks([], minor=True)
    lowest = min([value for value, *_ in ends] + ([baseline] if baseline is not None else []))
    ax.set_ylim(bottom=0 if lowest < 0.5 else None, top=1.02)
    ax.set_xlabel("examples learned from")
    ax.set_ylabel(score)
    ax.grid(axis="y", alpha=0.25)
    hide_empty_spines(ax)
    return ax


def confusion_matrix(expected: ArrayLike, predicted: ArrayLike, *, ax: Any = None) -> Any:
    """Plot which classes were mistaken for which.

    Each row is a true class. The larger the share of its examples in a cell, the bluer is the cell.

    Parameters
    ----------
    expected, predicted : array of labels
    ax : matplotlib axes, optional

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("Agg")
    >>> from treekernels import plots
    >>> ax = plots.confusion_matrix(["cat", "cat", "dog"], ["cat", "dog", "dog"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    labels = [text_array(np.asarray(side)) for side in (expected, predicted)]
    names, codes = np.unique(np.concatenate(labels), return_inverse=True)
    counts = np.zeros((len(names), len(names)), int)
    np.add.at(counts, (codes[: len(labels[0])], codes[len(labels[0]) :]), 1)
    shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    size = matrix_size(names.tolist())
    ax = new_axes(ax, (size, size))
    ax.imshow(shares, cmap=_blues(), vmin=0, vmax=1)
    if len(names) <= MAX_NUMBERS:
        for (row, column), count in np.ndenumerate(counts):
            ax.text(
                column, row, f"{count:,}", ha="center", va="center", fontsize="small",
                color="white" if shares[row, column] > 0.5 else text_colour(),
                alpha=1 if count else 0.4,
            )  # fmt: skip
    if len(names) <= MAX_NAMES:
        displayed = [displayable_name(name) for name in names]
        style = {"fontsize": "medium" if len(names) <= MAX_NUMBERS else "small"}
        rotation = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(names)), displayed, **style, **rotation)
        ax.set_yticks(range(len(names)), displayed, **style)
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    ax.set_xlabel("predicted")
    ax.set_ylabel("right")
    ax.tick_params(length=0)
    ax.spines[:].set_alpha(0.3)
    return ax


def matrix_size(names: Sequence[str]) -> float:
    """Return the inches that a confusion matrix needs, with its names."""
    longest = max((min(len(name), MAX_LENGTH) for name in names), default=0)
    few = min(len(names), MAX_NUMBERS)
    return 1.4 + 0.1 * longest + 0.3 * few + 0.15 * (min(len(names), MAX_NAMES) - few)


def _blues() -> Any:
    """Return colours from nothing, which suits light and dark pages, to blue."""
    colors = require("matplotlib.colors", "plots", "a plot")
    blue = colors.to_rgb(FOR)
    return colors.LinearSegmentedColormap.from_list("blues", [(*blue, 0.04), (*blue, 1.0)])

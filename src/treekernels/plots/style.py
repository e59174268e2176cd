"""What the plots have in common: axes, colours, and names as they can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.optional import require
from treekernels.drawing.colours import GROUPS

__all__ = ["CLASSES", "LONGEST", "MARKERS", "commonest", "ink", "new_axes", "open_", "plain"]

CLASSES = (*GROUPS, "#b3a125", "#8c8c8c")  # the last two serve on light and dark pages
MARKERS = "os^DvPX<"
LONGEST = 20  # characters of a name


def new_axes(ax: Any, size: Sequence[float] = (5.6, 3.8)) -> Any:
    """Return the axes, or new ones of a size in inches."""
    if ax is not None:
        return ax
    pyplot = require("matplotlib.pyplot", "plots", "a plot")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def ink() -> Any:
    """Return the colour of text."""
    return require("matplotlib", "plots", "a plot").rcParams["text.color"]


def open_(ax: Any) -> None:
    """Leave out the lines that hold nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def commonest(labels: NDArray[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Return the number of each label among the commonest, and their names; the rest are one."""
    names, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(names), np.intp)
    ranks[order] = np.arange(len(names))
    shown = names[order].tolist()
    if len(shown) > len(CLASSES):
        shown[len(CLASSES) - 1 :] = [f"{len(shown) - len(CLASSES) + 1} others"]
    return np.minimum(ranks, len(shown) - 1)[codes], shown


def plain(name: str) -> str:
    """Return a name in a form in which matplotlib shows it: no formulas, and nothing is hidden."""
    shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    shown = shown.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown

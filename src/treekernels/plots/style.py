"""What the plots have in common: axes, colours, and names as they can be shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.common.optional import require
from treekernels.drawing.colours import GROUPS
from treekernels.drawing.markup import visible_text

CLASSES = (*GROUPS, "#b3a125", "#8c8c8c")  # the last two serve on light and dark pages
MARKERS = "os^DvPX<"
MAX_LENGTH = 20  # characters of a name


def new_axes(ax: Any, size: Sequence[float] = (5.6, 3.8)) -> Any:
    """Return the axes, or new ones of a size in inches."""
    if ax is not None:
        return ax
    pyplot = require("matplotlib.pyplot", "plots", "a plot")
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def text_colour() -> Any:
    """Return the colour of text."""
    return require("matplotlib", "plots", "a plot").rcParams["text.color"]


def hide_empty_spines(ax: Any) -> None:
    """Hide the upper and the right edge of the axes, which carry no scale."""
    ax.spines[["top", "right"]].set_visible(False)


def commonest_labels(labels: NDArray[Any]) -> tuple[NDArray[np.intp], list[str]]:
    """Return the number of each label among the commonest, and their names; the rest are one."""
    names, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    ranks = np.empty(len(names), np.intp)
    ranks[order] = np.arange(len(names))
    displayed = names[order].tolist()
    if len(displayed) > len(CLASSES):
        displayed[len(CLASSES) - 1 :] = [f"{len(displayed) - len(CLASSES) + 1} others"]
    return np.minimum(ranks, len(displayed) - 1)[codes], displayed


def displayable_name(name: str) -> str:
    """Return a name as matplotlib can show it: short, without formulas, and not hidden."""
    text = name if len(name) <= MAX_LENGTH else f"{name[: MAX_LENGTH - 1]}…"
    # The usual fonts have no pictures of control characters.
    text = re.sub("[\u2400-\u2421]", "\N{REPLACEMENT CHARACTER}", visible_text(text)).replace(
        "$", r"\$"
    )
    return f" {text}" if text.startswith("_") else text

"""Plots as SVG inside a page: in the page's own colours and font, and with names of their own."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

from treekernels import plots
from treekernels.common.optional import require
from treekernels.plots.scores import matrix_size
from treekernels.report.contents import Report

__all__ = ["figures"]

_INK = "#010203"  # stands for the colour of the page's text
_SETTINGS = {
    "font.size": 9,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "treekernels",
}


def figures(report: Report) -> dict[str, str]:
    """Return the plots of a report by name."""
    baseline = _commonest(report)
    names = sorted({*map(str, report.expected), *map(str, report.predicted)})
    # Small, so that text is still readable when a phone makes them as narrow as itself.
    side = max(3.4, matrix_size(names))
    pictures = {
        "confusion": _svg(
            "confusion",
            (side, side),
            lambda ax: plots.confusion_matrix(report.expected, report.predicted, ax=ax),
        )
    }
    curve, gram, labels = report.curve, report.gram, report.gram_labels
    if curve is not None:
        pictures["curve"] = _svg(
            "curve",
            (4.0, 2.9),
            lambda ax: plots.learning_curve(*curve, baseline=baseline, ax=ax),
        )
    if gram is not None and len(gram) > 1:
        pictures["gram"] = _svg(
            "gram", (4.0, 3.6), lambda ax: plots.gram_heatmap(gram, labels, ax=ax)
        )
        pictures["map"] = _svg(
            "map", (4.0, 3.6), lambda ax: plots.embedding_map(gram, labels, gram=True, ax=ax)
        )
    return pictures


def _commonest(report: Report) -> float:
    names = [str(name) for name in report.expected]
    return max(map(names.count, set(names))) / len(names)


def _svg(name: str, size: tuple[float, float], draw: Callable[[Any], Any]) -> str:
    matplotlib = require("matplotlib", "report", "a report")
    figure_module = require("matplotlib.figure", "report", "a report")
    file = io.StringIO()
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has other fonts
        figure = figure_module.Figure(size, layout="constrained")
        draw(figure.subplots())
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = text.replace(_INK, "currentColor")
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px system-ui, sans-serif", text)
    # Several plots share a page, so each gets names of its own.
    text = re.sub(r'\b(id="|href="#|url\(#)', rf"\1{name}-", text)
    # A page gives the width, and the height follows.
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return text.replace("<svg", f'<svg style="min-width:{_least(size)}px" role="img"', 1)


def _least(size: tuple[float, float]) -> int:
    """Return the width in pixels below which a plot scrolls instead of becoming smaller."""
    return round(72 * size[0] * 0.95) if size[0] > 5.6 else 0

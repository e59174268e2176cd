"""Plots as SVG inside a page: in the page's own colours and font, and with names of their own."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from treekernels import plots
from treekernels.common.optional import require
from treekernels.plots.scores import matrix_size
from treekernels.report.contents import Report

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
    labels = (report.expected, report.predicted)
    expected, predicted = ([str(name) for name in side] for side in labels)
    baseline = max(map(expected.count, set(expected))) / len(expected)
    # Small, so that text is still readable when a phone makes them as narrow as itself.
    side = max(3.4, matrix_size(sorted({*expected, *predicted})))
    drawings: dict[str, tuple[tuple[float, float], Callable[..., Any]]] = {
        "confusion": ((side, side), partial(plots.confusion_matrix, expected, predicted))
    }
    if report.curve is not None:
        curve = partial(plots.learning_curve, *report.curve, baseline=baseline)
        drawings["curve"] = ((4.0, 2.9), curve)
    if report.gram is not None and len(report.gram) > 1:
        examples = report.gram, report.gram_labels
        drawings["gram"] = ((4.0, 3.6), partial(plots.gram_heatmap, *examples))
        drawings["map"] = ((4.0, 3.6), partial(plots.embedding_map, *examples, gram=True))
    return {name: _svg(name, size, draw) for name, (size, draw) in drawings.items()}


def _svg(name: str, size: tuple[float, float], draw: Callable[..., Any]) -> str:
    matplotlib = require("matplotlib", "report", "a report")
    figure_module = require("matplotlib.figure", "report", "a report")
    file = io.StringIO()
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # the browser has other fonts
        figure = figure_module.Figure(size, layout="constrained")
        draw(ax=figure.subplots())
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
    # Below this width, in pixels, a plot scrolls instead of becoming smaller.
    least = round(72 * size[0] * 0.95) if size[0] > 5.6 else 0
    return text.replace("<svg", f'<svg style="min-width:{least}px" role="img"', 1)

"""The page of a report: one HTML file that needs no other."""

from __future__ import annotations

import io
import os
import re
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from treekernels import plots
from treekernels.common.optional import require
from treekernels.common.text import count_noun
from treekernels.common.version import __version__
from treekernels.drawing import svg
from treekernels.drawing.colours import AGAINST, FOR, GROUPS, IN_THE_DARK
from treekernels.drawing.markup import visible_text
from treekernels.drawing.notebook import html_of_fragment
from treekernels.explanation.fragment import Fragment
from treekernels.io.files.atomic import write_lines
from treekernels.plots.scores import matrix_size
from treekernels.report.contents import Mistake, Report

__all__ = ["html_of", "write_report"]

TEMPLATE = Path(__file__).with_name("page.html.jinja")
_MISTAKE_NODES = 60


def write_report(path: str | os.PathLike[str], report: Report) -> None:
    """Write a report to a file."""
    write_lines(path, html_of(report).splitlines())


def html_of(report: Report) -> str:
    """Return the page as text. Texts from data are escaped: a label ``<script>`` is shown, not run.

    Examples
    --------
    >>> import numpy as np
    >>> from treekernels.report import Report, ScoreTable, html_of
    >>> labels = np.array(["<script>", "b"])
    >>> report = Report("Labels", {}, ScoreTable(["", "accuracy"], []), labels, labels)
    >>> "<script>" in html_of(report)
    False
    """
    jinja2 = require("jinja2", "report", "a report")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    safe = jinja2.utils.markupsafe.Markup  # what we drew ourselves
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    plots = {name: safe(picture) for name, picture in figures(report).items()}
    text: str = template.render(
        report=report,
        facts={**report.facts, "made with": _versions()},
        plots=plots,
        classes=_by_class(report),
        fragments=_by_name(report.fragments, safe),
        mistakes=[_mistake(mistake, safe) for mistake in report.mistakes],
        colours={"for": FOR, "against": AGAINST},
        dark=dict(zip(GROUPS, IN_THE_DARK, strict=True)),
    )
    return text


def _versions() -> str:
    import platform

    return f"treekernels {__version__}, Python {platform.python_version()}"


def _by_class(report: Report) -> list[list[str]]:
    """Return precision, recall, F1 and number of examples of each class."""
    from sklearn.metrics import precision_recall_fscore_support

    expected, predicted = (
        np.asarray(labels).astype(str) for labels in (report.expected, report.predicted)
    )
    names = np.union1d(expected, predicted)
    columns = precision_recall_fscore_support(expected, predicted, labels=names, zero_division=0.0)
    rows = zip(names.tolist(), *(column.tolist() for column in columns), strict=True)
    return [
        [visible_text(name), f"{precision:.3f}", f"{recall:.3f}", f"{f1:.3f}", f"{support:,}"]
        for name, precision, recall, f1, support in rows
    ]


def _by_name(fragments: list[Fragment], safe: Any) -> list[dict[str, Any]]:
    """Return the fragments of each class, with their pictures."""
    groups: dict[str, list[Fragment]] = defaultdict(list)
    for fragment in fragments:
        groups[visible_text(str(fragment.class_))].append(fragment)
    return [{"name": name, "items": _items(group, safe)} for name, group in groups.items()]


def _items(fragments: list[Fragment], safe: Any) -> list[dict[str, Any]]:
    largest = max((abs(fragment.weight) for fragment in fragments), default=1.0)
    return [
        {
            "weight": f"{fragment.weight:+.3f}".replace("-", "\N{MINUS SIGN}"),
            "share": f"{100 * abs(fragment.weight) / largest:.0f}",
            "sign": "for" if fragment.weight > 0 else "against",
            "picture": safe(html_of_fragment(fragment.fragment, fragment.kind)),
            "where": _where(fragment),
        }
        for fragment in fragments
    ]


def _where(fragment: Fragment) -> str:
    column = "" if fragment.on is None else f"on {visible_text(str(fragment.on))}"
    trees = "" if fragment.trees is None else f"in {count_noun(fragment.trees, 'tree')}"
    return ", ".join(filter(None, [trees, column]))


def _mistake(mistake: Mistake, safe: Any) -> dict[str, Any]:
    chosen = sorted(mistake.fragments, key=lambda fragment: -abs(fragment.weight))[:6]
    return {
        "expected": visible_text(str(mistake.expected)),
        "predicted": visible_text(str(mistake.predicted)),
        "margin": f"{mistake.margin:.2f}",
        "where": visible_text(mistake.where),
        "picture": safe(svg(mistake.tree, mistake.weights, max_nodes=_MISTAKE_NODES)),
        "items": _items(sorted(chosen, key=lambda fragment: -fragment.weight), safe),
    }


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

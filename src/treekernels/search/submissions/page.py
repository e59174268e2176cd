"""The page of a course: pairs side by side, groups, and the closest of each, in a single file."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from importlib.resources import files
from typing import Any

import numpy as np

from treekernels.common.text import count_noun
from treekernels.drawing.markup import markup
from treekernels.io.files.atomic import write_lines
from treekernels.search.submissions.course import Submission
from treekernels.search.submissions.matches import Place, ignored_places
from treekernels.search.submissions.similarities import Similarities

_MOST_PAIRS = 1000
_FEWEST_PAIRS = 50
_BELOW_THRESHOLD = 0.7  # of it: from there on pairs are in the page, and hidden at first


def write_page(path: str | os.PathLike[str], comparison: Similarities) -> None:
    """Write the page. What comes from files is data in it, which its script shows as text only."""
    title = f"{count_noun(len(comparison.names), 'submission')} compared"
    script = _asset("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'"
    content = json.dumps(_content(comparison), ensure_ascii=True, separators=(",", ":"))
    page = (
        _asset("page.html")
        .replace("{{title}}", markup(title))
        .replace("{{policy}}", policy)
        .replace("{{style}}", _asset("page.css"))
        .replace("{{script}}", script)
    )
    # Last, so that nothing in the data is taken for a mark; nor may it end its own element.
    before, after = page.split("{{data}}")
    data = content.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    write_lines(path, (before + data + after).split("\n"))


def _asset(name: str) -> str:
    return (files("treekernels.search.submissions") / "assets" / name).read_text("utf-8")


def _content(comparison: Similarities) -> dict[str, Any]:
    places = _places(comparison)
    texts = _Texts(comparison)
    pairs = []
    for first, second in places:
        pair = comparison.pair_at(first, second)
        shares = (pair.similarity, pair.first_in_second, pair.second_in_first)
        passages = [
            [*texts.units(first, passage.first), *texts.units(second, passage.second)]
            for passage in comparison.passages_at(first, second)
        ]
        pairs.append([first, second, *(round(share, 4) for share in shares), passages])
    counts, _ = comparison.histogram()
    return {
        "submissions": [texts.submission(number) for number in range(len(texts.names))],
        "count": len(comparison.names),
        "pairs": pairs,
        "above": len(comparison.places()),
        "closest": [second for _, second in comparison.closest_places()],
        "groups": comparison.group_numbers,
        "histogram": counts.tolist(),
        "threshold": round(comparison.threshold, 4),
        "reason": comparison.threshold_reason,
        "ignored": comparison.ignored,
        "leftOut": comparison.left_out,
    }


def _places(comparison: Similarities) -> list[tuple[int, int]]:
    """Return the pairs of the page: those above the threshold and below it, and the closest."""
    places = comparison.places(_BELOW_THRESHOLD * comparison.threshold, _MOST_PAIRS)
    if len(places) < _FEWEST_PAIRS:
        places = comparison.places(1e-9, _FEWEST_PAIRS)
    count = len(comparison.names)
    ordered = {
        (first, second) if second >= count else (min(first, second), max(first, second))
        for first, second in comparison.closest_places()
    }
    more = sorted(
        ordered - set(places), key=lambda place: (-float(comparison.similarities[place]), place)
    )
    return places + more


class _Texts:
    """The files of the submissions that are shown, with places in the units of JavaScript."""

    def __init__(self, comparison: Similarities) -> None:
        self.comparison = comparison
        self.names = comparison.names + comparison.earlier_names
        self.shown: set[int] = set()
        self._units: dict[tuple[int, int], Any] = {}

    def units(self, number: int, place: Place) -> list[int]:
        """Return a place as its file, and where it begins and ends in units of UTF-16."""
        self.shown.add(number)
        key = number, place.file
        if key not in self._units:
            text = self.comparison.submission(number).files[place.file].text
            raw = np.frombuffer(text.encode(), np.uint8)
            # Characters begin here; those of four bytes are two units.
            starts = ((raw & 0xC0) != 0x80).astype(np.int64)
            self._units[key] = np.concatenate([[0], np.cumsum(starts + (raw >= 0xF0))])
        units = self._units[key]
        return [place.file, int(units[place.begin]), int(units[place.end])]

    def submission(self, number: int) -> dict[str, Any]:
        """Return a submission, with its files if they are shown."""
        one: Submission = self.comparison.submission(number)
        entry: dict[str, Any] = {"name": one.name, "lines": one.n_lines, "count": len(one.files)}
        if number in self.shown:
            located = self.comparison.located(number)
            ignored = ignored_places(located, self.comparison.ignored_nodes)
            entry["files"] = [[file.name, file.text] for file in one.files]
            entry["ignored"] = [self.units(number, place) for place in ignored]
        return entry

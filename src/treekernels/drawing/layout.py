"""Where the nodes of a picture go: children below their parent, which stands over their middle.

Subtrees are moved together until they almost touch, as in Reingold and Tilford (1981), and the
widths of the labels are taken into account.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from treekernels.drawing.sketch import Sketch

_NARROW = frozenset("iljtfI.,;:!|'`()[]{} ")
_WIDE = frozenset("mwMW@%&—…␣")


@dataclass
class Layout:
    """Middles and widths of nodes in pixels, and their levels; the picture begins at 0."""

    middles: list[float]
    widths: list[float]
    levels: list[int]
    width: float

    @property
    def depth(self) -> int:
        """The number of levels."""
        return max(self.levels) + 1


def layout(sketch: Sketch, widths: list[float], gap: float) -> Layout:
    """Return the places of the nodes, with a gap between any two on the same level."""
    offsets = _offsets(sketch, widths, gap)
    middles = [0.0] * len(sketch)
    levels = [0] * len(sketch)
    for node in sketch.preorder()[1:]:
        parent = sketch.parents[node]
        middles[node] = middles[parent] + offsets[node]
        levels[node] = levels[parent] + 1
    left = min(middle - width / 2 for middle, width in zip(middles, widths, strict=True))
    middles = [middle - left for middle in middles]
    right = max(middle + width / 2 for middle, width in zip(middles, widths, strict=True))
    return Layout(middles, widths, levels, right)


def _offsets(sketch: Sketch, widths: list[float], gap: float) -> list[float]:
    """Return for each node how far to the right of its parent it is."""
    offsets = [0.0] * len(sketch)
    # A contour is the left and right edge of a subtree by level, the deepest first, from its root.
    contours: dict[int, list[tuple[float, float]]] = {}
    for node in reversed(sketch.preorder()):
        children = sketch.children[node]
        contour: list[tuple[float, float]] = []
        for child in children:
            child_contour = contours.pop(child)
            offsets[child] = _contour_distance(contour, child_contour, gap)
            contour = _join_contours(contour, child_contour, offsets[child])
        middle = (offsets[children[0]] + offsets[children[-1]]) / 2 if children else 0.0
        for child in children:
            offsets[child] -= middle
        half = widths[node] / 2
        contours[node] = [(left - middle, right - middle) for left, right in contour]
        contours[node].append((-half, half))
    return offsets


def _contour_distance(
    contour: list[tuple[float, float]], child_contour: list[tuple[float, float]], gap: float
) -> float:
    pairs = zip(reversed(contour), reversed(child_contour), strict=False)
    return max((right - left + gap for (_, right), (left, _) in pairs), default=0.0)


def _join_contours(
    contour: list[tuple[float, float]], child_contour: list[tuple[float, float]], offset: float
) -> list[tuple[float, float]]:
    shifted = [(left + offset, right + offset) for left, right in child_contour]
    common_levels = min(len(contour), len(shifted))
    deeper = (contour if len(contour) > len(shifted) else shifted)[: -common_levels or None]
    if not common_levels:
        return deeper
    levels = zip(contour[-common_levels:], shifted[-common_levels:], strict=True)
    return deeper + [(left, right) for (left, _), (_, right) in levels]


def text_width(text: str, size: float) -> float:
    """Return how wide a text is in a sans-serif font, as an estimate that is rather too large."""
    return size * sum(map(_em, text))


def _em(character: str) -> float:
    if character in _NARROW:
        return 0.38
    if unicodedata.combining(character):
        return 0.0
    if character in _WIDE or unicodedata.east_asian_width(character) in "WF":
        return 1.05
    return 0.76 if character.isupper() else 0.64

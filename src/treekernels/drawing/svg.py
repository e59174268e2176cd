"""Trees as SVG, which needs no other package and is readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treekernels.drawing.colours import GROUPS, Colours, Fill, fills
from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.layout import Layout, layout, text_width
from treekernels.drawing.markup import markup
from treekernels.drawing.sketch import ELLIPSIS, Sketch, sketch, visible_label

__all__ = ["Link", "svg", "svg_of_several"]

FONT = 13.0
ROW = 42.0  # from one level to the next
BOX = 20.0  # the height of a label
MARGIN = 6.0
GAP = 8.0
_NOTE_FONT = 11.0
_LONGEST = 2000  # characters of a title
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def svg(
    tree: DrawableTree,
    colours: Colours | None = None,
    *,
    max_nodes: int = 120,
    title: str | None = None,
) -> str:
    """Return a drawing of one tree; `Tree.to_svg` has the description."""
    return svg_of_several([tree], [colours], max_nodes=max_nodes, title=title)


def svg_of_several(
    trees: Sequence[DrawableTree],
    colours: Sequence[Colours | None] | None = None,
    *,
    max_nodes: int = 120,
    title: str | None = None,
    background: bool = False,
    links: Sequence[Link] = (),
    stacked: bool = False,
) -> str:
    """Return a drawing of trees side by side, or one below the other.

    Parameters
    ----------
    colours : sequence of mapping or callable, optional
        The colours of each tree, as in `Tree.to_svg`.
    background : bool, default=False
        Whether the picture has a background of its own, white or dark as the reader prefers. Use it
        for a picture in a file of its own.
    links : sequence of Link, optional
        Nodes of the first tree and of the second that are joined by curves.
    stacked : bool, default=False
        Whether each tree is below the one before, which suits wide trees.
    """
    if colours is None:
        colours = [None] * len(trees)
    groups: list[object] = []  # the same colours in all trees
    pictures = [
        _TreePicture(tree, colour, max_nodes, groups)
        for tree, colour in zip(trees, colours, strict=True)
    ]
    described = title if title is not None else _description(trees)
    _arrange(pictures, stacked)
    width = max((picture.x + picture.width for picture in pictures), default=0.0)
    height = max((picture.y + picture.height for picture in pictures), default=2 * MARGIN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_px(width)}" '
        f'height="{_px(height)}" viewBox="0 0 {_px(width)} {_px(height)}" fill="currentColor" '
        f'font-family="{_FONTS}" font-size="{_px(FONT)}" text-anchor="middle" '
        'class="treekernels">',
        f"<title>{markup(described, longest=_LONGEST)}</title>",
    ]
    if background:
        lines.append(_BACKGROUND)
    if links:
        lines += _link_lines(links, pictures[0], pictures[1], groups, stacked)
    for picture in pictures:
        place = f"{_px(picture.x)} {_px(picture.y)}"
        lines += [f'<g transform="translate({place})">', *picture.lines(), "</g>"]
    return "\n".join([*lines, "</svg>"])


def _arrange(pictures: Sequence[_TreePicture], stacked: bool) -> None:
    """Say where each tree is: right of the one before or, if stacked, below it."""
    widest = max((picture.width for picture in pictures), default=0.0)
    x = y = 0.0
    for picture in pictures:
        picture.x, picture.y = ((widest - picture.width) / 2, y) if stacked else (x, 0.0)
        x += picture.width + 3 * MARGIN
        y += picture.height + ROW


class Link(NamedTuple):
    """A node of one tree that is joined to one of another, by positions, and the group of both."""

    first: int
    second: int
    group: object


def _link_lines(
    links: Sequence[Link],
    left: _TreePicture,
    right: _TreePicture,
    groups: list[object],
    stacked: bool,
) -> list[str]:
    """Return curves from tree to tree, which lie below everything else."""
    places = [
        {position: node for node, position in enumerate(picture.sketch.positions)}
        for picture in (left, right)
    ]
    lines = ['<g fill="none" stroke-width="1.5" stroke-opacity="0.3">']
    for first, second, group in links:
        if first not in places[0] or second not in places[1]:
            continue  # cut off
        x1, y1, half1 = left.absolute(places[0][first])
        x2, y2, half2 = right.absolute(places[1][second])
        if stacked:
            y1 += BOX
            bend = max(30.0, (y2 - y1) / 2)
            ends = [(x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2)]
        else:
            x1, y1, x2, y2 = x1 + half1, y1 + BOX / 2, x2 - half2, y2 + BOX / 2
            bend = max(30.0, (x2 - x1) / 2)
            ends = [(x1, y1), (x1 + bend, y1), (x2 - bend, y2), (x2, y2)]
        start, *others = (f"{_px(x)} {_px(y)}" for x, y in ends)
        number = groups.index(group) if group in groups else 0
        lines.append(
            f'<path class="link" data-group="{number + 1}" stroke="{GROUPS[number % len(GROUPS)]}" '
            f'd="M{start}C{" ".join(others)}"/>'
        )
    return [*lines, "</g>"]


_BACKGROUND = """<style>
svg { color: #1a1a1a; background: #ffffff }
@media (prefers-color-scheme: dark) { svg { color: #e8e8e8; background: #16181c } }
</style>"""


class _TreePicture:
    """One tree in a picture, and where it begins."""

    x = y = 0.0

    def __init__(
        self, tree: DrawableTree, colours: Colours | None, max_nodes: int, groups: list[object]
    ) -> None:
        marked = colours if isinstance(colours, Mapping) else ()
        self.sketch: Sketch = sketch(tree, max_nodes, [place for place in marked if place >= 0])
        self.fills = fills(colours, self.sketch.positions, groups)
        self.labels = [visible_label(label) for label in self.sketch.labels]
        widths = [max(12.0, text_width(label, FONT) + 8) for label in self.labels]
        self.layout: Layout = layout(self.sketch, widths, GAP)
        self.note = f"{self.sketch.hidden:,} more nodes" if self.sketch.hidden else ""
        if self.sketch.hidden == 1:
            self.note = "1 more node"
        inner = max(self.layout.width, text_width(f"{ELLIPSIS} {self.note}", _NOTE_FONT))
        self.width = inner + 2 * MARGIN
        self.left = MARGIN + (inner - self.layout.width) / 2
        self.height = (self.layout.depth - 1) * ROW + BOX + 2 * MARGIN
        if self.note:
            self.height += BOX

    def lines(self) -> list[str]:
        """Return the lines of SVG: edges first, so that labels lie above them."""
        order = self.sketch.preorder()
        lines = ['<g stroke="currentColor" stroke-opacity="0.35" fill="none">']
        lines += [self._edge_line(node) for node in order[1:]]
        lines.append("</g>")
        for node in order:
            lines += self._label_lines(node)
        if self.note:
            lines.append(
                f'<text x="{_px(self.width / 2)}" y="{_px(self.height - MARGIN - 4)}" '
                f'font-size="{_px(_NOTE_FONT)}" fill-opacity="0.7">{ELLIPSIS} {self.note}</text>'
            )
        return lines

    def _fill(self, node: int) -> tuple[Fill, object] | None:
        return self.fills.get(self.sketch.positions[node])

    def place(self, node: int) -> tuple[float, float]:
        """Return the middle and the top of a node."""
        return self.left + self.layout.middles[node], MARGIN + self.layout.levels[node] * ROW

    def absolute(self, node: int) -> tuple[float, float, float]:
        """Return the middle and the top of a node in the whole picture, and half its width."""
        x, y = self.place(node)
        return self.x + x, self.y + y, self.layout.widths[node] / 2

    def _edge_line(self, node: int) -> str:
        parent = self.sketch.parents[node]
        (x1, y1), (x2, y2) = self.place(parent), self.place(node)
        line = f'<path d="M{_px(x1)} {_px(y1 + BOX)}L{_px(x2)} {_px(y2)}"'
        fill, parent_fill = self._fill(node), self._fill(parent)
        if fill is not None and parent_fill is not None and fill[0][0] == parent_fill[0][0]:
            thickness = min(1.0, 2.5 * min(fill[0][1], parent_fill[0][1]))
            return (
                f'{line} stroke="{fill[0][0]}" stroke-opacity="{thickness:.2f}" stroke-width="2"/>'
            )
        return f"{line}/>"

    def _label_lines(self, node: int) -> list[str]:
        x, y = self.place(node)
        full, label = self.sketch.labels[node], self.labels[node]
        fill = self._fill(node)
        hints = [full] if full != label else []
        lines = []
        if fill is not None:
            (colour, thickness), value = fill
            width = self.layout.widths[node]
            lines.append(
                f'<rect x="{_px(x - width / 2)}" y="{_px(y)}" width="{_px(width)}" '
                f'height="{_px(BOX)}" rx="5" fill="{colour}" fill-opacity="{thickness:.2f}"/>'
            )
            hints = [full, f"{value:+.4g}" if isinstance(value, float) else str(value)]
        hint = f"<title>{markup(': '.join(hints), longest=_LONGEST)}</title>" if hints else ""
        weight = ' font-weight="600"' if self.sketch.children[node] else ""
        lines.append(f'<text x="{_px(x)}" y="{_px(y + 14.5)}"{weight}>{hint}{markup(label)}</text>')
        return lines


def _description(trees: Sequence[DrawableTree]) -> str:
    return "; ".join(
        f"Tree {visible_label(tree.label)} of {tree.size:,} node{'s' if tree.size != 1 else ''}"
        for tree in trees
    )


def _px(value: float) -> str:
    """Return a length in pixels as text."""
    return f"{value:.1f}".removesuffix(".0")

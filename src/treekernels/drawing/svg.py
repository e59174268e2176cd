"""Trees as SVG, which needs no other package and is readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treekernels.drawing.colours import Colours, Fill, fills
from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.layout import Layout, layout, text_width
from treekernels.drawing.markup import markup
from treekernels.drawing.sketch import ELLIPSIS, Sketch, sketch, visible_label

__all__ = ["svg", "svg_of_several"]

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
) -> str:
    """Return a drawing of trees side by side.

    Parameters
    ----------
    colours : sequence of mapping or callable, optional
        The colours of each tree, as in `Tree.to_svg`.
    background : bool, default=False
        Whether the picture has a background of its own, white or dark as the reader prefers. Use it
        for a picture in a file of its own.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.drawing import svg_of_several
    >>> picture = svg_of_several(tk.Forest(["(A b)", "(A c)"]), title="two trees")
    >>> picture.count("<text"), "<title>two trees</title>" in picture
    (4, True)
    """
    if colours is None:
        colours = [None] * len(trees)
    groups: list[object] = []  # the same colours in all trees
    pictures = [
        _TreePicture(tree, colour, max_nodes, groups)
        for tree, colour in zip(trees, colours, strict=True)
    ]
    width = sum(picture.width for picture in pictures) + 3 * MARGIN * max(0, len(pictures) - 1)
    height = max((picture.height for picture in pictures), default=2 * MARGIN)
    described = title if title is not None else _description(trees)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_px(width)}" '
        f'height="{_px(height)}" viewBox="0 0 {_px(width)} {_px(height)}" fill="currentColor" '
        f'font-family="{_FONTS}" font-size="{_px(FONT)}" text-anchor="middle" '
        'class="treekernels">',
        f"<title>{markup(described, longest=_LONGEST)}</title>",
    ]
    if background:
        lines.append(_BACKGROUND)
    left = 0.0
    for picture in pictures:
        lines += [f'<g transform="translate({_px(left)} 0)">', *picture.lines(), "</g>"]
        left += picture.width + 3 * MARGIN
    return "\n".join([*lines, "</svg>"])


_BACKGROUND = """<style>
svg { color: #1a1a1a; background: #ffffff }
@media (prefers-color-scheme: dark) { svg { color: #e8e8e8; background: #16181c } }
</style>"""


class _TreePicture:
    """One tree in a picture."""

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

    def _position(self, node: int) -> tuple[float, float]:
        return self.left + self.layout.middles[node], MARGIN + self.layout.levels[node] * ROW

    def _edge_line(self, node: int) -> str:
        parent = self.sketch.parents[node]
        (x1, y1), (x2, y2) = self._position(parent), self._position(node)
        line = f'<path d="M{_px(x1)} {_px(y1 + BOX)}L{_px(x2)} {_px(y2)}"'
        fill, parent_fill = self._fill(node), self._fill(parent)
        if fill is not None and parent_fill is not None and fill[0][0] == parent_fill[0][0]:
            thickness = min(1.0, 2.5 * min(fill[0][1], parent_fill[0][1]))
            return (
                f'{line} stroke="{fill[0][0]}" stroke-opacity="{thickness:.2f}" stroke-width="2"/>'
            )
        return f"{line}/>"

    def _label_lines(self, node: int) -> list[str]:
        x, y = self._position(node)
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

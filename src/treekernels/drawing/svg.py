"""Trees as SVG: no package needed, readable on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from treekernels.drawing.colours import Colours, Fill, fills
from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.layout import Layout, layout, text_width
from treekernels.drawing.sketch import ELLIPSIS, Sketch, printable, sketch, visible

__all__ = ["svg", "svg_of_several"]

FONT = 13.0
ROW = 42.0  # from one level to the next
BOX = 20.0  # the height of a label
MARGIN = 6.0
GAP = 8.0
_NOTE = 11.0
_FACES = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


def svg(
    tree: DrawableTree,
    colours: Colours | None = None,
    *,
    max_nodes: int = 120,
    title: str | None = None,
) -> str:
    """Draw one tree; `Tree.to_svg` has the description."""
    return svg_of_several([tree], [colours], max_nodes=max_nodes, title=title)


def svg_of_several(
    trees: Sequence[DrawableTree],
    colours: Sequence[Colours | None] | None = None,
    *,
    max_nodes: int = 120,
    title: str | None = None,
    background: bool = False,
) -> str:
    """Draw trees side by side.

    Parameters
    ----------
    colours : sequence of mapping or callable, optional
        For each tree, as in `Tree.to_svg`.
    background : bool, default=False
        Bring a background, white or dark as the reader likes it: for a file of its own.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels.drawing import svg_of_several
    >>> picture = svg_of_several(tk.Forest(["(A b)", "(A c)"]), title="two trees")
    >>> picture.count("<text"), "<title>two trees</title>" in picture
    (4, True)
    """
    chosen = colours if colours is not None else [None] * len(trees)
    groups: list[object] = []  # the same colours in all trees
    parts = [
        _Part(tree, colour, max_nodes, groups) for tree, colour in zip(trees, chosen, strict=True)
    ]
    width = sum(part.width for part in parts) + 3 * MARGIN * max(0, len(parts) - 1)
    height = max((part.height for part in parts), default=2 * MARGIN)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{_n(width)}" '
        f'height="{_n(height)}" viewBox="0 0 {_n(width)} {_n(height)}" fill="currentColor" '
        f'font-family="{_FACES}" font-size="{_n(FONT)}" text-anchor="middle" '
        'class="treekernels">',
        f"<title>{_safe(title if title is not None else _described(trees))}</title>",
    ]
    if background:
        lines.append(_BACKGROUND)
    left = 0.0
    for part in parts:
        lines += [f'<g transform="translate({_n(left)} 0)">', *part.lines(), "</g>"]
        left += part.width + 3 * MARGIN
    return "\n".join([*lines, "</svg>"])


_BACKGROUND = """<style>
svg { color: #1a1a1a; background: #ffffff }
@media (prefers-color-scheme: dark) { svg { color: #e8e8e8; background: #16181c } }
</style>"""


class _Part:
    """One tree in a picture."""

    def __init__(
        self, tree: DrawableTree, colours: Colours | None, max_nodes: int, groups: list[object]
    ) -> None:
        marked = colours if isinstance(colours, Mapping) else ()
        self.sketch: Sketch = sketch(tree, max_nodes, [place for place in marked if place >= 0])
        self.fills = fills(colours, self.sketch.positions, groups)
        self.labels = [visible(label) for label in self.sketch.labels]
        widths = [max(12.0, text_width(label, FONT) + 8) for label in self.labels]
        self.layout: Layout = layout(self.sketch, widths, GAP)
        self.note = f"{self.sketch.hidden:,} more nodes" if self.sketch.hidden else ""
        if self.sketch.hidden == 1:
            self.note = "1 more node"
        inner = max(self.layout.width, text_width(f"{ELLIPSIS} {self.note}", _NOTE))
        self.width = inner + 2 * MARGIN
        self.left = MARGIN + (inner - self.layout.width) / 2
        self.height = (self.layout.depth - 1) * ROW + BOX + 2 * MARGIN
        if self.note:
            self.height += BOX

    def lines(self) -> list[str]:
        """Draw edges first, so that labels lie above them."""
        order = self.sketch.preorder()
        lines = ['<g stroke="currentColor" stroke-opacity="0.35" fill="none">']
        lines += [self._edge(node) for node in order[1:]]
        lines.append("</g>")
        for node in order:
            lines += self._label(node)
        if self.note:
            lines.append(
                f'<text x="{_n(self.width / 2)}" y="{_n(self.height - MARGIN - 4)}" '
                f'font-size="{_n(_NOTE)}" fill-opacity="0.7">{ELLIPSIS} {self.note}</text>'
            )
        return lines

    def _fill(self, node: int) -> tuple[Fill, object] | None:
        return self.fills.get(self.sketch.positions[node])

    def _at(self, node: int) -> tuple[float, float]:
        return self.left + self.layout.middles[node], MARGIN + self.layout.levels[node] * ROW

    def _edge(self, node: int) -> str:
        parent = self.sketch.parents[node]
        (x1, y1), (x2, y2) = self._at(parent), self._at(node)
        line = f'<path d="M{_n(x1)} {_n(y1 + BOX)}L{_n(x2)} {_n(y2)}"'
        own, above = self._fill(node), self._fill(parent)
        if own is not None and above is not None and own[0][0] == above[0][0]:
            thickness = min(1.0, 2.5 * min(own[0][1], above[0][1]))
            return (
                f'{line} stroke="{own[0][0]}" stroke-opacity="{thickness:.2f}" stroke-width="2"/>'
            )
        return f"{line}/>"

    def _label(self, node: int) -> list[str]:
        x, y = self._at(node)
        full, label = self.sketch.labels[node], self.labels[node]
        fill = self._fill(node)
        said = [full] if full != label else []
        lines = []
        if fill is not None:
            (colour, thickness), value = fill
            width = self.layout.widths[node]
            lines.append(
                f'<rect x="{_n(x - width / 2)}" y="{_n(y)}" width="{_n(width)}" '
                f'height="{_n(BOX)}" rx="5" fill="{colour}" fill-opacity="{thickness:.2f}"/>'
            )
            said = [full, f"{value:+.4g}" if isinstance(value, float) else str(value)]
        hint = f"<title>{_safe(': '.join(said))}</title>" if said else ""
        weight = ' font-weight="600"' if self.sketch.children[node] else ""
        lines.append(f'<text x="{_n(x)}" y="{_n(y + 14.5)}"{weight}>{hint}{_safe(label)}</text>')
        return lines


def _described(trees: Sequence[DrawableTree]) -> str:
    return "; ".join(
        f"Tree {visible(tree.label)} of {tree.size:,} node{'s' if tree.size != 1 else ''}"
        for tree in trees
    )


def _safe(text: str) -> str:
    return escape(printable(text[:2000]), quote=False)


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")

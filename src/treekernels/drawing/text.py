"""Trees as lines of text, for terminals: plain, with weights beside labels, or in colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from treekernels.drawing.colours import Colours, fills
from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.sketch import Sketch, sketch, visible_label

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["coloured_text", "text"]

_MAX_NODES = 60
_STRONG = 0.3  # how thickly a colour is laid on where a label is bold


def text(tree: DrawableTree, colours: Colours | None = None, *, max_nodes: int = _MAX_NODES) -> str:
    """Return a drawing with a line for each node; an only child stays beside its parent.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels import drawing
    >>> tree = tk.Forest(["(S (NP (D the) (N dog)) (VP (V barks)))"])[0]
    >>> print(drawing.text(tree))
    S
    ├─ NP
    │  ├─ D ─ the
    │  └─ N ─ dog
    └─ VP ─ V ─ barks
    >>> print(drawing.text(tree, {0: -0.5, 1: 0.25}))
    S -0.5
    ├─ NP +0.25
    │  ├─ D ─ the
    │  └─ N ─ dog
    └─ VP ─ V ─ barks
    """
    picture, values = _marked_sketch(tree, colours, max_nodes)
    lines = [
        "".join(part if node is None else part + _mark(values, node) for part, node in line)
        for line in _lines(picture)
    ]
    return "\n".join(lines)


def coloured_text(
    tree: DrawableTree, colours: Colours | None = None, *, max_nodes: int = _MAX_NODES
) -> Text:
    """Return the same drawing in colours, for rich to print.

    Labels of nodes with weights are blue above zero and orange below it, bold where the weight is
    large; without colours, as in a file, the weights are still there.
    """
    from rich.text import Text

    picture, values = _marked_sketch(tree, colours, max_nodes)
    drawn = Text()
    for number, line in enumerate(_lines(picture)):
        drawn.append("\n" if number else "")
        for part, node in line:
            if node is None or node not in values:
                drawn.append(part)
                continue
            (colour, thickness), _ = values[node]
            drawn.append(part, f"{'bold ' if thickness >= _STRONG else ''}{colour}")
            drawn.append(_mark(values, node), colour)
    return drawn


_Values = dict[int, tuple[tuple[str, float], object]]


def _marked_sketch(
    tree: DrawableTree, colours: Colours | None, max_nodes: int
) -> tuple[Sketch, _Values]:
    """Return what is drawn, and the fill and value of each of its nodes that has one."""
    marked = colours if isinstance(colours, Mapping) else ()
    picture = sketch(tree, max_nodes, [place for place in marked if place >= 0])
    by_position = fills(colours, picture.positions, [])
    return picture, {
        node: by_position[position]
        for node, position in enumerate(picture.positions)
        if position in by_position
    }


def _mark(values: _Values, node: int) -> str:
    """Return what is written after a label."""
    if node not in values:
        return ""
    value = values[node][1]
    return f" {value:+.2g}" if isinstance(value, float) else f" [{value}]"


def _lines(picture: Sketch) -> Iterator[list[tuple[str, int | None]]]:
    """Yield lines of parts: a label and its node, or what is drawn between labels and None."""
    pending: list[tuple[int, str, str]] = [(0, "", "")]
    while pending:
        node, before, below = pending.pop()
        line: list[tuple[str, int | None]] = [(before, None)]
        line.append((visible_label(picture.labels[node]), node))
        while len(picture.children[node]) == 1:
            node = picture.children[node][0]
            line += [(" ─ ", None), (visible_label(picture.labels[node]), node)]
        yield line
        last = True
        for child in reversed(picture.children[node]):
            branch, under = ("└─ ", "   ") if last else ("├─ ", "│  ")
            pending.append((child, below + branch, below + under))
            last = False
    if picture.hidden:
        yield [(f"(… {picture.hidden:,} more nodes)", None)]

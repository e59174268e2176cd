"""Trees as lines of text, for terminals."""

from __future__ import annotations

from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.sketch import sketch, visible

__all__ = ["text"]


def text(tree: DrawableTree, *, max_nodes: int = 60) -> str:
    """Draw a tree with a line for each node; one that is alone below its parent stays beside it.

    Examples
    --------
    >>> import treekernels as tk
    >>> from treekernels import drawing
    >>> print(drawing.text(tk.Forest(["(S (NP (D the) (N dog)) (VP (V barks)))"])[0]))
    S
    ├─ NP
    │  ├─ D ─ the
    │  └─ N ─ dog
    └─ VP ─ V ─ barks
    """
    part = sketch(tree, max_nodes)
    lines: list[str] = []
    open_: list[tuple[int, str, str]] = [(0, "", "")]
    while open_:
        node, before, below = open_.pop()
        line = visible(part.labels[node])
        while len(part.children[node]) == 1:
            node = part.children[node][0]
            line += f" ─ {visible(part.labels[node])}"
        lines.append(before + line)
        last = True
        for child in reversed(part.children[node]):
            branch, under = ("└─ ", "   ") if last else ("├─ ", "│  ")
            open_.append((child, below + branch, below + under))
            last = False
    if part.hidden:
        lines.append(f"(… {part.hidden:,} more nodes)")
    return "\n".join(lines)

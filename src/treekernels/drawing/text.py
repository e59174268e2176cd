"""Trees as lines of text, for terminals."""

from __future__ import annotations

from treekernels.drawing.drawable import DrawableTree
from treekernels.drawing.sketch import sketch, visible_label

__all__ = ["text"]


def text(tree: DrawableTree, *, max_nodes: int = 60) -> str:
    """Return a drawing with a line for each node; an only child stays beside its parent.

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
    picture = sketch(tree, max_nodes)
    lines: list[str] = []
    pending: list[tuple[int, str, str]] = [(0, "", "")]
    while pending:
        node, before, below = pending.pop()
        line = visible_label(picture.labels[node])
        while len(picture.children[node]) == 1:
            node = picture.children[node][0]
            line += f" ─ {visible_label(picture.labels[node])}"
        lines.append(before + line)
        last = True
        for child in reversed(picture.children[node]):
            branch, under = ("└─ ", "   ") if last else ("├─ ", "│  ")
            pending.append((child, below + branch, below + under))
            last = False
    if picture.hidden:
        lines.append(f"(… {picture.hidden:,} more nodes)")
    return "\n".join(lines)

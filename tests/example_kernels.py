"""A mapping kernel and word vectors, for what every kernel and every learner promises."""

from __future__ import annotations

import operator
from typing import Any

import treekernels as tk


def nodes(tree: Any) -> list[tuple[int, str]]:
    """Return what is written at each node of a tree and below it, and whether its level is odd."""
    (parsed,) = tk.Forest([tree])
    found, pending = [], [(0, parsed)]
    while pending:
        level, node = pending.pop()
        found.append((level % 2, f"{node.label} {[child.label for child in node.children]}"))
        pending.extend((level + 1, child) for child in node.children)
    return found


def production(node: tuple[int, str]) -> str:
    return node[1]


def is_odd(node: tuple[int, str]) -> int:
    return node[0]


def closeness(p: str, q: str) -> float:
    return 0.9 * (p == q) + 0.1 * (p[0] == q[0])


NODES = tk.MappingKernel(
    nodes, closeness, key=production, pairs=operator.eq, pairs_key=is_odd, normalize=True
)


VECTORS = tk.WordVectors(
    {"dog": [1.0, 0.1], "cat": [0.9, 0.3], "b": [0.5, 0.5], "c": [0.4, 0.6], "A": [0.1, 1.0]},
    classes=None,
    threshold=0,
)

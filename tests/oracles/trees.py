"""Trees as nested tuples, for the oracles."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

__all__ = [
    "Number",
    "Similarity",
    "Tree",
    "check_gaps",
    "nodes",
    "parse",
    "take_last",
    "to_brackets",
]

Number: TypeAlias = int | float | Fraction
Tree: TypeAlias = tuple[Any, ...]
Similarity: TypeAlias = Callable[[str, str], Number]


def parse(text: str) -> Tree:
    """Read a tree in Penn brackets.

    A label is any run of characters other than white space and brackets; there are no escapes.

    >>> parse("(S (NP Mary) (VP sleeps))")
    ('S', ('NP', ('Mary',)), ('VP', ('sleeps',)))
    """
    tokens = re.findall(r"[()]|[^\s()]+", text, re.ASCII)
    unfinished: list[list[Any]] = [[]]
    for previous, token in zip(["", *tokens], tokens, strict=False):
        if token == "(":
            unfinished.append([])
        elif token == ")":
            _close(unfinished, text)
        else:
            unfinished[-1].append(token if previous == "(" else (token,))
    (found, *still_open) = unfinished
    if still_open or len(found) != 1 or tokens[0] != "(":
        raise ValueError(f"Not one tree in balanced brackets: {text!r}.")
    tree: Tree = found[0]
    return tree


def _close(unfinished: list[list[Any]], text: str) -> None:
    node = unfinished.pop()
    if not unfinished or not node or not isinstance(node[0], str):
        raise ValueError(f"A closing bracket too many, or a bracket without a label: {text!r}.")
    unfinished[-1].append(tuple(node))


def to_brackets(tree: Tree) -> str:
    """Write a tree in Penn brackets, leaves bare unless they are the whole tree.

    >>> to_brackets(("S", ("NP", "Mary"), ("VP", ("sleeps",))))
    '(S (NP Mary) (VP sleeps))'
    """
    texts: list[str] = []
    for node in nodes(tree):
        if not re.fullmatch(r"[^\s()]+", node[0], re.ASCII):
            raise ValueError(f"The label {node[0]!r} cannot be written in brackets.")
        children = take_last(texts, len(node) - 1)
        texts.append(f"({' '.join([node[0], *children])})" if children else node[0])
    return texts[0] if texts[0].startswith("(") else f"({texts[0]})"


def nodes(tree: Tree | str) -> list[Tree]:
    """All nodes, each as the tree below it, children before parents: the last is the tree itself.

    Bare strings become `(label,)`. There is no recursion here, so a tree may be of any depth.

    >>> nodes(("NP", "the", ("N", "dog")))
    [('the',), ('dog',), ('N', ('dog',)), ('NP', ('the',), ('N', ('dog',)))]
    """
    parents_first: list[Tree] = []
    waiting: list[Tree | str] = [tree]
    while waiting:
        node = waiting.pop()
        parents_first.append((node,) if isinstance(node, str) else node)
        waiting.extend(parents_first[-1][1:])
    finished: list[Tree] = []
    result: list[Tree] = []
    for node in reversed(parents_first):
        result.append((node[0], *take_last(finished, len(node) - 1)))
        finished.append(result[-1])
    return result


def take_last(items: list[Any], count: int) -> list[Any]:
    """Remove and return the last items: of a list of finished subtrees, a node's children."""
    start = len(items) - count
    taken = items[start:]
    del items[start:]
    return taken


def check_gaps(gaps: str) -> None:
    if gaps not in ("skipped", "span"):
        raise ValueError(f"gaps must be 'skipped' or 'span', not {gaps!r}.")

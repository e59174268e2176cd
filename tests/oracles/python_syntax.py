"""Trees of Python's own syntax trees, node by node and by the definition."""

from __future__ import annotations

import ast
from typing import Any


def syntax_tree(item: Any, fields: bool, detail: Any) -> Any:
    """Return nested tuples; a leaf is its text."""
    if isinstance(item, ast.AST):
        below = [syntax_tree(child, fields, detail) for child in children(item, fields, detail)]
        return (type(item).__name__, *below)
    if isinstance(item, tuple):  # a field
        return (item[0], *(syntax_tree(child, fields, detail) for child in item[1]))
    return (item or '""',)


def children(node: ast.AST, fields: bool, detail: Any) -> list[Any]:
    """Return nodes, names, and with `fields` pairs of a field and what it has."""
    children: list[Any] = []
    for name in node._fields:
        value = getattr(node, name, None)
        items = value if isinstance(value, list) else [value]
        if isinstance(node, ast.Constant):
            items = [constant_text(value, detail)] if name == "value" else []
        below = [item for item in map(as_child, items) if item is not None]
        if not isinstance(node, ast.Constant):
            below = [item for item in below if isinstance(item, ast.AST) or detail.shows_name(item)]
        if below and fields:
            children.append((name, below))
        else:
            children.extend(below)
    return children


def constant_text(value: Any, detail: Any) -> str:
    """Return a constant as Python writes it; of a number or text perhaps its type alone."""
    hidden = not detail.literals and not (value is None or value is ... or isinstance(value, bool))
    return type(value).__name__ if hidden else repr(value)


def as_child(item: Any) -> ast.AST | str | None:
    if item is None or isinstance(item, ast.expr_context):
        return None
    return item if isinstance(item, ast.AST) else str(item)

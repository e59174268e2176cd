"""Trees of tree-sitter's nodes, node by node and by the definition."""

from __future__ import annotations

import re
from typing import Any

COMMENT = re.compile(r"comment$")
NO_OPERATOR = re.compile(r"""[][(){},;.:?@"'`=]+|->|=>|/\*|\*/""")
DECLARES = re.compile(r"declar|definition|parameter|specifier|_item$|enhanced_for|resource$")
NAME = re.compile(r"identifier$|^name$|^variable_name$|^constant$")
LITERAL = re.compile(r"literal|string|number|^integer$|^float$|^character$|char|escape|regex")


def code_tree(
    root: Any,
    tokens: bool = False,
    operators: bool = True,
    comments: bool = False,
    names: str = "all",
    literals: bool = True,
) -> tuple[Any, ...]:
    """Return nested tuples; a leaf is its text."""
    declared = declared_names(root) if names == "foreign" else set()

    def children(node: Any) -> list[Any]:
        below = [child for child in node.children if comments or not COMMENT.search(child.type)]
        if tokens:
            return below
        alone = len(node.children) == 1
        return [
            child
            for child in below
            if child.is_named
            or (
                operators
                and (
                    alone
                    or node.field_name_for_child(node.children.index(child)) == "operator"
                    or not (child.type[:1].isalpha() or NO_OPERATOR.fullmatch(child.type))
                )
            )
        ]

    def shows(node: Any, word: str) -> bool:
        if NAME.search(node.type):
            return names == "all" or (names == "foreign" and word not in declared)
        return literals or not LITERAL.search(node.type)

    def tree(node: Any) -> tuple[Any, ...]:
        if node.is_missing:
            return (f"MISSING {node.type}",)
        word = "" if node.children or not node.is_named else node.text.decode(errors="replace")
        if word and shows(node, word):
            return (node.type, (word.replace("\0", "\\0"),))
        return (node.type, *map(tree, children(node)))

    return tree(root)


def declared_names(root: Any) -> set[str]:
    """Return the names that a source declares."""
    names = set()
    stack = [root]
    while stack:
        node = stack.pop()
        stack += node.named_children
        for place, child in enumerate(node.children if DECLARES.search(node.type) else []):
            field = node.field_name_for_child(place)
            if NAME.search(child.type) and field not in ("type", "value", "function", "object"):
                names.add(child.text.decode(errors="replace"))
    return names

"""Which nodes of tree-sitter stand in a tree, by their kinds.

A grammar names the kinds of its nodes, and what becomes of a node follows from its kind, but for
operators: these are the tokens that a grammar calls so where they stand.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.io.reading.code.detail import CodeDetail
from treekernels.io.reading.trees.tree_builder import as_label

__all__ = ["KINDS_OF", "SyntaxKinds", "is_comment"]

KINDS_OF = {
    "function": (
        "constructor_declaration",
        "function_declaration",
        "function_definition",
        "function_item",
        "generator_function_declaration",
        "local_function_statement",
        "method",
        "method_declaration",
        "method_definition",
        "singleton_method",
    ),
    "class": (
        "class",
        "class_declaration",
        "class_definition",
        "class_specifier",
        "enum_declaration",
        "interface_declaration",
        "object_definition",
        "record_declaration",
        "struct_declaration",
        "struct_item",
        "struct_specifier",
        "trait_item",
        "type_spec",
    ),
}
"""The kinds of nodes that grammars have for one thing."""

_COMMENT = re.compile(r"comment$")
_NO_OPERATOR = re.compile(r"""[][(){},;.:?@"'`=]+|->|=>|/\*|\*/""")
_DECLARES = re.compile(r"declar|definition|parameter|specifier|_item$|enhanced_for|resource$")
_NAME = re.compile(r"identifier$|^name$|^variable_name$|^constant$")
_LITERAL = re.compile(r"literal|string|number|^integer$|^float$|^character$|char|escape|regex")

_NEVER, _ALWAYS, _SOMETIMES = range(3)  # as in cpp/bind/code_syntax.cpp

_Kind = tuple[str, int, int, bool, bool, bool]


def is_comment(node: Any) -> bool:
    """Whether a node of tree-sitter is a comment."""
    return _COMMENT.search(node.type) is not None


class SyntaxKinds(NamedTuple):
    """What of a source stands in its tree; the attributes are options of `from_code`."""

    detail: CodeDetail
    tokens: bool = False
    operators: bool = True
    comments: bool = False
    each: str | None = None

    def syntax(self, dag: _native.Dag) -> _native.CodeSyntax:
        """Return what adds the nodes of one language to a DAG."""
        return _native.CodeSyntax(dag, self._describe, as_label, get_limits().label_bytes)

    def add(self, syntax: _native.CodeSyntax, nodes: list[Any], root: Any) -> list[int]:
        """Return the roots of the trees of some nodes of a source."""
        foreign = self.detail.names == "foreign"
        declared = syntax.declared_names(root) if foreign else set()
        return [syntax.add(node, declared) for node in nodes]

    def _describe(self, node: Any) -> _Kind:
        kind, named = node.type, node.is_named
        is_name = _NAME.search(kind) is not None
        wanted = named and self.each is not None and kind in KINDS_OF.get(self.each, (self.each,))
        declares = _DECLARES.search(kind) is not None
        return (
            as_label(kind),
            self._taken(node),
            self._shown(kind, named),
            declares,
            is_name,
            wanted,
        )

    def _taken(self, node: Any) -> int:
        """Whether a node stands in the tree, or whether it does where it is an operator."""
        if is_comment(node) and not self.comments:
            return _NEVER
        if node.is_named or self.tokens:
            return _ALWAYS
        if not self.operators:
            return _NEVER
        looks_like_one = not node.type[:1].isalpha() and not _NO_OPERATOR.fullmatch(node.type)
        return _ALWAYS if looks_like_one else _SOMETIMES

    def _shown(self, kind: str, named: bool) -> int:
        """Whether the text of a leaf stands in the tree, or whether it does if it is foreign."""
        if named and _NAME.search(kind):
            return {"all": _ALWAYS, "none": _NEVER, "foreign": _SOMETIMES}[self.detail.names]
        return _ALWAYS if named and (self.detail.literals or not _LITERAL.search(kind)) else _NEVER

"""Source code of any language as syntax trees, by tree-sitter."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import LANGUAGES
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.lines import PathLike, bytes_of
from treekernels.io.readers.origins import Origins
from treekernels.io.readers.tree_builder import Builder

__all__ = ["from_code", "from_tree_sitter", "read_code"]


def read_code(
    path: PathLike,
    *,
    each: str | None = None,
    language: Any = None,
    tokens: bool = False,
    errors: bool = False,
    problems: Problems | None = None,
    origins: Origins | None = None,
) -> Forest:
    """Read a forest: one tree for the file, or one for each function, class, or kind of node.

    Parameters
    ----------
    each : str, optional
        "function" (methods and constructors too), "class" (also structs, interfaces and the
        like), or a kind of node of the grammar, such as "if_statement".
    language, tokens, errors
        Those of `from_code`.
    """
    problems = problems or Problems()
    if language is None:
        name = Path(str(path).lower().removesuffix(".gz"))
        language = LANGUAGES.get(name.suffix)
        if language is None:
            raise ParameterError(
                f"the language of {path} cannot be told: name it with language=..."
            )
    builder = Builder()
    try:
        root = _parse(bytes_of(path), language, errors, str(path), each)
    except ParseError as error:
        problems.report(error)
        return builder.forest()
    for node in [root] if each is None else _nodes_of_kind(root, each):
        _add_tree(builder, node, tokens)
        if origins is not None:
            origins.add(line=node.start_point[0] + 1, name=_name_of(node))
    return builder.forest()


def from_code(
    text: str | bytes, language: Any, *, tokens: bool = False, errors: bool = False
) -> Tree:
    """Make a tree from source code.

    Parameters
    ----------
    text : str or bytes
    language : str or tree_sitter.Language
        Such as "java", for which the package tree-sitter-java must be installed.
    tokens : bool
        Whether keywords and punctuation are nodes too.
    errors : bool
        Whether code with errors is taken; ERROR and MISSING nodes then stand in the tree.
    """
    builder = Builder()
    raw = text.encode() if isinstance(text, str) else text
    _add_tree(builder, _parse(raw, language, errors, "the source"), tokens)
    return builder.tree()


def from_tree_sitter(tree: Any, *, tokens: bool = False) -> Tree:
    """Make a tree from a tree-sitter Tree or Node."""
    builder = Builder()
    _add_tree(builder, getattr(tree, "root_node", tree), tokens)
    return builder.tree()


def _parse(raw: bytes, language: Any, errors: bool, source: str, each: str | None = None) -> Any:
    """Return the root of the syntax tree, once `each` is known to be in the language."""
    grammar = _load_language(language)
    parser = require("tree_sitter", "treesitter", "reading code").Parser(grammar)
    if each is not None and not any(
        grammar.id_for_node_kind(kind, True) for kind in _EACH.get(each, (each,))
    ):
        raise ParameterError(
            f"each is {each!r}, and may be 'function', 'class', or a kind of node that the "
            f"grammar of {language} has"
        )
    tree = parser.parse(raw)
    if tree.root_node.has_error and not errors:
        row, column = _first_error(tree.root_node)
        reason = "the parser found a mistake here; errors=True takes the code as it is"
        raise ParseError(reason, source=source, line=row + 1, column=column + 1)
    return tree.root_node


_EACH = {
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


def _nodes_of_kind(root: Any, each: str) -> Iterator[Any]:
    """Yield the nodes of a kind in the order of the file, those inside others too."""
    kinds = _EACH.get(each, (each,))
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type in kinds and node.is_named:
            yield node
        stack.extend(reversed(node.children))


def _name_of(node: Any) -> str | None:
    """Return the name that a node declares; in C it is inside of its declarator."""
    while node is not None:
        name = node.child_by_field_name("name")
        if name is not None:
            break
        inner = node.child_by_field_name("declarator")
        if inner is None:
            name = node if node.type.endswith("identifier") else None
            break
        node = inner
    return None if name is None else name.text.decode(errors="replace")


def _load_language(language: Any) -> Any:
    if not isinstance(language, str):
        return language
    module_name = f"tree_sitter_{language.replace('-', '_')}"
    try:
        module = importlib.import_module(module_name)
    except ImportError:
        package = module_name.replace("_", "-")
        raise ImportError(f"reading {language} needs its grammar: pip install {package}") from None
    entry = getattr(module, "language", None) or getattr(module, f"language_{language}")
    return require("tree_sitter", "treesitter", "reading code").Language(entry())


def _first_error(node: Any) -> tuple[int, int]:
    while True:
        if node.type == "ERROR" or node.is_missing:
            return tuple(node.start_point)
        below = next(
            (child for child in node.children if child.has_error or child.is_missing), None
        )
        if below is None:
            return tuple(node.start_point)
        node = below


def _add_tree(builder: Builder, root: Any, tokens: bool) -> None:
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            builder.close()
            continue
        children = node.children if tokens else node.named_children
        kind = f"MISSING {node.type}" if node.is_missing else node.type
        builder.open(kind)
        text = node.text if not node.children and not node.is_missing else None
        if text is not None and node.is_named and (word := text.decode(errors="replace")):
            builder.leaf(word)
        stack.append(None)
        stack.extend(reversed(children))

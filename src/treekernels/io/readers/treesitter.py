"""Source code of any language as syntax trees, by tree-sitter."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import LANGUAGES
from treekernels.io.readers.bad_input import Problems
from treekernels.io.readers.lines import PathLike, bytes_of
from treekernels.io.readers.tree_builder import Builder

__all__ = ["from_code", "from_tree_sitter", "read_code"]


def read_code(
    path: PathLike,
    *,
    language: Any = None,
    tokens: bool = False,
    errors: bool = False,
    problems: Problems | None = None,
) -> Forest:
    """Read a forest of one tree. The parameters are those of `from_code`."""
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
        _add_code(builder, bytes_of(path), language, tokens, errors, str(path))
    except ParseError as error:
        problems.report(error)
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
    _add_code(builder, raw, language, tokens, errors, "the source")
    return builder.tree()


def from_tree_sitter(tree: Any, *, tokens: bool = False) -> Tree:
    """Make a tree from a tree-sitter Tree or Node."""
    builder = Builder()
    _add_tree(builder, getattr(tree, "root_node", tree), tokens)
    return builder.tree()


def _add_code(
    builder: Builder, raw: bytes, language: Any, tokens: bool, errors: bool, source: str
) -> None:
    parser = require("tree_sitter", "treesitter", "reading code").Parser(_load_language(language))
    tree = parser.parse(raw)
    if tree.root_node.has_error and not errors:
        row, column = _first_error(tree.root_node)
        reason = "the parser found a mistake here; errors=True takes the code as it is"
        raise ParseError(reason, source=source, line=row + 1, column=column + 1)
    _add_tree(builder, tree.root_node, tokens)


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

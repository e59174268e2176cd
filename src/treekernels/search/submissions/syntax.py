"""Syntax trees of source files with the place of every node, without names and literals.

The readers of `treekernels.io` give trees alone; here each node also knows which characters it
stands for, so that what two submissions share can be shown in their texts.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from treekernels.errors import ParseError
from treekernels.io.formats import LANGUAGES
from treekernels.io.readers.code.python import is_too_deep
from treekernels.io.readers.code.treesitter import error_in, parse_code
from treekernels.io.reading.code.readable_parts import readable_parts
from treekernels.io.reading.code.syntax_kinds import is_comment
from treekernels.io.reading.input.lines import bytes_of

PYTHON = "python"
_NOTEBOOK = ".ipynb"
_COMMAND = re.compile(r"^(\s*[%!].*)$", re.MULTILINE)
_LEFT_OUT = re.compile(
    r"^(import|package|using|use|preproc_include|namespace_use)(_|$)|^ImportFrom$"
)
_SIGN = re.compile(r"(?!(=|->|=>|::|\.\.\.|@|/\*|\*/|\*\*/|//)$)[-+*/%<>=!&|^~]+")
_WORD_OPERATORS = {"and", "or", "not", "in", "is", "instanceof", "typeof"}


class SyntaxNode(NamedTuple):
    """A node with its kind and the bytes it stands for; its children come after it."""

    kind: str
    begin: int
    end: int
    n_children: int


def language_of(path: Path) -> str | None:
    """Return the language of a source file by its name, or None for other files.

    >>> language_of(Path("Main.java")), language_of(Path("notes.txt"))
    ('java', None)
    """
    suffix = path.suffix.lower()
    return PYTHON if suffix in (".py", ".pyi", _NOTEBOOK) else LANGUAGES.get(suffix)


def text_of(path: Path) -> str:
    """Return a text, with marks where it is not UTF-8; of a notebook the code of its cells."""
    text = bytes_of(path).decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return _code_of_notebook(text, str(path)) if path.suffix.lower() == _NOTEBOOK else text


def _code_of_notebook(text: str, source: str) -> str:
    """Return the cells of code one below the other; commands to the notebook become comments."""
    try:
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        codes = ["".join(cell["source"]) for cell in cells]
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        reason = f"this is not a notebook ({error})"
        raise ParseError(reason, source=source, line=1) from None
    return "\n\n".join(_COMMAND.sub(r"# \1", code) for code in codes) + "\n"


def syntax_nodes(
    text: str, language: str, source: str, mistakes: list[ParseError]
) -> list[SyntaxNode]:
    """Return the nodes of a syntax tree, parents before children and from left to right.

    Code with mistakes is read as far as it goes, and `mistakes` receives the first of them.
    """
    if language == PYTHON:
        try:
            module = _parsed(text, source)
        except ParseError as error:
            module = ast.Module(readable_parts(text.encode(), _parsed_part), [])
            if not module.body:
                raise
            mistakes.append(error)
        return list(_of_python(module, text))
    root = parse_code(text.encode(), language, True, source)
    if root.has_error:
        mistakes.append(error_in(root, source))
    return list(_of_tree_sitter(root))


def _of_tree_sitter(root: Any) -> Iterator[SyntaxNode]:
    stack = [root]
    while stack:
        node = stack.pop()
        children = node.children
        if children:
            has_named = any(child.is_named for child in children)
            children = [child for child in children if _is_taken(child, has_named)]
            stack.extend(reversed(children))
        yield SyntaxNode(node.type, node.start_byte, node.end_byte, len(children))


def _is_taken(node: Any, has_named: bool) -> bool:
    """Whether a node is part of the tree: what has a name in the grammar, and operators."""
    kind = node.type
    if node.is_named:
        return not is_comment(node) and _LEFT_OUT.match(kind) is None
    if kind[:1].isalpha():  # without a named sibling it is the name of a type, or "this"
        return not has_named or kind in _WORD_OPERATORS
    return _SIGN.fullmatch(kind) is not None


def _parsed_part(part: bytes) -> list[ast.stmt] | None:
    try:
        return _parsed(part.decode(), "a part").body
    except ParseError:
        return None


def _parsed(text: str, source: str) -> ast.Module:
    try:
        if is_too_deep(text):
            raise RecursionError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on escapes in strings and the like
            return ast.parse(text)
    except SyntaxError as error:
        reason = f"this is not Python: {error.msg}"
        raise ParseError(reason, source=source, line=error.lineno or 1) from None
    except (RecursionError, MemoryError):
        reason = "this is nested too deeply for Python's own parser"
        raise ParseError(reason, source=source, line=1) from None
    except ValueError as error:
        raise ParseError(f"this is not Python: {error}", source=source, line=1) from None


def _of_python(module: ast.Module, text: str) -> Iterator[SyntaxNode]:
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    stack: list[tuple[Any, int]] = [(module, 0)]
    while stack:
        node, begin = stack.pop()
        end = starts[-1] if node is module else begin
        if hasattr(node, "end_lineno"):  # operators and lists of arguments have no place
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
        children = [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.expr_context | ast.Import | ast.ImportFrom)
        ]
        stack.extend((child, begin) for child in reversed(children))
        kind = type(node).__name__
        if isinstance(node, ast.Constant):
            kind = f"Constant {type(node.value).__name__}"
        yield SyntaxNode(kind, begin, end, len(children))

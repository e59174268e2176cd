"""Source code of any language as syntax trees, by tree-sitter."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import LANGUAGES, grammar_module
from treekernels.io.reading.code.detail import CodeDetail, Names, check_detail
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, bytes_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = [
    "from_code",
    "from_tree_sitter",
    "is_comment",
    "language_of",
    "missing_grammar",
    "parse_code",
    "read_code",
]


def read_code(
    path: PathLike,
    *,
    each: str | None = None,
    language: Any = None,
    tokens: bool = False,
    operators: bool = True,
    comments: bool = False,
    names: Names = "all",
    literals: bool = True,
    errors: bool = False,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for the whole file, or one for each function, class or other kind of node.

    Parameters
    ----------
    each : str, optional
        What becomes a tree: "function", which includes methods and constructors; "class", which
        includes structs, interfaces and the like; or a kind of node that the grammar of the
        language has, such as "if_statement". With ``skip_bad=True``, a mistake in a file costs the
        trees alone that it is in.
    language, tokens, operators, comments, names, literals, errors
        As in `from_code`.
    """
    detail = check_detail(names, literals)
    taken = _Taken(tokens, operators, comments)
    if language is None:
        language = language_of(path)
        if language is None:
            raise ParameterError(
                f"the language of {path} cannot be told: name it with language=..."
            )
    builder = Builder()
    root = parse_code(bytes_of(path), language, True, str(path), each)
    nodes = [root] if each is None else list(_nodes_of_kind(root, each))
    if root.has_error and not errors:
        readable = [node for node in nodes if not node.has_error] if problems.skip else []
        left = f"; {len(nodes) - len(readable)} of {len(nodes)} trees are left out" if nodes else ""
        problems.report(_error_in(root, str(path), "" if each is None else left))
        nodes = readable
    detail = _with_declared_names(detail, root)
    for node in nodes:
        _add_tree(builder, node, taken, detail)
        if origins is not None:
            first, last = node.start_point[0] + 1, node.end_point[0] + 1
            origins.add(line=first, last_line=last, name=_name_of(node))
    return builder.forest()


class _Taken(NamedTuple):
    """Which nodes of a syntax tree are taken beside those that the grammar names."""

    tokens: bool = False
    operators: bool = True
    comments: bool = False

    def children(self, node: Any) -> list[Any]:
        """Return the children of a node that stand in the tree."""
        children: list[Any] = node.children
        if not self.comments:
            children = [child for child in children if not is_comment(child)]
        if self.tokens:
            return children
        named = any(child.is_named for child in children)
        return [
            child
            for place, child in enumerate(children)
            if child.is_named or (self.operators and _is_operator(child, node, place, named))
        ]


_COMMENT = re.compile(r"comment$")
_NO_OPERATOR = re.compile(r"""[][(){},;.:?@"'`=]+|->|=>|/\*|\*/""")


def is_comment(node: Any) -> bool:
    """Whether a node of tree-sitter is a comment."""
    return _COMMENT.search(node.type) is not None


def _is_operator(token: Any, parent: Any, place: int, named: bool) -> bool:
    """Whether a token says what its parent does, such as ``<``, ``and``, or ``int``."""
    if parent.field_name_for_child(place) == "operator" or not (named or len(parent.children) > 1):
        return True
    return not token.type[:1].isalpha() and _NO_OPERATOR.fullmatch(token.type) is None


def from_code(
    text: str | bytes,
    language: Any,
    *,
    tokens: bool = False,
    operators: bool = True,
    comments: bool = False,
    names: Names = "all",
    literals: bool = True,
    errors: bool = False,
) -> Tree:
    """Make a tree of source code in any language that tree-sitter knows.

    Parameters
    ----------
    text : str or bytes
        The source code.
    language : str or tree_sitter.Language
        The language, such as "java", for which the package tree-sitter-java must be installed.
    tokens : bool
        Whether keywords and punctuation become nodes, too.
    operators : bool
        Whether operators and the names of built-in types become leaves. Without them, ``a < b`` is
        the same tree as ``a > b``, and ``int`` the same as ``long``.
    comments : bool
        Whether comments become nodes.
    names : {"all", "foreign", "none"}
        Which names become leaves. With "foreign", these are the names that the source does not
        declare itself, such as the methods of a library, so that a copy in which variables were
        renamed has the same tree as the original.
    literals : bool
        Whether numbers and texts become leaves.
    errors : bool
        Whether to accept code with mistakes. The tree then has nodes ERROR and MISSING.
    """
    raw = text.encode() if isinstance(text, str) else text
    root = parse_code(raw, language, errors, "the source")
    nodes = {"tokens": tokens, "operators": operators, "comments": comments}
    return from_tree_sitter(root, **nodes, names=names, literals=literals)


def from_tree_sitter(
    tree: Any,
    *,
    tokens: bool = False,
    operators: bool = True,
    comments: bool = False,
    names: Names = "all",
    literals: bool = True,
) -> Tree:
    """Make a tree from a tree-sitter Tree or Node; the options are those of `from_code`."""
    builder = Builder()
    root = getattr(tree, "root_node", tree)
    detail = _with_declared_names(check_detail(names, literals), root)
    _add_tree(builder, root, _Taken(tokens, operators, comments), detail)
    return builder.tree()


def parse_code(
    raw: bytes, language: Any, errors: bool, source: str, each: str | None = None
) -> Any:
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
    root = parser.parse(raw).root_node
    if root.has_error and not errors:
        raise _error_in(root, source)
    return root


def language_of(path: PathLike) -> str | None:
    """Return the language of a file by its extension, or None if that says nothing."""
    return LANGUAGES.get(Path(str(path).lower().removesuffix(".gz")).suffix)


def missing_grammar(language: str) -> str | None:
    """Return what installs the grammar of a language, or None if it is there."""
    modules = ("tree_sitter", grammar_module(language))
    needed = [name.replace("_", "-") for name in modules if not importlib.util.find_spec(name)]
    return f"pip install {' '.join(needed)}" if needed else None


def _error_in(root: Any, source: str, left_out: str = "") -> ParseError:
    row, column = _first_error(root)
    reason = f"the parser found a mistake here{left_out}; errors=True takes the code as it is"
    return ParseError(reason, source=source, line=row + 1, column=column + 1)


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
    module_name = grammar_module(language)
    try:
        module = importlib.import_module(module_name)
    except ImportError:
        install = missing_grammar(language) or f"pip install -U {module_name.replace('_', '-')}"
        if language.replace("-", "_") not in LANGUAGES.values():
            install += (
                ", if there is such a package, or give a tree_sitter.Language as language=..."
            )
        raise ImportError(f"reading {language} needs its grammar: {install}") from None
    name = f"language_{language.replace('-', '_')}"
    entry = getattr(module, "language", None) or getattr(module, name)
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


_DECLARES = re.compile(r"declar|definition|parameter|specifier|_item$|enhanced_for|resource$")
_NAME = re.compile(r"identifier$|^name$|^variable_name$|^constant$")
_LITERAL = re.compile(r"literal|string|number|^integer$|^float$|^character$|char|escape|regex")


def _with_declared_names(detail: CodeDetail, root: Any) -> CodeDetail:
    """Return the same with the names that the source declares, if they matter."""
    if detail.names != "foreign":
        return detail
    declared: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.named_children)
        if not _DECLARES.search(node.type):
            continue
        for place, child in enumerate(node.children):
            field = node.field_name_for_child(place)
            if _NAME.search(child.type) and field not in ("type", "value", "function", "object"):
                declared.add(child.text.decode(errors="replace"))
    return replace(detail, declared=declared)


def _shows_text(node: Any, word: str, detail: CodeDetail) -> bool:
    if _NAME.search(node.type):
        return detail.shows_name(word)
    return detail.literals or _LITERAL.search(node.type) is None


def _add_tree(builder: Builder, root: Any, taken: _Taken, detail: CodeDetail) -> None:
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if node is None:
            builder.close()
            continue
        children = taken.children(node)
        kind = f"MISSING {node.type}" if node.is_missing else node.type
        builder.open(kind)
        text = node.text if not node.children and not node.is_missing else None
        word = text.decode(errors="replace") if text is not None and node.is_named else ""
        if word and _shows_text(node, word, detail):
            builder.leaf(word)
        stack.append(None)
        stack.extend(reversed(children))

"""Source code of any language as syntax trees, by tree-sitter."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParameterError, ParseError
from treekernels.io.formats import LANGUAGES, grammar_module
from treekernels.io.reading.code.detail import Names, check_detail
from treekernels.io.reading.code.syntax_kinds import KINDS_OF, SyntaxKinds
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, bytes_of
from treekernels.io.reading.input.origins import Origins

__all__ = [
    "code_trees",
    "error_in",
    "from_code",
    "from_tree_sitter",
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
    kinds = SyntaxKinds(check_detail(names, literals), tokens, operators, comments, each)
    if language is None:
        language = language_of(path)
        if language is None:
            raise ParameterError(
                f"the language of {path} cannot be told: name it with language=..."
            )
    root = parse_code(bytes_of(path), language, True, str(path), each)
    dag = _native.Dag()
    syntax = kinds.syntax(dag)
    nodes: list[Any] = [root] if each is None else syntax.find(root)
    if root.has_error and not errors:
        readable = [node for node in nodes if not node.has_error] if problems.skip else []
        left = f"; {len(nodes) - len(readable)} of {len(nodes)} trees are left out" if nodes else ""
        problems.report(error_in(root, str(path), "" if each is None else left))
        nodes = readable
    if origins is not None:
        for node in nodes:
            first, last = node.start_point[0] + 1, node.end_point[0] + 1
            origins.add(line=first, last_line=last, name=_name_of(node))
    return Forest.from_roots(dag, np.array(kinds.add(syntax, nodes, root), np.uint32))


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
    root = getattr(tree, "root_node", tree)
    kinds = SyntaxKinds(check_detail(names, literals), tokens, operators, comments)
    dag = _native.Dag()
    (made,) = kinds.add(kinds.syntax(dag), [root], root)
    return Tree(dag, made)


def code_trees(
    language: Any, names: Names, literals: bool
) -> tuple[Callable[[str], int], _native.Dag]:
    """Return what adds the tree of a source, mistakes and all, to a DAG; and this DAG."""
    dag = _native.Dag()
    kinds = SyntaxKinds(check_detail(names, literals))
    parser, syntax = _parser(_load_language(language)), kinds.syntax(dag)

    def add(text: str) -> int:
        root = parser.parse(text.encode("utf-8", "replace")).root_node
        return kinds.add(syntax, [root], root)[0]

    return add, dag


def parse_code(
    raw: bytes, language: Any, errors: bool, source: str, each: str | None = None
) -> Any:
    """Return the root of the syntax tree, once `each` is known to be in the language."""
    grammar = _load_language(language)
    parser = _parser(grammar)
    if each is not None and not any(
        grammar.id_for_node_kind(kind, True) for kind in KINDS_OF.get(each, (each,))
    ):
        raise ParameterError(
            f"each is {each!r}, and may be 'function', 'class', or a kind of node that the "
            f"grammar of {language} has"
        )
    root = parser.parse(raw).root_node
    if root.has_error and not errors:
        raise error_in(root, source)
    return root


def _parser(grammar: Any) -> Any:
    return require("tree_sitter", "treesitter", "reading code").Parser(grammar)


def language_of(path: PathLike) -> str | None:
    """Return the language of a file by its extension, or None if that says nothing."""
    return LANGUAGES.get(Path(str(path).lower().removesuffix(".gz")).suffix)


def missing_grammar(language: str) -> str | None:
    """Return what installs the grammar of a language, or None if it is there."""
    modules = ("tree_sitter", grammar_module(language))
    needed = [name.replace("_", "-") for name in modules if not importlib.util.find_spec(name)]
    return f"pip install {' '.join(needed)}" if needed else None


def error_in(root: Any, source: str, left_out: str = "") -> ParseError:
    """Return what to say of the first mistake below a node."""
    row, column = _first_error(root)
    reason = f"the parser found a mistake here{left_out}; errors=True takes the code as it is"
    return ParseError(reason, source=source, line=row + 1, column=column + 1)


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

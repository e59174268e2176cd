"""Python source as syntax trees, by Python's own `ast`."""

from __future__ import annotations

import ast
import gc
import io
import keyword
import re
import sys
import tokenize
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from treekernels import _native
from treekernels.common.limits import check_depth, get_limits
from treekernels.data.forest import Forest, Roots
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError, ParseError
from treekernels.io.reading.code.detail import CodeDetail, Names, check_detail
from treekernels.io.reading.code.readable_parts import readable_parts
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, bytes_of
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.trees.tree_builder import as_label

__all__ = ["from_ast", "from_python_source", "python_trees", "read_python"]

_KINDS: dict[str, tuple[type[ast.AST], ...]] = {
    "function": (ast.FunctionDef, ast.AsyncFunctionDef),
    "class": (ast.ClassDef,),
}
MOST_OPERATORS = 5000  # later versions of Python refuse some thousands, too
_OPERATOR = re.compile(rb"[-+*/%@&|^<>=~.(\[{]|\b(?:and|or|not|if|elif|lambda|await|in|is)\b")


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep Python from looking for garbage while a parser makes a million objects, none of it."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@_without_collections()
def read_python(
    path: PathLike,
    *,
    each: Literal["module", "function", "class"] = "module",
    fields: bool = False,
    names: Names = "all",
    literals: bool = True,
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for the whole file, or one for each of its functions or classes.

    Methods are functions, too. The other options are those of `from_python_source`. With
    ``skip_bad=True``, a mistake in a file costs the function alone that it is in, or the lines
    between two functions.
    """
    detail = check_detail(names, literals)
    if each != "module" and each not in _KINDS:
        raise ParameterError(f"each is {each!r}, and may be 'module', 'function' or 'class'")
    raw = bytes_of(path)
    try:
        module = _parse(raw, str(path))
    except ParseError as error:
        if each == "module" or not problems.skip:
            problems.report(error)
            return Forest()
        module = ast.Module(readable_parts(raw, _parse_part), [])
        error.reason += f"; {len(module.body)} parts of the file without mistakes were read"
        problems.report(ParseError(error.reason, source=error.source, line=error.line))
    detail = _with_declared_names(detail, module)
    wanted = _KINDS.get(each, ())
    dag = _native.Dag()
    roots, nodes = _add_syntax(dag, module, wanted, fields, detail)
    order = sorted(range(len(nodes)), key=lambda place: _place_of(nodes[place]))
    if origins is not None:
        for node in (nodes[place] for place in order):
            first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
            origins.add(line=first, last_line=last, name=getattr(node, "name", None))
    return Forest.from_roots(dag, roots[order])


def _place_of(node: Any) -> tuple[int, int]:
    return getattr(node, "lineno", 1), getattr(node, "col_offset", 0)


def from_python_source(
    text: str | bytes, *, fields: bool = False, names: Names = "all", literals: bool = True
) -> Tree:
    r"""Make a tree of Python source code.

    The labels of inner nodes are the kinds of nodes in Python's module `ast`. The leaves are names,
    and constants as Python writes them.

    Parameters
    ----------
    text : str or bytes
        The source code.
    fields : bool
        Whether the fields of a node, such as the body of a loop, become nodes of their own.
    names : {"all", "foreign", "none"}
        Which names become leaves. With "foreign", these are the names that the source does not
        declare itself, such as the functions of a library, so that a copy in which variables were
        renamed has the same tree as the original.
    literals : bool
        Whether numbers and texts become leaves. If not, you get their types instead.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_python_source("x = f(y, 'a b')"))
    (Module (Assign (Name x) (Call (Name f) (Name y) (Constant 'a\x20b'))))
    >>> print(tk.readers.from_python_source("return_ = x", fields=True).children[0])
    (body (Assign (targets (Name (id return_))) (value (Name (id x)))))
    """
    module = _parse(text, "the source")
    return from_ast(module, fields=fields, names=names, literals=literals)


def from_ast(
    node: ast.AST, *, fields: bool = False, names: Names = "all", literals: bool = True
) -> Tree:
    """Make a tree of a node of Python's module `ast`.

    The options are those of `from_python_source`.

    Examples
    --------
    >>> import ast, treekernels as tk
    >>> print(tk.readers.from_ast(ast.parse("a + 1", mode="eval")))
    (Expression (BinOp (Name a) Add (Constant 1)))
    """
    if not isinstance(node, ast.AST):
        raise DataError(f"a node of ast was expected, not {type(node).__name__}")
    detail = _with_declared_names(check_detail(names, literals), node)
    dag = _native.Dag()
    roots, _ = _add_syntax(dag, node, (), fields, detail)
    return Tree(dag, int(roots[-1]))


def python_trees(names: Names, literals: bool) -> tuple[Callable[[str], int], _native.Dag]:
    """Return what adds the tree of a source to a DAG, and this DAG."""
    dag = _native.Dag()
    detail = check_detail(names, literals)

    def add(text: str) -> int:
        module = _parse(text, "the source")
        roots, _ = _add_syntax(dag, module, (), False, _with_declared_names(detail, module))
        return int(roots[-1])

    return add, dag


def _parse(text: str | bytes, source: str) -> ast.Module:
    def error_at(reason: str, line: int = 1, column: int | None = None) -> ParseError:
        return ParseError(reason, source=source, line=line, column=column)

    try:
        if sys.version_info < (3, 11) and is_too_deep(text):
            raise RecursionError
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on escapes in strings and the like
            return ast.parse(text)
    except SyntaxError as error:
        reason = f"this is not Python: {error.msg}"
        raise error_at(reason, error.lineno or 1, error.offset or None) from None
    except (RecursionError, MemoryError):
        raise error_at("this is nested too deeply for Python's own parser") from None
    except ValueError as error:
        raise error_at(f"this is not Python: {error}") from None


def _parse_part(text: bytes) -> list[ast.stmt] | None:
    try:
        return _parse(text, "a part").body
    except ParseError:
        return None


def _with_declared_names(detail: CodeDetail, root: ast.AST) -> CodeDetail:
    """Return the same with the names that the source declares, if they matter."""
    if detail.names != "foreign":
        return detail
    declared: set[str] = set()
    for node in ast.walk(root):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            declared.add(node.id)
        elif isinstance(node, ast.arg):
            declared.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            declared.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            declared.add(node.attr)
    return replace(detail, declared=declared)


def _add_syntax(
    dag: _native.Dag,
    root: ast.AST,
    wanted: tuple[type[ast.AST], ...],
    fields: bool,
    detail: CodeDetail,
) -> tuple[Roots, list[Any]]:
    """Add the tree of a node, or those of all nodes of some classes in it, inner ones first.

    Returns the roots, and the nodes that they are of.
    """
    limits = get_limits()
    found = _native.add_python_syntax(
        dag,
        root,
        ast.AST,
        ast.expr_context,
        ast.Constant,
        wanted,
        fields,
        detail.names == "all",
        set(detail.declared) if detail.names == "foreign" else None,
        detail.literals,
        as_label,
        limits.label_bytes,
        limits.library_depth,
    )
    if found is None:
        check_depth(limits.library_depth + 1)
        raise AssertionError
    return found


def is_too_deep(text: str | bytes) -> bool:
    """Return whether an expression has so many operators that its tree may be too deep.

    Python 3.10 crashes where a tree is too deep for the stack of C; later versions raise an error.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if sum(1 for _ in _OPERATOR.finditer(raw)) <= MOST_OPERATORS:
        return False
    return most_operators(raw) > MOST_OPERATORS


def most_operators(raw: bytes) -> int:
    """Return the largest number of operators in what no comma or line end divides.

    A tree is no deeper than some times this number, as each bracket counts with the most that is
    between two of its commas. Commas after a lambda do not divide: its body goes on. What is not
    Python is counted up to there, as the parser will not go further.
    """
    most = branches = 0
    levels = [[0, 0, 0]]  # of each open bracket: now, most so far, whether there is a lambda
    try:
        for token in tokenize.tokenize(io.BytesIO(raw).readline):
            level = levels[-1]
            if token.type == tokenize.NEWLINE:
                levels = [[0, 0, 0]]
            elif token.type == tokenize.OP and token.string in "([{":
                levels.append([0, 0, 0])
            elif token.type == tokenize.OP and token.string in ")]}":
                if len(levels) > 1:
                    levels.pop()
                    levels[-1][0] += 1 + max(level[:2])
            elif token.type == tokenize.OP and token.string == ",":
                if not level[2]:
                    levels[-1] = [0, max(level[:2]), 0]
            elif token.type == tokenize.OP or keyword.iskeyword(token.string):
                level[0] += 1
                level[2] |= token.string == "lambda"
                branches += token.string == "elif"  # each is inside the one before
            most = max(most, levels[-1][0], branches)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return most

"""Python source as syntax trees, by Python's own `ast`."""

from __future__ import annotations

import ast
import io
import keyword
import re
import sys
import tokenize
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError, ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.code_detail import CodeDetail, Names, check_detail
from treekernels.io.reading.lines import PathLike, bytes_of
from treekernels.io.reading.origins import Origins
from treekernels.io.reading.readable_parts import readable_parts
from treekernels.io.reading.tree_builder import Builder

__all__ = ["from_ast", "from_python_source", "read_python"]

_KINDS: dict[str, tuple[type[ast.AST], ...]] = {
    "function": (ast.FunctionDef, ast.AsyncFunctionDef),
    "class": (ast.ClassDef,),
}
MOST_OPERATORS = 5000  # later versions of Python refuse some thousands, too
_OPERATOR = re.compile(rb"[-+*/%@&|^<>=~.(\[{]|\b(?:and|or|not|if|elif|lambda|await|in|is)\b")


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
    builder = Builder(deep=False)
    raw = bytes_of(path)
    try:
        module = _parse(raw, str(path))
    except ParseError as error:
        if each == "module" or not problems.skip:
            problems.report(error)
            return builder.forest()
        module = ast.Module(readable_parts(raw, _parse_part), [])
        error.reason += f"; {len(module.body)} parts of the file without mistakes were read"
        problems.report(ParseError(error.reason, source=error.source, line=error.line))
    roots: Iterable[ast.AST] = [module]
    if each != "module":
        nodes = (node for node in ast.walk(module) if isinstance(node, _KINDS[each]))
        roots = sorted(nodes, key=lambda node: (node.lineno, node.col_offset))  # type: ignore[attr-defined]
    detail = _with_declared_names(detail, module)
    for node in roots:
        _add_tree(builder, node, fields, detail)
        if origins is not None:
            first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
            origins.add(line=first, last_line=last, name=getattr(node, "name", None))
    return builder.forest()


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
    builder = Builder(deep=False)
    detail = _with_declared_names(check_detail(names, literals), node)
    _add_tree(builder, node, fields, detail)
    return builder.tree()


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


def _add_tree(builder: Builder, root: ast.AST, fields: bool, detail: CodeDetail) -> None:
    """Add a tree. The stack holds what is still to come; None closes a node."""
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if item is None:
            builder.close()
        elif isinstance(item, ast.AST):
            builder.open(type(item).__name__)
            stack.append(None)
            stack.extend(reversed(_children(item, fields, detail)))
        elif isinstance(item, tuple):  # a field
            builder.open(item[0])
            stack.append(None)
            stack.extend(reversed(item[1]))
        else:
            builder.leaf(item)


def _children(node: ast.AST, fields: bool, detail: CodeDetail) -> list[Any]:
    """Return nodes, names, and with `fields` pairs of a field and what it has."""
    children: list[Any] = []
    for name in node._fields:
        value = getattr(node, name, None)
        items = value if isinstance(value, list) else [value]
        if isinstance(node, ast.Constant):
            items = [_constant_text(value, detail)] if name == "value" else []
        below = [item for item in map(_as_child, items) if item is not None]
        if not isinstance(node, ast.Constant):
            below = [item for item in below if isinstance(item, ast.AST) or detail.shows_name(item)]
        if below and fields:
            children.append((name, below))
        else:
            children.extend(below)
    return children


def _constant_text(value: Any, detail: CodeDetail) -> str:
    """Return a constant as Python writes it; of a number or text perhaps its type alone."""
    hidden = not detail.literals and not (value is None or value is ... or isinstance(value, bool))
    return type(value).__name__ if hidden else repr(value)


def _as_child(item: Any) -> ast.AST | str | None:
    if item is None or isinstance(item, ast.expr_context):
        return None
    return item if isinstance(item, ast.AST) else str(item)


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

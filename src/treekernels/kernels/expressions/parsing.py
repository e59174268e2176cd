"""Kernels as text, such as ``0.6*sst(decay=0.4) + poly(3)``, for command lines and settings.

The text has the grammar of a Python expression, and is never evaluated:

- a kernel is a name, followed by parameters in brackets if it has any: ``sst(0.4, on=tree)``;
- ``+``, ``*``, ``**`` and brackets combine kernels and numbers, as in Python;
- ``norm(...)`` normalises the kernel in its brackets;
- ``set(..., match=best)`` compares sets of trees with the kernel that stands first in its brackets.

Words need no quotes, even if they are keywords of Python, and a backslash in quotes is a backslash.
So the text is first cut into words, numbers, quoted texts and signs. Python's parser sees a name of
ours in place of each of the first three, and says how they belong together.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from treekernels.errors import ExpressionError, ParameterError
from treekernels.kernels.algebra import (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SumKernel,
)
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.base.tree_kernel import TreeKernel
from treekernels.kernels.expressions.formatting import format_kernel as format_kernel
from treekernels.kernels.expressions.formatting import writable_parameters
from treekernels.kernels.expressions.names import KERNELS
from treekernels.kernels.sets import SetKernel
from treekernels.kernels.similarity.word_vectors import WordVectors
from treekernels.kernels.subset import SubsetTreeKernel

__all__ = ["parse_kernel"]

_SHORT_NAMES: dict[str, Any] = {**KERNELS, "norm": NormalizedKernel, "set": SetKernel}
_BY_NAME = {**_SHORT_NAMES, **{class_.__name__: class_ for class_ in _SHORT_NAMES.values()}}
_WRAPPERS = (NormalizedKernel, SetKernel)
_CONSTANTS = {"true": True, "false": False, "none": None}
_DEEPEST = 200  # kernels in kernels, which is also how deep Python's parser lets brackets be
_MOST_OPERATORS = 1000  # more of them could exhaust the stack of Python's parser
_LONGEST_INTEGER = 300  # digits
_OPERATORS = ("+", "*", "**", "^", "-", "/")
_may_open_files = ContextVar("_may_open_files", default=True)

_TOKEN = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[^\W\d][\w.]*)
    |(?P<quoted>'[^']*'|"[^"]*")
    |(?P<sign>\*\*|[-+*^()\[\],=/])
    |(?P<space>\s+)""",
    re.VERBOSE,
)


class _Token(NamedTuple):
    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return repr(self.text) if self.text else "the end"

    @property
    def is_operand(self) -> bool:
        return self.kind in ("number", "name", "quoted")


def parse_kernel(text: str) -> Kernel:
    """Return the kernel that a text describes.

    Parameters
    ----------
    text : str
        The kernels are called st, sst, ptk, elastic, subpath, linear, poly and rbf, or by the names
        of their classes; norm normalises a kernel, and set makes one of sets of trees. Parameters
        are those of the classes. Names of columns need no quotes. ``similarity='file'`` are the
        word vectors of a file.

    Raises
    ------
    ExpressionError
        If the text does not describe a kernel. The error names the column.

    Examples
    --------
    >>> import treekernels as tk
    >>> tk.parse_kernel("0.6*sst(decay=0.3) + poly(2)")
    0.6 * SubsetTreeKernel(decay=0.3) + PolynomialKernel(degree=2)
    >>> tk.parse_kernel("norm(ptk(on=parse) * rbf(on=[age, height])) ** 2")
    NormalizedKernel(kernel=PartialTreeKernel(on='parse') * RBFKernel(on=['age', 'height'])) ** 2
    >>> tk.parse_kernel("sst + tsk")
    Traceback (most recent call last):
    ...
    treekernels.errors.ExpressionError: kernel 'sst + tsk', column 7: there is no kernel 'tsk'; \
there are st, sst, ptk, elastic, subpath, pqgram, features, linear, poly, rbf, norm, set
    """
    return _Reader(text).read()


@contextmanager
def without_files() -> Iterator[None]:
    """Let no expression open a file meanwhile: for those that a model or a web page has."""
    before = _may_open_files.set(False)
    try:
        yield
    finally:
        _may_open_files.reset(before)


def as_kernel(kernel: Any) -> Kernel:
    """Return a kernel that was given as a kernel, as an expression, or as None for the default.

    Examples
    --------
    >>> as_kernel("ptk(0.3)"), as_kernel(None)
    (PartialTreeKernel(decay=0.3), SubsetTreeKernel())
    """
    if kernel is None:
        return SubsetTreeKernel()
    if isinstance(kernel, str) and kernel == "auto":
        raise ParameterError(
            "kernel='auto' is for learners, which choose the kernel in fit on one computer, and it "
            "has no parameters: name a kernel here, such as 'sst'"
        )
    if isinstance(kernel, str):
        return parse_kernel(kernel)
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            "kernel must be a kernel such as SubsetTreeKernel(), or an expression such as 'sst', "
            f"not {kernel!r}"
        )
    return kernel


class _Reader:
    """Reads one text: its tokens first, then the kernels that Python's syntax tree describes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._tokens_in_order())
        # Token 5 is `_5`, or a sign. There is one blank between two tokens, so that the number of
        # blanks before a place says which token is there.
        self.source = " ".join(
            f"_{number}" if token.is_operand else token.text.replace("^", "**")
            for number, token in enumerate(self.tokens)
        )

    def read(self) -> Kernel:
        try:
            root = ast.parse(self.source, mode="eval").body
        except SyntaxError as error:  # such as a bracket that was never closed
            token = self._token_at((error.offset or 1) - 1)
            is_vague = error.msg.startswith("invalid syntax")
            reason = f"{token} has no meaning here" if is_vague else error.msg
            raise self._error(reason, token) from None
        except (MemoryError, RecursionError):  # where Python's own stack is nearly full already
            raise self._too_deep(self.tokens[0]) from None
        nodes = [(root, 1)]
        for node, depth in nodes:  # the list grows meanwhile: parts come after what they make up
            if depth > _DEEPEST:
                raise self._too_deep(self._first_token(node))
            nodes += [(part, depth + 1) for part in self._parts(node)]
        kernels: dict[ast.expr, Kernel] = {}
        for node, _ in reversed(nodes):
            kernels[node] = self._kernel(node, [kernels[part] for part in self._parts(node)])
        return kernels[root]

    def _error(self, reason: str, token: _Token) -> ExpressionError:
        return ExpressionError(reason, text=self.text, column=token.column)

    def _token_at(self, place: int) -> _Token:
        return self.tokens[min(self.source.count(" ", 0, place), len(self.tokens) - 1)]

    def _first_token(self, node: ast.expr) -> _Token:
        if isinstance(node, ast.Name):
            return self.tokens[int(node.id[1:])]
        return self._token_at(node.col_offset)

    def _tokens(self) -> Iterator[_Token]:
        place = 0
        while place < len(self.text):
            match = _TOKEN.match(self.text, place)
            if match is None:
                sign = self.text[place]
                is_quote = sign in "'\""
                reason = "this quote is not closed" if is_quote else f"{sign!r} has no meaning here"
                raise self._error(reason, _Token("sign", sign, place + 1))
            if match.lastgroup != "space":
                yield _Token(str(match.lastgroup), match.group(), place + 1)
            place = match.end()
        yield _Token("end", "", len(self.text) + 1)

    def _tokens_in_order(self) -> Iterator[_Token]:
        """Yield the tokens: operands with signs between them. Brackets are left to Python."""
        before = _Token("start", "", 0)
        operators = 0
        for token in self._tokens():
            starts = token.is_operand or token.text in ("(", "[", "-")
            if not (before.is_operand or before.text in (")", "]")):
                is_empty = token.text in (")", "]") and before.text in ("(", "[", ",")
                if not (starts or is_empty):
                    raise self._error(f"a kernel or a value was expected, not {token}", token)
            elif token.text in ("-", "/"):
                reason = "kernels can be added, multiplied and raised to powers, no more"
                raise self._error(reason, token)
            elif starts and not (token.text == "(" and before.kind == "name"):
                raise self._error(f"'+', '*', '**' or ',' was expected, not {token}", token)
            operators += token.text in _OPERATORS
            if operators > _MOST_OPERATORS:
                raise self._too_deep(token)
            if token.kind != "end":
                yield token
            before = token

    def _too_deep(self, token: _Token) -> ExpressionError:
        reason = f"more than {_DEEPEST} kernels within each other (or in one sum)"
        return self._error(reason, token)

    def _parts(self, node: ast.expr) -> list[ast.expr]:
        """Return the nodes of the kernels that a kernel is made of."""
        if isinstance(node, ast.BinOp):
            return [node.left] if isinstance(node.op, ast.Pow) else [node.left, node.right]
        class_ = _BY_NAME.get(self._first_token(node).text)
        if isinstance(node, ast.Call) and class_ in _WRAPPERS:
            first = self._given(node)[:1]
            return [value for name, value in first if name is None or name.text == "kernel"]
        return []

    def _kernel(self, node: ast.expr, parts: list[Kernel]) -> Kernel:
        """Return the kernel or the number of a node, given its parts."""
        token = self._first_token(node)
        kernel: Kernel
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            kernel = _raise_to_power(parts[0], self._exponent(node.right))
        elif isinstance(node, ast.BinOp):
            kernel = _combine(node.op, *parts)
        elif isinstance(node, ast.Name) and token.kind == "number":
            kernel = ConstantKernel(float(token.text))
        elif isinstance(node, ast.Name | ast.Call) and token.kind == "name":
            kernel = self._named_kernel(node, token, parts)
        else:
            raise self._error(f"a kernel or a number was expected, not {token}", token)
        if isinstance(kernel, ConstantKernel) and not kernel.value < math.inf:
            raise self._error("a number this large has no place here", token)
        return kernel

    def _exponent(self, node: ast.expr) -> float:
        token = self._first_token(node)
        if isinstance(node, ast.BinOp):
            raise self._error("put brackets around the first of two powers", token)
        if token.kind != "number" or not 0 < float(token.text) < math.inf:
            raise self._error(f"an exponent is a number above 0, not {token}", token)
        return float(token.text)

    def _named_kernel(self, node: ast.Name | ast.Call, name: _Token, parts: list[Kernel]) -> Kernel:
        class_ = _BY_NAME.get(name.text)
        if class_ is None:
            names = ", ".join(_SHORT_NAMES)
            raise self._error(f"there is no kernel {name.text!r}; there are {names}", name)
        if class_ in _WRAPPERS and not parts:
            raise self._error(f"{name.text} needs a kernel in brackets: {name.text}(...)", name)
        given = [] if isinstance(node, ast.Name) else self._given(node)[len(parts) :]
        kernel: Kernel = class_(*parts, **self._arguments(name, class_, given))
        try:
            kernel.check_parameters()
            if isinstance(kernel, TreeKernel):  # which may refuse what it is given on a tree only
                small = ["(a (b c))"]
                kernel.with_params(on=None).fitted_on(small).diag(small)
        except ValueError as error:
            raise self._error(str(error), name) from None
        return kernel

    def _given(self, call: ast.Call) -> list[tuple[_Token | None, ast.expr]]:
        """Return what stands in the brackets of a kernel: values, and their names if they have."""
        named = [(self.tokens[int(str(item.arg)[1:])], item.value) for item in call.keywords]
        return [*((None, value) for value in call.args), *named]

    def _arguments(
        self, kernel: _Token, class_: type[Kernel], given: list[tuple[_Token | None, ast.expr]]
    ) -> dict[str, Any]:
        """Return the parameters of a kernel by name, checked by its own rules."""
        arguments: dict[str, Any] = {}
        writable = writable_parameters(class_)
        by_place = [name for name in writable if _is_positional(class_, name)]
        for place, (name, node) in enumerate(given):
            first = name or self._first_token(node)
            parameter = name.text if name else "".join(by_place[place : place + 1])
            if parameter not in writable:
                listed = ", ".join(writable) or "none but its kernel"
                raise self._error(f"{kernel.text} has no parameter {first}; it has {listed}", first)
            if parameter in arguments:
                raise self._error(f"{parameter} is given twice", first)
            value = self._value(node)
            try:
                arguments[parameter] = _checked(class_, parameter, value)
            except (OSError, ValueError) as error:
                raise self._error(str(error), self._first_token(node)) from None
        return arguments

    def _value(self, node: ast.expr) -> Any:
        """Return a number, a word, a text in quotes, or a list of these."""
        if isinstance(node, ast.List):
            return [self._item(item) for item in node.elts]
        return self._item(node)

    def _item(self, node: ast.expr) -> Any:
        operand = node.operand if isinstance(node, ast.UnaryOp) else node
        token = self._first_token(operand)
        if isinstance(operand, ast.Name) and token.kind == "number":
            is_integer = token.text.isdigit() and len(token.text) <= _LONGEST_INTEGER
            number = int(token.text) if is_integer else float(token.text)
            return -number if operand is not node else number
        if isinstance(node, ast.Name) and token.kind == "quoted":
            return token.text[1:-1]
        if isinstance(node, ast.Name):
            return _CONSTANTS.get(token.text.lower(), token.text)
        first = self._first_token(node)
        raise self._error("a single value was expected here, not a kernel or a sum", first)


def _combine(operator: ast.operator, first: Kernel, second: Kernel) -> Kernel:
    """Return what Python would make of both: numbers are combined with each other at once."""
    is_sum = isinstance(operator, ast.Add)
    if isinstance(first, ConstantKernel) and isinstance(second, ConstantKernel):
        a, b = first.value, second.value
        return ConstantKernel(a + b if is_sum else a * b)
    return SumKernel(first, second) if is_sum else ProductKernel(first, second)


def _raise_to_power(kernel: Kernel, exponent: float) -> Kernel:
    if not isinstance(kernel, ConstantKernel):
        return PowerKernel(kernel, int(exponent) if exponent.is_integer() else exponent)
    try:
        return ConstantKernel(kernel.value**exponent)
    except OverflowError:
        return ConstantKernel(math.inf)


def _checked(class_: type[Kernel], parameter: str, value: Any) -> Any:
    """Return what a value stands for: names of columns, word vectors, or itself."""
    if parameter == "on":
        columns = value if isinstance(value, list) and value else [value]
        if not all(type(column) in (str, int) for column in columns):
            raise ParameterError(f"on must be a column or a list of columns, not {value!r}")
        return [str(column) for column in value] if isinstance(value, list) else str(value)
    if parameter == "similarity" and isinstance(value, str):
        if not _may_open_files.get():
            raise ParameterError(f"no file may be opened from here, and it names {value!r}")
        return WordVectors(value)
    class_.parameter_rules[parameter](parameter, value)
    return value


def _is_positional(class_: type[Kernel], parameter: str) -> bool:
    kind = inspect.signature(class_).parameters[parameter].kind
    return kind is inspect.Parameter.POSITIONAL_OR_KEYWORD

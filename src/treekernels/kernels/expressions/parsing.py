"""Kernels as text, such as ``0.6*sst(decay=0.4) + poly(3)``, for command lines and settings.

The text is read by a small grammar of its own and never evaluated:

- a kernel is a name, followed by parameters in brackets if it has any: ``sst(0.4, on=tree)``;
- ``+``, ``*``, ``**`` and brackets combine kernels and numbers, as in Python;
- ``norm(...)`` normalises the kernel in its brackets;
- ``set(..., match=best)`` compares sets of trees with the kernel that stands first in its brackets.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
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
from treekernels.kernels.expressions.formatting import format_kernel
from treekernels.kernels.expressions.names import KERNELS, TOKEN, VALUES
from treekernels.kernels.sets import SetKernel
from treekernels.kernels.similarity.word_vectors import WordVectors
from treekernels.kernels.subset import SubsetTreeKernel

__all__ = ["KERNELS", "as_kernel", "format_kernel", "parse_kernel"]

_CLASSES = {kernel.__name__: kernel for kernel in KERNELS.values()}
_WRAPPERS: dict[str, type[Kernel]] = {"norm": NormalizedKernel, "set": SetKernel}
_WRAPPERS_BY_ANY_NAME = {**_WRAPPERS, **{class_.__name__: class_ for class_ in _WRAPPERS.values()}}
_LONGEST_NUMBER = 300  # characters; a longer whole number may be no floating-point number
_DEEPEST = 200  # kernels in kernels; what is computed with them goes down as far

_BINDING = {"+": 1, "*": 2}
_POWER = ("**", "^")


class _Token(NamedTuple):
    kind: str
    text: str
    column: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


class _Operand(NamedTuple):
    """A kernel or a number that has been read, and how many kernels within each other it is."""

    kernel: Kernel
    depth: int


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
there are st, sst, ptk, elastic, subpath, linear, poly, rbf, norm, set
    """
    return _Reader(text).read()


def as_kernel(kernel: Any) -> Kernel:
    """Return what stands for a kernel as a kernel: an expression, or None for the default.

    Examples
    --------
    >>> as_kernel("ptk(0.3)"), as_kernel(None)
    (PartialTreeKernel(decay=0.3), SubsetTreeKernel())
    """
    if kernel is None:
        return SubsetTreeKernel()
    if isinstance(kernel, str):
        return parse_kernel(kernel)
    if not isinstance(kernel, Kernel):
        raise ParameterError(
            "kernel must be a kernel such as SubsetTreeKernel(), or an expression such as 'sst', "
            f"not {kernel!r}"
        )
    return kernel


class _Reader:
    """Operands wait on one stack, and operators and open brackets on another."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokenize()
        self.token = next(self.tokens)
        self.operands: list[_Operand] = []
        self.pending: list[_Token] = []

    def _tokenize(self) -> Iterator[_Token]:
        place = 0
        while True:
            match = TOKEN.match(self.text, place)
            if match is None:
                sign = self.text[place]
                if sign in "'\"":
                    raise self._error("this quote is not closed", place + 1)
                raise self._error(f"{sign!r} has no meaning here", place + 1)
            kind = str(match.lastgroup)
            if kind != "space":
                yield _Token(kind, match.group(), place + 1)
            if kind == "end":
                return
            place = match.end()

    def _error(self, reason: str, column: int) -> ExpressionError:
        return ExpressionError(reason, text=self.text, column=column)

    def _next(self) -> _Token:
        token = self.token
        if token.kind != "end":
            self.token = next(self.tokens)
        return token

    def read(self) -> Kernel:
        """Return the kernel; operands and operators are read in turn."""
        while True:
            self._read_operand()
            while self.token.text in (")", ",", *_POWER):
                sign = self._next()
                if sign.text in (")", ","):
                    self._close(sign)
                else:
                    self._read_power(sign)
            token = self._next()
            if token.kind == "end":
                break
            self._push_operator(token)
        self._apply(0)
        if self.pending:
            raise self._error("this bracket is not closed", self.pending[-1].column)
        return self.operands[0].kernel

    def _read_operand(self) -> None:
        """Read brackets that open, and what stands in them first."""
        while True:
            token = self._next()
            if token.kind == "number":
                self._push(ConstantKernel(float(token.text)), 1, token)
                return
            if token.kind == "name" and token.text in _WRAPPERS_BY_ANY_NAME:
                if self.token.text != "(":
                    reason = f"{token.text} needs a kernel in brackets: {token.text}(...)"
                    raise self._error(reason, token.column)
                self._next()
                self._skip_argument_name()
                self.pending.append(_Token("wrapper", token.text, token.column))
            elif token.kind == "name":
                self.operands.append(_Operand(self._read_kernel(token), 1))
                return
            elif token.text == "(":
                self.pending.append(token)
            else:
                raise self._error(f"a kernel or a number was expected, not {token}", token.column)

    def _skip_argument_name(self) -> None:
        """Pass over ``kernel=``, with which the class writes itself."""
        if self.token.text == "kernel":
            name = self._next()
            if self._next().text != "=":
                raise self._error("there is no kernel 'kernel'", name.column)

    def _push_operator(self, token: _Token) -> None:
        if token.kind != "sign" or token.text not in _BINDING:
            reason = f"'+', '*', '**' or the end was expected, not {token}"
            if token.text in ("-", "/"):
                reason = "kernels can be added, multiplied and raised to powers, no more"
            raise self._error(reason, token.column)
        self._apply(_BINDING[token.text])
        self.pending.append(token)

    def _read_power(self, sign: _Token) -> None:
        """Raise what was read last, a name, a number or a bracket, to a power."""
        exponent = self._next()
        if exponent.kind != "number" or not 0 < float(exponent.text) < math.inf:
            raise self._error(f"an exponent is a number above 0, not {exponent}", exponent.column)
        if self.token.text in _POWER:
            raise self._error("put brackets around the first of two powers", self.token.column)
        base = self.operands.pop()
        self._push(_raise_to_power(base.kernel, float(exponent.text)), base.depth + 1, sign)

    def _apply(self, binding: int) -> None:
        """Apply the operators that bind at least as strongly."""
        while self.pending and _BINDING.get(self.pending[-1].text, -1) >= binding:
            sign = self.pending.pop()
            second, first = self.operands.pop(), self.operands.pop()
            depth = max(first.depth, second.depth) + 1
            self._push(_combine(sign.text, first.kernel, second.kernel), depth, sign)

    def _close(self, sign: _Token) -> None:
        """Close a bracket. Behind a comma, first read the parameters of its kernel."""
        self._apply(0)
        is_wrapper = bool(self.pending) and self.pending[-1].kind == "wrapper"
        if sign.text == "," and not is_wrapper:
            raise self._error("'+', '*', '**' or the end was expected, not ','", sign.column)
        if not self.pending:
            raise self._error("this bracket closes none", sign.column)
        opening = self.pending.pop()
        if is_wrapper:
            class_: Any = _WRAPPERS_BY_ANY_NAME[opening.text]
            arguments = self._read_arguments(opening, class_) if sign.text == "," else {}
            inner = self.operands.pop()
            kernel = class_(inner.kernel, **arguments)
            self._check_kernel(kernel, opening)
            self._push(kernel, inner.depth + 1, opening)

    def _push(self, kernel: Kernel, depth: int, token: _Token) -> None:
        if isinstance(kernel, ConstantKernel):
            depth = 1
            if not kernel.value < math.inf:
                raise self._error("a number this large has no place here", token.column)
        if depth > _DEEPEST:
            reason = f"more than {_DEEPEST} kernels within each other (or in one sum)"
            raise self._error(reason, token.column)
        self.operands.append(_Operand(kernel, depth))

    def _read_kernel(self, name: _Token) -> Kernel:
        kernel_class = KERNELS.get(name.text) or _CLASSES.get(name.text)
        if kernel_class is None:
            names = ", ".join([*KERNELS, *_WRAPPERS])
            reason = f"there is no kernel {name.text!r}; there are {names}"
            raise self._error(reason, name.column)
        if self.token.text != "(":
            return kernel_class()
        self._next()
        kernel = kernel_class(**self._read_arguments(name, kernel_class))
        self._check_kernel(kernel, name)
        return kernel

    def _check_kernel(self, kernel: Kernel, name: _Token) -> None:
        """Raise an `ExpressionError` if a kernel refuses its parameters, one of trees on a tree."""
        try:
            kernel.check_parameters()
            if isinstance(kernel, TreeKernel):
                small = ["(a (b c))"]
                alone = type(kernel)(**{**kernel.get_params(deep=False), "on": None})
                alone.fitted_on(small).diag(small)
        except ValueError as error:
            raise self._error(str(error), name.column) from None

    def _read_arguments(self, name: _Token, kernel_class: type[Kernel]) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        by_place = _positional_parameters(kernel_class)
        parameters = [name for name in inspect.signature(kernel_class).parameters if name in VALUES]
        while not (self.token.text == ")" and self.token.kind == "sign"):
            first = self.token
            value, is_name = self._read_value()
            if self.token.text == "=":
                self._next()
                parameter = first.text if is_name else None
                value_token = self.token
                value, _ = self._read_value()
            else:
                parameter = by_place[len(arguments)] if len(arguments) < len(by_place) else None
                value_token = first
            if parameter not in parameters:
                listed = ", ".join(parameters) or "none but its kernel"
                reason = f"{name.text} has no parameter {first}; it has {listed}"
                raise self._error(reason, first.column)
            if parameter in arguments:
                raise self._error(f"{parameter} is given twice", first.column)
            fits, what = VALUES[parameter]
            if not fits(value):
                raise self._error(f"{parameter} is {what}, not {value_token}", value_token.column)
            arguments[parameter] = self._made(parameter, value, value_token)
            if self.token.text == ",":
                self._next()
            elif self.token.text != ")":
                raise self._error(f"',' or ')' was expected, not {self.token}", self.token.column)
        self._next()
        return arguments

    def _made(self, parameter: str, value: Any, token: _Token) -> Any:
        """Return what a value stands for: names of columns, word vectors, or itself."""
        if parameter == "on":
            return _column_names(value)
        if parameter != "similarity":
            return value
        try:
            return WordVectors(value)
        except (OSError, ValueError) as error:
            raise self._error(str(error), token.column) from None

    def _read_value(self) -> tuple[Any, bool]:
        """Return a number, a word, a text in quotes, or a list; and whether it is a word."""
        token = self._next()
        if token.text == "[":
            items: list[Any] = []
            while self.token.text != "]":
                items.append(self._read_item(self._next()))
                if self.token.text == ",":
                    self._next()
                elif self.token.text != "]":
                    reason = f"',' or ']' was expected, not {self.token}"
                    raise self._error(reason, self.token.column)
            self._next()
            return items, False
        return self._read_item(token), token.kind == "name"

    def _read_item(self, token: _Token) -> Any:
        if token.kind == "name":
            words = {"true": True, "false": False, "none": None}
            return words.get(token.text.lower(), token.text)
        if token.kind == "text":
            return token.text[1:-1]
        sign = 1
        if token.text == "-":
            sign, token = -1, self._next()
        if token.kind != "number":
            raise self._error(f"a value was expected, not {token}", token.column)
        if len(token.text) > _LONGEST_NUMBER:
            reason = f"this number has {len(token.text):,} characters, and may have "
            raise self._error(f"{reason}{_LONGEST_NUMBER}", token.column)
        return sign * (int(token.text) if token.text.isdigit() else float(token.text))


def _combine(sign: str, first: Kernel, second: Kernel) -> Kernel:
    """Return what Python would make of both: numbers are combined with each other at once."""
    a = first.value if isinstance(first, ConstantKernel) else None
    b = second.value if isinstance(second, ConstantKernel) else None
    if a is not None and b is not None:
        return ConstantKernel(a + b if sign == "+" else a * b)
    return SumKernel(first, second) if sign == "+" else ProductKernel(first, second)


def _raise_to_power(kernel: Kernel, exponent: float) -> Kernel:
    if not isinstance(kernel, ConstantKernel):
        return PowerKernel(kernel, int(exponent) if exponent.is_integer() else exponent)
    try:
        return ConstantKernel(kernel.value**exponent)
    except OverflowError:
        return ConstantKernel(math.inf)


def _positional_parameters(kernel_class: type[Kernel]) -> list[str]:
    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(kernel_class).parameters
    return [
        name
        for name in parameters
        if parameters[name].kind is positional and name != "kernel"  # which was read before
    ]


def _column_names(columns: Any) -> Any:
    return [str(column) for column in columns] if isinstance(columns, list) else str(columns)

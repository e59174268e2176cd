"""JSON as trees, by a parser of our own, since Python's stops at some depth.

An object is a node ``{}`` with a child for each key, below which the value stands; an array is a
node ``[]`` of its values; strings, numbers, true, false and null are leaves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any

from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.tree_builder import Builder

__all__ = ["add_document", "add_value", "from_json", "from_json_string", "read_json"]

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null", re.ASCII)


def read_json(path: PathLike, *, values: bool = True, problems: Problems) -> Forest:
    """Read a document as a forest of one tree, with the parameters of `from_json_string`."""
    builder = Builder()
    try:
        text = "\n".join(line for _, line in lines_of(path, Problems()))
        add_document(builder, text, values, str(path), None)
    except ParseError as error:
        builder.abandon()
        problems.report(error)
    return builder.forest()


def from_json_string(text: str, *, values: bool = True) -> Tree:
    """Make a tree of a document in JSON.

    Parameters
    ----------
    text : str
        The text of the document.
    values : bool
        Whether texts, numbers, true, false and null become leaves. If not, the tree has only the
        keys, objects and arrays, which show the form of the document.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_json_string('{"name": "x", "sizes": [1, 2.5, null]}'))
    ({} (name x) (sizes ([] 1 2.5 null)))
    >>> print(tk.readers.from_json_string('{"name": "x", "sizes": [1, 2.5, null]}', values=False))
    ({} name (sizes []))
    """
    builder = Builder()
    add_document(builder, text, values, "the document", None)
    return builder.tree()


def from_json(value: Any, *, values: bool = True) -> Tree:
    """Make a tree of what `json.loads` returns: dictionaries, lists, texts, numbers and None.

    The parameter `values` is that of `from_json_string`.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_json({"a": [True, {}]}))
    ({} (a ([] true {})))
    """
    builder = Builder()
    add_value(builder, value, values)
    return builder.tree()


def add_value(builder: Builder, value: Any, values: bool) -> None:
    """Add the tree of what `json.loads` returns."""
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        if item is _CLOSE:
            builder.close()
        elif isinstance(item, _Key):
            builder.open(item.name)
            stack += [_CLOSE, item.value]
        elif isinstance(item, Mapping):
            builder.open("{}")
            stack.append(_CLOSE)
            stack.extend(reversed([_Key(str(key), below) for key, below in item.items()]))
        elif isinstance(item, list | tuple):
            builder.open("[]")
            stack.append(_CLOSE)
            stack.extend(reversed(item))
        elif values or not builder.depth:
            builder.leaf(_scalar_text(item))


class _Key:
    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value


_CLOSE = object()


def _scalar_text(item: Any) -> str:
    if isinstance(item, str):
        return item
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int | float):
        return repr(item)
    raise DataError(f"a value of type {type(item).__name__} is not JSON")


def add_document(
    builder: Builder, text: str, values: bool, source: str, number: int | None
) -> None:
    """Add the tree of a document, which is that of a line if it has a number."""

    def error_at(reason: str, at: int) -> ParseError:
        line = number if number is not None else text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        return ParseError(f"this is not JSON: {reason}", source=source, line=line, column=column)

    def read_string(at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(text, at + 1)
        except JSONDecodeError as error:
            raise error_at(error.msg, error.pos) from None
        return value, end

    def open_key(at: int) -> int:
        """Begin the node of a key, and return where its value begins."""
        if text[at : at + 1] != '"':
            raise error_at("a key in double quotes was expected", at)
        name, end = read_string(at)
        end = _skip(text, end)
        if text[end : end + 1] != ":":
            raise error_at("a colon was expected", end)
        builder.open(name)
        return _skip(text, end + 1)

    brackets: list[str] = []  # those that are open
    at = _skip(text, 0)
    while True:
        # Here a value begins.
        sign = text[at : at + 1]
        if sign in ("{", "["):
            builder.open("{}" if sign == "{" else "[]")
            at = _skip(text, at + 1)
            brackets.append(sign)
            if text[at : at + 1] != _END[sign]:
                at = open_key(at) if sign == "{" else at
                continue
        elif sign == '"':
            value, at = read_string(at)
            if values or not builder.depth:
                builder.leaf(value)
            at = _end_value(builder, brackets, text, at)
        elif scalar := _SCALAR.match(text, at):
            if values or not builder.depth:
                builder.leaf(scalar.group())
            at = _end_value(builder, brackets, text, scalar.end())
        else:
            raise error_at("a value was expected", at)
        # Here one has ended, or an empty object or array is about to.
        while brackets and text[at : at + 1] == _END[brackets[-1]]:
            brackets.pop()
            builder.close()
            at = _end_value(builder, brackets, text, at + 1)
        if not brackets:
            break
        if text[at : at + 1] != ",":
            raise error_at(f"a comma or {_END[brackets[-1]]} was expected", at)
        at = _skip(text, at + 1)
        if brackets[-1] == "{":
            at = open_key(at)
    if at < len(text):
        raise error_at("there is more text after the document", at)


_END = {"{": "}", "[": "]"}


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _end_value(builder: Builder, brackets: list[str], text: str, at: int) -> int:
    if brackets and brackets[-1] == "{":
        builder.close()  # the key
    return _skip(text, at)

"""Documents of objects, arrays and values, whatever they are written in: JSON, YAML or TOML.

An object is a node ``{}`` with a child for each key, below which the value stands; an array is a
node ``[]`` of its values; and values are leaves.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from treekernels.common.checks import check_choice
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.trees.tree_builder import Node

__all__ = ["Array", "DocumentStyle", "Keys", "Object", "Scalar", "Values", "items_of"]

_VALUES = ("all", "words", "types", "none")
_KEYS = ("all", "sorted", "none")
Values = Literal["all", "words", "types", "none"] | bool
Keys = Literal["all", "sorted", "none"] | bool

_LONGEST_DECIMAL = 14_000  # bits: 4,215 digits


class Scalar(str):
    """A value that is not a text, as it was written."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, text: str, kind: str) -> Scalar:
        value = super().__new__(cls, text)
        value.kind = kind
        return value


class Object(list[tuple[str, Any]]):
    """The keys of an object and their values, as they were written."""

    __slots__ = ()


class Array(list[Any]):
    """The values of an array, and where each begins in the text if somebody asks for that."""

    places: list[int] | None = None


class _Key:
    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value


@dataclass(frozen=True)
class DocumentStyle:
    """What of a document becomes nodes; the attributes are the options of its readers."""

    values: str = "all"
    keys: str = "all"

    @classmethod
    def checked(cls, values: Values, keys: Keys) -> DocumentStyle:
        """Return the options of a reader, checked."""
        return cls(
            _choice("values", values, _VALUES),
            _choice("keys", keys, _KEYS),
        )

    @property
    def numbers(self) -> tuple[int, int]:
        """What the core calls `values` and `keys`."""
        return _VALUES.index(self.values), _KEYS.index(self.keys)

    def expand(self, item: Any) -> Node:
        """Return the label of a part of a document, and what is below it."""
        if isinstance(item, _Key):
            return item.name, self._below([item.value])
        if isinstance(item, Mapping | Object):
            pairs = item.items() if isinstance(item, Mapping) else item
            entries = [(str(key), value) for key, value in pairs]
            if self.keys == "none":
                return "{}", self._below([value for _, value in entries])
            if self.keys == "sorted":
                entries.sort(key=lambda entry: entry[0])
            return "{}", [_Key(key, value) for key, value in entries]
        if isinstance(item, list | tuple):
            return "[]", self._below(item)
        return scalar_text(item), ()  # the whole document

    def _below(self, values: Any) -> list[Any]:
        below: list[Any] = []
        for value in values:
            if isinstance(value, Mapping | list | tuple):
                below.append(value)
            elif self.values == "all":
                below.append(scalar_text(value))
            elif self.values == "types":
                below.append(_kind_of(value))
            elif self.values == "words":
                below += scalar_text(value).split()
        return below


def _choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    table: dict[Any, str] = {choice: choice for choice in choices}
    if isinstance(value, bool):
        return "all" if value else "none"
    return check_choice(name, value, table)


def scalar_text(item: Any) -> str:
    """Return a text, a number, true, false or null as JSON has it, a text without quotes."""
    if isinstance(item, str):
        return item
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int) and item.bit_length() > _LONGEST_DECIMAL:
        return hex(item)  # which Python does not refuse
    if isinstance(item, int | float):
        return repr(item)
    if isinstance(item, datetime.date | datetime.time):
        return item.isoformat()
    raise DataError(f"a value of type {type(item).__name__} is not JSON")


def _kind_of(item: Any) -> str:
    if isinstance(item, Scalar):
        return item.kind
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "boolean"
    if isinstance(item, str):
        return "string"
    return "number" if isinstance(item, int | float) else "date"


def items_of(document: Any, each: str | None, source: str) -> Iterator[tuple[int | None, Any]]:
    """Yield the items of an array in a document, each with its place if that is known.

    Parameters
    ----------
    each : str or None
        "items" for the items of a document that is an array, or the keys that lead to the array,
        with dots between them. With None, the document itself is the only item.
    """
    if each is None:
        yield None, document
        return
    keys = [] if _is_array(document) and each == "items" else each.split(".")
    array = document
    for key in keys:
        if not isinstance(array, Mapping | Object):
            array = None
            break
        array = dict(array).get(key)
    if not _is_array(array):
        reason = (
            f"each is {each!r}, and there is no such array in this document: give the keys that "
            "lead to it, as in 'data.rows', or 'items' if the whole document is an array"
        )
        raise ParseError(reason, source=source, line=1)
    known = array.places if isinstance(array, Array) else None
    places: list[Any] = [None] * len(array) if known is None else known
    yield from zip(places, array, strict=True)


def _is_array(value: Any) -> bool:
    return isinstance(value, list | tuple) and not isinstance(value, Object)

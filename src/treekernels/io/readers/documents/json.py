"""JSON as trees, by a parser of our own, since Python's stops at some depth.

The shape of the trees is that of `treekernels.io.reading.trees.documents`.
"""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any

from treekernels import _native
from treekernels.common.limits import get_limits
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import is_utf8
from treekernels.io.reading.trees.documents import (
    Array,
    DocumentStyle,
    Keys,
    Object,
    Scalar,
    Values,
    items_of,
)
from treekernels.io.reading.trees.tree_builder import Builder, add_nodes, tree_of_nodes

__all__ = ["from_json", "from_json_string", "parse_json", "read_json"]

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null", re.ASCII)
_END: dict[Any, str] = {Object: "}", Array: "]"}
_KINDS = {"true": "boolean", "false": "boolean", "null": "null"}


def read_json(
    path: PathLike,
    *,
    each: str | None = None,
    values: Values = "all",
    keys: Keys = "all",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for the whole document, or one for each item of an array in it.

    Parameters
    ----------
    each : str, optional
        The array whose items become trees: "items" if the whole document is an array, or else the
        keys that lead to it, with dots between them, as in "data.rows".
    values, keys
        As in `from_json_string`.
    """
    style = DocumentStyle.checked(values, keys)
    raw = b"".join(block for _, block in blocks_of(path))
    dag, names = _native.Dag(), None
    if each is not None:
        names = [] if each == "items" and raw.lstrip()[:1] == b"[" else each.split(".")
    limit = get_limits().label_bytes
    made = _native.read_json_items(dag, raw, *style.numbers, names, limit) if is_utf8(raw) else None
    if made is None:  # what is wrong or unusual about it takes time
        return _read_slowly(path, raw, each, style, problems, origins)
    line, before = 1, 0
    for place in made[1].tolist() if origins is not None else ():
        place = place if each is not None else 0
        line, before = line + raw.count(b"\n", before, place), place
        origins.add(line=line)  # type: ignore[union-attr]
    return Forest.from_roots(dag, made[0])


def _read_slowly(
    path: PathLike,
    raw: bytes,
    each: str | None,
    style: DocumentStyle,
    problems: Problems,
    origins: Origins | None,
) -> Forest:
    builder = Builder()
    try:
        text = "\n".join(line for _, line in lines_in(raw, 1, path, Problems()))
        document = parse_json(text, str(path), None, with_places=each is not None)
        items = list(items_of(document, each, str(path)))
    except ParseError as error:
        problems.report(error)
        return builder.forest()
    line, before = 1, 0
    for place, item in items:
        add_nodes(builder, item, style.expand, limited=False)
        if origins is not None:
            line, before = line + text.count("\n", before, place or 0), place or 0
            origins.add(line=line)
    return builder.forest()


def from_json_string(text: str, *, values: Values = "all", keys: Keys = "all") -> Tree:
    """Make a tree of a document in JSON.

    Parameters
    ----------
    text : str
        The text of the document.
    values : {"all", "words", "types", "none"} or bool
        Whether texts, numbers, true, false and null become leaves: as they are, with a leaf for
        each word of a text, as the names of their types, or not at all. Without values, the tree
        shows the form of the document. True is "all", and False is "none".
    keys : {"all", "sorted", "none"} or bool
        Whether the keys of objects become nodes: in the order in which they are written, in the
        order of the alphabet, or not at all. JSON does not order them, and so documents that say
        the same have the same tree only if keys are sorted.

    Examples
    --------
    >>> import treekernels as tk
    >>> text = '{"name": "x", "sizes": [1, 2.5, null]}'
    >>> print(tk.readers.from_json_string(text))
    ({} (name x) (sizes ([] 1 2.5 null)))
    >>> print(tk.readers.from_json_string(text, values="types"))
    ({} (name string) (sizes ([] number number null)))
    >>> print(tk.readers.from_json_string(text, values=False))
    ({} name (sizes []))
    """
    style = DocumentStyle.checked(values, keys)
    return tree_of_nodes(parse_json(text, "the document", None), style.expand, limited=False)


def from_json(value: Any, *, values: Values = "all", keys: Keys = "all") -> Tree:
    """Make a tree of what `json.loads` returns: dictionaries, lists, texts, numbers and None.

    The parameters `values` and `keys` are those of `from_json_string`.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_json({"a": [True, {}]}))
    ({} (a ([] true {})))
    """
    return tree_of_nodes(value, DocumentStyle.checked(values, keys).expand)


def parse_json(text: str, source: str, number: int | None, *, with_places: bool = False) -> Any:
    """Return what a document holds; it is that of a line if it has a number.

    With places, arrays know where each of their items begins.
    """

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

    def read_key(at: int) -> int:
        """Keep a key until its value is there, and return where that begins."""
        if text[at : at + 1] != '"':
            raise error_at("a key in double quotes was expected", at)
        name, end = read_string(at)
        end = _skip(text, end)
        if text[end : end + 1] != ":":
            raise error_at("a colon was expected", end)
        names.append(name)
        return _skip(text, end + 1)

    whole = Array()  # which holds the document alone
    open_: list[Object | Array] = [whole]
    names: list[str] = []
    at = _skip(text, 0)
    while True:
        # Here a value begins.
        within, begin, sign = open_[-1], at, text[at : at + 1]
        value: Any
        if sign in ("{", "["):
            value = Object() if sign == "{" else Array()
            if with_places and sign == "[":
                value.places = []
            open_.append(value)
            at += 1
        elif sign == '"':
            value, at = read_string(at)
        elif scalar := _SCALAR.match(text, at):
            value = Scalar(scalar.group(), _KINDS.get(scalar.group(), "number"))
            at = scalar.end()
        else:
            raise error_at("a value was expected", at)
        if isinstance(within, Object):
            within.append((names.pop(), value))
        else:
            within.append(value)
            if within.places is not None:
                within.places.append(begin)
        at = _skip(text, at)
        inner = open_[-1]
        if inner is value and text[at : at + 1] != _END[type(inner)]:
            at = read_key(at) if isinstance(inner, Object) else at
            continue
        # Here one has ended, or an empty object or array is about to.
        while len(open_) > 1 and text[at : at + 1] == _END[type(open_[-1])]:
            open_.pop()
            at = _skip(text, at + 1)
        if len(open_) == 1:
            break
        if text[at : at + 1] != ",":
            raise error_at(f"a comma or {_END[type(open_[-1])]} was expected", at)
        at = _skip(text, at + 1)
        if isinstance(open_[-1], Object):
            at = read_key(at)
    if at < len(text):
        raise error_at("there is more text after the document", at)
    return whole[0]


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()

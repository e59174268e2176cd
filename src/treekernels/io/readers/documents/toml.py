"""TOML as trees by Python's own tomllib, in the shape of JSON."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any

from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, text_of
from treekernels.io.reading.trees.documents import DocumentStyle, Keys, Values, items_of
from treekernels.io.reading.trees.tree_builder import Builder, add_nodes, tree_of_nodes

__all__ = ["from_toml_string", "read_toml"]

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


def read_toml(
    path: PathLike,
    *,
    each: str | None = None,
    values: Values = "all",
    keys: Keys = "all",
    problems: Problems,
) -> Forest:
    """Read one tree for the whole document, or one for each item of an array in it.

    The parameters are those of `read_json`.
    """
    style = DocumentStyle.checked(values, keys)
    builder = Builder()
    try:
        text = text_of(path, Problems())
        items = list(items_of(_parsed(text, str(path)), each, str(path)))
    except ParseError as error:
        problems.report(error)
        return builder.forest()
    for _, item in items:
        add_nodes(builder, item, style.expand)
    return builder.forest()


def from_toml_string(text: str, *, values: Values = "all", keys: Keys = "all") -> Tree:
    r"""Make a tree of a document in TOML; the parameters are those of `from_json_string`.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_toml_string('title = "x"\n[owner]\nsince = 1979-05-27'))
    ({} (title x) (owner ({} (since 1979-05-27))))
    """
    style = DocumentStyle.checked(values, keys)
    return tree_of_nodes(_parsed(text, "the document"), style.expand)


def _parsed(text: str, source: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        tomllib: Any = importlib.import_module("tomllib")
    else:
        tomllib = require("tomli", "toml", "reading TOML")
    try:
        document: dict[str, Any] = tomllib.loads(text)
        return document
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        reason = _PLACE.sub("", str(error))
        line, column = text.count("\n") + 1, None
        if place is not None and place[1]:
            line, column = int(place[1]), int(place[2])
    except RecursionError:
        reason, line, column = "it is nested too deeply for Python's own parser", 1, None
    except ValueError as error:  # a number with too many digits, or a day that there is not
        reason, line, column = str(error), 1, None
    raise ParseError(f"this is not TOML: {reason}", source=source, line=line, column=column)

"""YAML as trees, from the events of PyYAML, which does not recurse as its loaders do.

Values stand in the tree as they were written. Each document of a file is a tree, in the shape of
`treekernels.io.reading.trees.documents`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from treekernels.common.limits import check_depth
from treekernels.common.optional import require
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, text_of
from treekernels.io.reading.input.origins import Origins
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

__all__ = ["from_yaml_string", "read_yaml"]

_KINDS = {
    "bool": "boolean",
    "float": "number",
    "int": "number",
    "null": "null",
    "timestamp": "date",
}


def read_yaml(
    path: PathLike,
    *,
    each: str | None = None,
    values: Values = "all",
    keys: Keys = "all",
    problems: Problems,
    origins: Origins | None = None,
) -> Forest:
    """Read one tree for each document, or one for each item of an array in each of them.

    The parameters are those of `read_json`.
    """
    style = DocumentStyle.checked(values, keys)
    builder = Builder()
    text = text_of(path, problems)
    try:
        for first, document in _documents(text, str(path)):
            for line, item in items_of(document, each, str(path)):
                add_nodes(builder, item, style.expand)
                if origins is not None:
                    origins.add(line=line or first)
    except ParseError as error:  # nobody can say where the next document begins
        problems.report(error)
    return builder.forest()


def from_yaml_string(text: str, *, values: Values = "all", keys: Keys = "all") -> Tree:
    r"""Make a tree of a document in YAML; the parameters are those of `from_json_string`.

    Examples
    --------
    >>> import treekernels as tk
    >>> print(tk.readers.from_yaml_string("image: alpine\nports: [80, 443]"))
    ({} (image alpine) (ports ([] 80 443)))
    """
    documents = [document for _, document in _documents(text, "the document")]
    if len(documents) != 1:
        raise DataError(f"one document was expected, and there are {len(documents)}")
    return tree_of_nodes(documents[0], DocumentStyle.checked(values, keys).expand)


def _documents(text: str, source: str) -> Iterator[tuple[int, Any]]:
    """Yield what the documents hold, each with its first line; an alias is the object itself."""
    yaml = require("yaml", "yaml", "reading YAML")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    resolver = yaml.SafeLoader("")

    def error_at(reason: str, mark: Any) -> ParseError:
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, None)
        return ParseError(f"this is not YAML: {reason}", source=source, line=line, column=column)

    whole = _array()
    open_: list[Object | Array] = [whole]
    keys: list[str | None] = [None]  # of each open object, the key whose value comes next
    anchors: dict[str, Any] = {}
    try:
        for event in yaml.parse(text, Loader=loader):
            kind, line = type(event).__name__, event.start_mark.line + 1
            if kind in ("MappingStartEvent", "SequenceStartEvent"):
                value: Any = Object() if kind.startswith("M") else _array()
                check_depth(len(open_))
            elif kind == "ScalarEvent":
                tag = event.tag or resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
                known = _KINDS.get(tag.rpartition(":")[2])
                value = event.value if known is None else Scalar(event.value, known)
            elif kind == "AliasEvent":
                if event.anchor not in anchors:
                    raise error_at(f"there is no anchor {event.anchor!r:.40}", event.start_mark)
                value = anchors[event.anchor]
            else:
                if kind in ("MappingEndEvent", "SequenceEndEvent"):
                    open_.pop()
                    keys.pop()
                elif kind == "DocumentStartEvent":
                    first = line
                elif kind == "DocumentEndEvent":
                    anchors.clear()
                    yield first, whole.pop()
                continue
            if getattr(event, "anchor", None) and kind != "AliasEvent":
                anchors[event.anchor] = value
            within = open_[-1]
            if isinstance(within, Array):
                within.append(value)
                if within.places is not None:
                    within.places.append(line)
            elif keys[-1] is None:
                keys[-1] = value if isinstance(value, str) else "?"  # a key that is an object
            else:
                within.append((keys[-1], value))
                keys[-1] = None
            if isinstance(value, Object | Array) and kind != "AliasEvent":
                open_.append(value)
                keys.append(None)
    except yaml.MarkedYAMLError as error:
        reason = error.problem or error.context or "it cannot be read"
        raise error_at(reason, error.problem_mark or error.context_mark) from None
    except yaml.YAMLError as error:
        before = text[: getattr(error, "position", 0)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        reason = f"this is not YAML: {getattr(error, 'reason', error)}"
        raise ParseError(reason, source=source, line=line, column=column) from None


def _array() -> Array:
    array = Array()
    array.places = []  # the lines of its items
    return array

"""How trees were read, as a model or an index notes it in its file.

Only options that shape trees are noted: those that say what a file looks like, such as the
delimiter, belong to the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treekernels.io.formats import FORMATS

__all__ = ["SHAPING_OPTIONS", "reading_of"]

SHAPING_OPTIONS = frozenset(
    [
        "attributes",
        "comments",
        "each",
        "fields",
        "lexeme",
        "literals",
        "names",
        "namespaces",
        "operators",
        "shape",
        "tag",
        "text",
        "tokens",
        "values",
    ]
)


def reading_of(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the note in what a file holds, None if there is none.

    Raises
    ------
    ValueError
        When it names a format or an option that there is not.
    """
    note = content.get("reading")
    if note is None:
        return None
    format_, options = note["format"], dict(note["options"])
    if format_ not in FORMATS:
        raise ValueError(f"{format_!r:.60} is not a format")
    for name, value in options.items():
        if name not in SHAPING_OPTIONS or not isinstance(value, str | int):
            raise ValueError(f"{name!r:.60} is not an option that shapes trees")
    return {"format": format_, "options": options}

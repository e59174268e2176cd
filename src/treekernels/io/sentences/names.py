"""Names of parsers: short texts such as ``spacy:en_core_web_sm``, which models remember.

A name from a file is only a text: it is checked here, and nothing is imported for it until somebody
parses sentences. Then it can lead to a model that was installed for that package, and to nothing
else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from treekernels.errors import ParameterError
from treekernels.io.reading.trees.dependencies import SHAPES

KINDS = {"spacy": 1, "stanza": 2, "benepar": 2}
"""The packages, and of how many parts the rest of a name may be at most."""

EXAMPLES = "spacy:en_core_web_sm, stanza:en and benepar:benepar_en3"
ALL_SHAPES = ("constituency", *SHAPES)
SHAPING = frozenset(["shape", "lexeme", "tag"])
"""The options of parsers, which shape trees."""

_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", re.ASCII)


class ParserName(NamedTuple):
    """A package, the model that it uses, and the package or model beside that, if it has one."""

    kind: str
    model: str
    more: str | None = None

    def __str__(self) -> str:
        return ":".join(part for part in self if part is not None)


def parser_name(text: Any) -> ParserName:
    """Return the parts of a name, or raise a `ParameterError`."""
    kind, *rest = text.split(":") if isinstance(text, str) else [""]
    if kind not in KINDS or not 1 <= len(rest) <= KINDS[kind]:
        raise ParameterError(
            f"{text!r:.60} is not the name of a parser: names are such as {EXAMPLES}"
        )
    for part in rest:
        if not _PART.fullmatch(part):
            raise ParameterError(
                f"{text!r:.60} is not the name of a parser: {part!r:.60} is not the name of a "
                "model, which has letters, digits, '_', '-' and '.' (load a model from elsewhere "
                "in Python, and give what was loaded)"
            )
    return ParserName(kind, *rest)


def parsing_of(note: Any) -> dict[str, Any]:
    """Return how texts became trees, as a model has noted it.

    Raises
    ------
    ValueError
        If the name is not one of a parser, or an option is not one that parsers have.
    """
    if not isinstance(note, Mapping):
        raise ValueError(f"{note!r:.60} does not say how sentences are parsed")
    name = str(parser_name(note["name"]))
    columns, options = list(note["columns"]), dict(note["options"])
    if not all(isinstance(column, str) for column in columns):
        raise ValueError("the names of columns of texts are not texts")
    for option, value in options.items():
        if option not in SHAPING or not isinstance(value, str):
            raise ValueError(f"{option!r:.60} is not an option of parsers")
    return {"name": name, "columns": columns, "options": options}

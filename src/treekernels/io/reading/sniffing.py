"""The format of a file: told by its extension or, where that says nothing, by its first line."""

from __future__ import annotations

import re

from treekernels.io.formats import format_of
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.lines import PathLike, lines_of

__all__ = ["sniffed_format"]

_SIGNS = (
    ("kelp", re.compile(r"\|B[A-Z]+:[^|\s]*\|")),
    ("svmlight-tk", re.compile(r"\|(?:BT|BV|STD)\|")),
    ("kelp", re.compile(r"\|B[A-Z]+\|")),
    ("tsv", re.compile(r"\t")),
    (
        "svmlight-tk",
        re.compile(r"^[-+]?[\d.]+(?: +(?:qid|sid|cost):\S+)*(?: +\d+:\S+)+ *(?:#.*)?$"),
    ),
)


def sniffed_format(path: PathLike) -> str:
    """Return the format that a file seems to be of."""
    found = format_of(path)
    if found != "brackets":
        return found
    lines = (line for _, line in lines_of(path, Problems(skip=True)))
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if first.lstrip().startswith("("):
        entry, tab, _ = first.strip().partition("\t")
        return "tsv" if tab and entry.count("(") == entry.count(")") else found
    if first.lstrip().startswith("{"):
        return "jsonl"
    return next((format for format, sign in _SIGNS if sign.search(first)), found)

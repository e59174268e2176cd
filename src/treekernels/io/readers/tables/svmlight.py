"""SVM-LIGHT-TK: ``label |BT| tree |BT| tree |ET| 1:0.5 2:1 |BV| 1:0.3 |EV|``, one example per line.

Trees and vectors may be empty or missing, ``|STD|`` of older versions starts a vector too, and what
follows a # after the trees is a comment. Plain SVM-light lines are read as well. As in the program
SVM-LIGHT-TK, words that stand together before a closing bracket are one leaf: ``(VB ask a)`` has
the leaf "ask a".
"""

from __future__ import annotations

import re

from treekernels.common.text import number_of_digits
from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.examples import (
    EscapedText,
    Example,
    ExamplePart,
    Place,
    read_examples,
    sparse_entries,
)

_MARKER = re.compile(r"\|(BT|ET|BV|EV|STD)\|")
_WORDS = re.compile(r"(\(\s*[^\s()]+\s+|\)\s*)([^\s()]+(?:\s+[^\s()]+)+)(?=\s*\))")
_TWO_WORDS = re.compile(r" [^ ()]+ +[^ ()]")
_SPECIAL = re.compile(r"(qid|sid|cost):(\S+)")


def read_svmlight(
    path: PathLike,
    *,
    n_features: int | None = None,
    problems: Problems,
    origins: Origins | None = None,
) -> Table:
    """Read a table with the columns label, tree or tree1, tree2, ..., vector or vector1, ...

    ``qid:``, ``sid:`` and ``cost:`` before the features become columns of these names.

    Parameters
    ----------
    n_features : int, optional
        How many columns each matrix of vectors gets. By default, it gets as many as the file needs,
        which may differ between files. Feature 1 is in the first column.
    """
    table = read_examples(path, _parse_example, problems, origins, n_features)
    return _name_columns(table)


def _name_columns(table: Table) -> Table:
    """Return the columns, trees before vectors, the only one of a kind named without a number."""
    special = [name for name in ("qid", "sid", "cost") if name in table]
    columns = {name: table[name] for name in ("label", *special)}
    for kind in ("tree", "vector"):
        names = [name for name in table if name.startswith(kind)]
        names.sort(key=lambda name: int(name.removeprefix(kind)))
        for name in names:
            columns[kind if len(names) == 1 else name] = table[name]
    return Table(columns)


def _parse_example(line: str, number: int, source: str) -> Example:
    parts: dict[str, ExamplePart] = {}
    head, *pieces = _MARKER.split(line)
    ended = not pieces
    if ended:  # no trees: plain SVM-light
        label, _, vector = line.lstrip().partition(" ")
        begin = 0
        while special := _SPECIAL.match(vector, len(vector) - len(vector[begin:].lstrip())):
            _add_special(parts, special, number, source)
            begin = special.end()
        pieces, at = ["BV", vector[begin:]], len(line) - len(vector) + begin - len("|BV|")
        labels = [label]
    else:
        at = len(head)
        for special in _SPECIAL.finditer(head):
            _add_special(parts, special, number, source)
        labels = _SPECIAL.sub("", head).split()
    if not labels:
        reason = "a label is missing before the first tree"
        raise ParseError(reason, source=source, line=number, column=1)
    trees: list[Place] = []
    vectors: list[list[tuple[str, float]]] = []
    for marker, text in zip(pieces[::2], pieces[1::2], strict=True):
        at += len(marker) + 2
        if marker == "BT":
            trees.append((_as_one_leaf(text), at))
        else:
            vector, comment, _ = text.partition("#")
            if marker == "EV":
                ended = True
                if vector.strip():
                    reason = f"there is more text after |EV|: {vector.strip()!r:.40}"
                    raise ParseError(reason, source=source, line=number, column=at + 1)
            elif vector.strip():
                vectors.append(_vector_entries((vector, at), number, source))
            elif marker != "STD":
                vectors.append([])
            if comment:
                break
        at += len(text)
    while vectors and not vectors[-1] and not ended:
        vectors.pop()
    for n, place in enumerate(trees, start=1):
        parts[f"tree{n}"] = ("tree", place)
    for n, entries in enumerate(vectors, start=1):
        parts[f"vector{n}"] = ("sparse", entries)
    return Example(number, tuple(labels), parts)


def _as_one_leaf(text: str) -> str:
    """Return a tree in which words that stand together before a closing bracket are one leaf."""
    if "\t" not in text and not _TWO_WORDS.search(text):  # as in nearly all files
        return text
    escaped, count = _WORDS.subn(
        lambda match: match[1] + EscapedText.escape.join(match[2].split()), text
    )
    return EscapedText(escaped) if count else text


def _add_special(
    parts: dict[str, ExamplePart], special: re.Match[str], line: int, source: str
) -> None:
    name, text = special.groups()
    try:
        number: float = float(text) if name == "cost" else int(text)
        if not abs(number) < 2**63:
            raise ValueError
        parts[name] = "number", number
    except ValueError:
        reason = f"{special.group()!r:.40} is not a number of at most 64 bits"
        raise ParseError(reason, source=source, line=line, column=special.start() + 1) from None


def _vector_entries(place: Place, line: int, source: str) -> list[tuple[str, float]]:
    entries = sparse_entries(place, line, source)
    for name, _ in entries:
        if not number_of_digits(name):
            reason = f"the feature {name!r:.40} is not a number from 1"
            raise ParseError(reason, source=source, line=line, column=place[1] + 1)
    return entries

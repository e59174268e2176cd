"""KeLP: ``label label |BT:name| tree |ET| |BV:name| word:1.0 |EV| |BDV:name| 0.5,1 |EDV|``.

Also texts, ``|BS:name| ... |ES|``, and pairs of examples, ``|<| ... |,| ... |>|``, whose parts are
named left.name and right.name. Parts without a name are named by their number from 0, as in KeLP.
Other kinds of parts are kept as texts. A label ``name:0.5`` is a number, for regression.
"""

from __future__ import annotations

import re

import numpy as np

from treekernels.data.table import Table
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.examples import Example, Place, read_examples, sparse_entries

_MARKER = re.compile(r"\|(?:B([A-Z]+)(?::([^|\s]*))?|(E[A-Z]+)(?::[^|\s]*)?|([<,>]))\|")
_SIDES = {"<": "left.", ",": "right."}
_NUMBERS = re.compile(r"[\s,]+")


def read_kelp(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Table:
    """Read a table with the column label, and one for each name.

    Sparse vectors whose features are numbers become matrices; features with other names stay
    dictionaries, one for each example, as scikit-learn's DictVectorizer takes them.
    """
    return _with_numeric_labels(read_examples(path, _parse_example, problems, origins, kelp=True))


def _with_numeric_labels(table: Table) -> Table:
    """Return the table with numbers for labels where all are numbers of the same name."""
    labels = table["label"]
    if not len(labels) or not all(isinstance(label, str) for label in labels):
        return table
    parts = [label.rpartition(":") for label in labels]
    if not parts[0][0] or any(name != parts[0][0] for name, _, _ in parts):
        return table
    try:
        numbers = np.array([float(number) for _, _, number in parts])
    except ValueError:
        return table
    return Table({**table, "label": numbers}) if np.isfinite(numbers).all() else table


def _parse_example(line: str, number: int, source: str) -> Example:
    def error_at(reason: str, at: int) -> ParseError:
        return ParseError(reason, source=source, line=number, column=at + 1)

    markers = list(_MARKER.finditer(line))
    head = line[: markers[0].start()] if markers else line
    example = Example(number, tuple(head.split()))
    sides: list[str] = []
    counts: dict[str, int] = {}  # of the parts on each side, which name those without a name
    inside: re.Match[str] | None = None
    end = len(head)
    for marker in markers:
        kind, _, closing, pair = marker.groups()
        if inside is not None:
            if not closing:
                continue  # it belongs to the text
            place = line[inside.end() : marker.start()], inside.end()
            side = "".join(sides)
            name = inside.group(2) or str(counts.get(side, 0))
            _add_part(example, inside.group(1), side + name, place, source)
            counts[side] = counts.get(side, 0) + 1
            inside = None
        elif line[end : marker.start()].strip():
            raise error_at("there is text between two parts", end)
        elif closing:
            raise error_at(f"|{closing}| closes nothing", marker.start())
        elif kind:
            inside = marker
        elif pair == "<":
            sides.append(_SIDES[pair])
        elif not sides:
            raise error_at(f"|{pair}| without |<| before it", marker.start())
        else:
            sides.pop()
            sides.extend([_SIDES[pair]] if pair == "," else [])
        end = marker.end()
    if inside is not None:
        raise error_at(f"{inside.group()} is never closed", inside.start())
    if sides:
        raise error_at("|<| is never closed", len(line))
    if line[end:].strip() and markers:
        raise error_at("there is text after the last part", end)
    return example


def _add_part(example: Example, kind: str, name: str, place: Place, source: str) -> None:
    text, before = place
    if name in example.parts:
        reason = f"there are two parts with the name {name!r}"
        raise ParseError(reason, source=source, line=example.line, column=before + 1)
    if kind == "T":
        example.parts[name] = "tree", place
    elif kind == "V":
        example.parts[name] = "sparse", sparse_entries(place, example.line, source)
    elif kind == "DV":
        example.parts[name] = "dense", _dense_numbers(place, example.line, source)
    else:
        example.parts[name] = "text", text.strip()


def _dense_numbers(place: Place, line: int, source: str) -> list[float]:
    text, before = place
    values: list[float] = []
    for item in _NUMBERS.split(text.strip()) if text.strip() else ():
        try:
            values.append(float(item))
        except ValueError:
            values.append(float("nan"))
        if not np.isfinite(values[-1]):
            column = before + text.index(item) + 1
            reason = f"{item!r:.40} is not a number"
            raise ParseError(reason, source=source, line=line, column=column)
    return values

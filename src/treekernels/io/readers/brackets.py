"""Files with one tree in Penn bracket notation per line.

Empty lines, and lines that start with #, are passed over.
"""

from __future__ import annotations

from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.io.reading.bad_input import Problems
from treekernels.io.reading.bracket_columns import BracketColumns, batches
from treekernels.io.reading.lines import PathLike, lines_of
from treekernels.io.reading.origins import Origins


def read_brackets(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read a forest; memory beyond it stays small however long the file is."""
    trees = BracketColumns(str(path), problems, origins)
    lines = (
        (number, line)
        for number, line in lines_of(path, problems)
        if (start := line.lstrip()) and not start.startswith("#")
    )
    for place, batch in enumerate(batches(lines)):
        numbers = [number for number, _ in batch]
        texts = [text for _, text in batch]
        if place == 0 and not problems.skip:
            _check_format(texts[0], str(path), numbers[0])
        trees.add(numbers, {"tree": texts}, lambda _, row, before: (0, before + 1))
    return trees.forest("tree")


def _check_format(line: str, source: str, number: int) -> None:
    """Raise a `ParseError` that names the format if a file is clearly of another."""
    if line.lstrip().startswith("("):
        return
    reason = "a tree starts with '(', and this does not"
    for sign, format in (("|BT|", "svmlight-tk"), ("|BT:", "kelp"), ("\t(", "tsv")):
        if sign in line:
            reason = f"{reason}; it looks like format={format!r}"
            column = len(line) - len(line.lstrip()) + 1
            raise ParseError(reason, source=source, line=number, column=column)

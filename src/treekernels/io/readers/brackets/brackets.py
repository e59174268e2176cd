"""Files with one tree in Penn bracket notation per line.

Empty lines, and lines that start with #, are passed over.
"""

from __future__ import annotations

from treekernels.data.forest import Forest
from treekernels.errors import ParseError
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in
from treekernels.io.reading.input.origins import Origins
from treekernels.io.reading.tables.blocks import read_block
from treekernels.io.reading.tables.bracket_columns import BracketColumns


def read_brackets(path: PathLike, *, problems: Problems, origins: Origins | None = None) -> Forest:
    """Read a forest; memory beyond it stays small however long the file is."""
    trees = BracketColumns(str(path), problems, origins)

    def read_good(begin: int, number: int) -> tuple[int, int]:
        return trees.add_block(number, block, begin, [True], "")[1:]

    def read_lines(number: int, raw: bytes) -> None:
        lines = [
            (at, line)
            for at, line in lines_in(raw, number, path, problems)
            if (start := line.lstrip()) and not start.startswith("#")
        ]
        if lines:
            if not len(trees) and not problems.skip:
                _check_format(lines[0][1], str(path), lines[0][0])
            texts = {0: [line for _, line in lines]}
            trees.add([at for at, _ in lines], texts, lambda _, row, before: (0, before + 1))

    for first, block in blocks_of(path):
        read_block(first, block, read_good, read_lines)
    return trees.forest(0)


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

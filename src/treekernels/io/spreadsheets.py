"""Text from elsewhere, made safe for spreadsheets: the one function that escapes it.

A program for spreadsheets computes what looks like a formula, and a formula can start programs or
send data away. Such an entry is written with an apostrophe before it, which these programs take as
"this is text"; reading takes it away again.
"""

from __future__ import annotations

import re

# Numbers, and words such as -LRB-, are computed too, but do no harm.
_FORMULA = re.compile(r"'*[=+\-@](?![\w.=+\-@]*\Z)", re.ASCII)
_ESCAPED = re.compile(r"''*[=+\-@](?![\w.=+\-@]*\Z)", re.ASCII)


def cell_of(text: str) -> str:
    """Return a text as it is written to a file that a spreadsheet might open.

    Examples
    --------
    >>> print(cell_of("=HYPERLINK(A1)"), cell_of("-LRB-"), cell_of("-1.5"))
    '=HYPERLINK(A1) -LRB- -1.5
    """
    return f"'{text}" if _FORMULA.match(text) else text


def text_of(cell: str) -> str:
    """Return the text that is meant by an entry of such a file.

    Examples
    --------
    >>> text_of(cell_of("=1+cmd()")), text_of("'tis")
    ('=1+cmd()', "'tis")
    """
    return cell[1:] if cell[:1] == "'" and _ESCAPED.match(cell) else cell

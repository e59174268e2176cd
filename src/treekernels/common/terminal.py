"""Text from elsewhere, made safe for a terminal: the one function that escapes it.

Labels, file names and class names come from files. A terminal obeys some of their characters: it
moves the cursor, changes its title, or shows text in another order than it is written.
"""

from __future__ import annotations

import re

__all__ = ["printable"]

# Controls but for tab and line end, delete, the second set of controls, marks that change the
# direction of writing, separators of lines, and halves of characters.
_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def printable(text: str) -> str:
    r"""Return the text with every character that a terminal would obey written as an escape.

    Tabs and line ends stay as they are.

    Examples
    --------
    >>> print(printable("red \x1b[31malert"))
    red \u001b[31malert
    """
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)

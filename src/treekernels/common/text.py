"""Text for people: numbers with their nouns and units, and text that is safe for a terminal.

Labels, file names and class names come from files. A terminal obeys some of their characters: it
moves the cursor, changes its title, or shows text in another order than it is written. `printable`
is the one function that escapes them.
"""

from __future__ import annotations

import re

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
    return _OBEYED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def count_noun(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count_noun(1, "class", "classes"), count_noun(0, "tree"), count_noun(1234, "tree")
    ('1 class', '0 trees', '1,234 trees')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def byte_count(number: float) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> byte_count(28.8e9), byte_count(1536), byte_count(12)
    ('28.8 GB', '1.5 kB', '12 bytes')
    """
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.1f} {unit}"
    return f"{number:.0f} bytes"


def seconds(value: float) -> str:
    """Return a time as people say it.

    Examples
    --------
    >>> seconds(0.123), seconds(75)
    ('0.12 s', '75.0 s')
    """
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s"


def number_of_digits(text: str) -> int | None:
    """Return what a text of digits stands for, or None for one that is no number of 31 bits.

    Python refuses to read thousands of digits with an error of its own.

    Examples
    --------
    >>> number_of_digits("07"), number_of_digits("-7"), number_of_digits("9" * 5000)
    (7, None, None)
    """
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        return None
    number = int(text)
    return number if number < 2**31 else None

"""Text from elsewhere, made safe for pages and pictures: the one function that escapes it.

Labels, class names and names of files come from strangers. In HTML and SVG they are nothing but
text, also inside of attributes.
"""

from __future__ import annotations

import re
from html import escape

# Control characters, marks that change the direction of writing, line separators, surrogates and
# code points that are not characters. XML allows neither the first nor the last, and the others
# cannot be seen.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff"
    "\ufffe\uffff]"
)


def markup(value: object, *, longest: int | None = None) -> str:
    """Return a value as text for HTML and SVG, cut off behind so many characters.

    Examples
    --------
    >>> markup("<script>alert('!')</script>")
    '&lt;script&gt;alert(&#x27;!&#x27;)&lt;/script&gt;'
    """
    return escape(visible_text(str(value)[:longest]))


def visible_text(text: str) -> str:
    """Return a text with marks in place of characters that cannot be seen, or would be obeyed."""
    return text if text.isprintable() else _UNSEEN.sub(_mark, text)


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 32 else "\N{REPLACEMENT CHARACTER}"

"""Numbers in sentences."""

from __future__ import annotations

__all__ = ["count_noun"]


def count_noun(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count_noun(1, "class", "classes"), count_noun(0, "tree"), count_noun(1234, "tree")
    ('1 class', '0 trees', '1,234 trees')
    """
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"

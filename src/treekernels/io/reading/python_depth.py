"""How deeply the syntax tree of Python source may be nested, seen before it is made.

Python 3.10 crashes where a tree is too deep for the stack of C; later versions raise an error. So
there the operators are counted first, without recursion.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize

__all__ = ["MOST_OPERATORS", "is_too_deep", "most_operators"]

MOST_OPERATORS = 5000  # later versions of Python refuse some thousands, too
_NESTING = re.compile(rb"[-+*/%@&|^<>=~.(\[{]|\b(?:and|or|not|if|elif|lambda|await|in|is)\b")


def is_too_deep(text: str | bytes) -> bool:
    """Return whether an expression has so many operators that its tree may be too deep."""
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if sum(1 for _ in _NESTING.finditer(raw)) <= MOST_OPERATORS:
        return False
    return most_operators(raw) > MOST_OPERATORS


def most_operators(raw: bytes) -> int:
    """Return the largest number of operators in what no comma or line end divides.

    A tree is no deeper than some times this number, as each bracket counts with the most that is
    between two of its commas. Commas after a lambda do not divide: its body goes on. What is not
    Python is counted up to there, as the parser will not go further.
    """
    most = branches = 0
    levels = [[0, 0, 0]]  # of each open bracket: now, most so far, whether there is a lambda
    try:
        for token in tokenize.tokenize(io.BytesIO(raw).readline):
            level = levels[-1]
            if token.type == tokenize.NEWLINE:
                levels = [[0, 0, 0]]
            elif token.type == tokenize.OP and token.string in "([{":
                levels.append([0, 0, 0])
            elif token.type == tokenize.OP and token.string in ")]}":
                if len(levels) > 1:
                    levels.pop()
                    levels[-1][0] += 1 + max(level[:2])
            elif token.type == tokenize.OP and token.string == ",":
                if not level[2]:
                    levels[-1] = [0, max(level[:2]), 0]
            elif token.type == tokenize.OP or keyword.iskeyword(token.string):
                level[0] += 1
                level[2] |= token.string == "lambda"
                branches += token.string == "elif"  # each is inside the one before
            most = max(most, levels[-1][0], branches)
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return most

"""Bracketed trees that stand somewhere in a file: parsed by the thousand, bad ones reported."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.parsing import Roots, parse_until_bad
from treekernels.errors import ParseError
from treekernels.io.reading.bad_input import Problems

__all__ = ["BATCH", "parse_texts"]

BATCH = 65536
"""How many lines are in memory at a time."""

_STEP = 64


def parse_texts(
    dag: _native.Dag,
    texts: list[str],
    locate: Callable[[int, int], tuple[int, int | None]],
    source: str,
    problems: Problems,
) -> tuple[Roots, NDArray[np.bool_]]:
    """Intern texts; return their roots, and which of them are good.

    Parameters
    ----------
    locate : callable
        Returns line and column, if that is known, for the number of a text and a number of
        characters into it.
    """
    roots = np.zeros(len(texts), np.uint32)
    good = np.ones(len(texts), bool)
    done, step = 0, len(texts)
    while done < len(texts):
        batch, failure = parse_until_bad(dag, texts[done : done + step])
        roots[done : done + len(batch)] = batch
        done += len(batch)
        step *= 2
        if failure is not None:
            index, before, reason = done, *failure[1:]
            line, column = locate(index, before)
            problems.report(ParseError(reason, source=source, line=line, column=column))
            good[done] = False
            done += 1
            step = _STEP  # a bad text costs a small batch, not a large one
    return roots, good

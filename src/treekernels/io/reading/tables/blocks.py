"""Blocks of lines: the core reads what is good in them, and the rest is read line by line."""

from __future__ import annotations

from collections.abc import Callable

_MOST_LINES = 4096


def read_block(
    number: int,
    block: bytes,
    read_good: Callable[[int, int], tuple[int, int]],
    read_lines: Callable[[int, bytes], None],
) -> None:
    """Read a block of whole lines by turns: good ones at the speed of the core, others slowly.

    Parameters
    ----------
    number : int
        The number of the first line.
    block : bytes
        Whole lines.
    read_good : callable
        Takes where in the block to begin, and the number of the line there. Returns where the first
        line begins that the core does not take, and how many lines that is.
    read_lines : callable
        Takes the number of the first of some lines, and these lines.
    """
    begin, step = 0, 1
    # Labels, texts and features of a block become Python's, which are UTF-8 throughout.
    is_good = is_utf8(block)
    while begin < len(block):
        if is_good:
            begin, count = read_good(begin, number)
            number += count
            # Lines that the core does not take often come together.
            step = 1 if count > step else min(2 * step, _MOST_LINES)
        end, count = begin, 0
        while end < len(block) and (count < step or not is_good):
            end = block.find(b"\n", end) + 1 or len(block)
            count += 1
        if end > begin:
            read_lines(number, block[begin:end])
        number += count
        begin = end


def is_utf8(text: bytes) -> bool:
    """Return whether a text is encoded as UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True

"""Blocks of lines: the core reads what is good in them, and the rest is read line by line."""

from __future__ import annotations

from collections.abc import Callable, Generator
from itertools import chain

from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, blocks_of, lines_in

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


def lines_that_are_left(
    path: PathLike,
    problems: Problems,
    read_good: Callable[[bytes, int, bool], tuple[int, int, bool]],
) -> Generator[tuple[int, str], None, None]:
    """Read a file as far as it is good at the speed of the core, and yield the lines of the rest.

    Parameters
    ----------
    read_good : callable
        Takes a block, the number of its first line, and whether it is the last one. Returns where
        what is good ends, after how many lines, and whether what comes then may go on in the next
        block.
    """
    blocks = blocks_of(path)
    number, parts, size, enough = 1, [b""], 0, 0
    for _, block in chain(blocks, [(0, b"")]):
        parts.append(block)
        size += len(block)
        if block and size < enough:
            continue
        text = b"".join(parts)
        end, may_go_on = 0, False
        if is_utf8(text):
            end, count, may_go_on = read_good(text, number, not block)
            number += count
        # A long tree or sentence is looked at again when there is twice as much of it.
        parts, size, enough = [text[end:]], len(text) - end, 2 * (len(text) - end)
        if size and not may_go_on:
            break
    yield from lines_in(parts[0], number, path, problems)
    for number, block in blocks:
        yield from lines_in(block, number, path, problems)


def is_utf8(text: bytes) -> bool:
    """Return whether a text is encoded as UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True

"""What an index of pieces knows of files, and how that is written: as JSON, in an array of bytes.

An index of a large repository has tens of thousands of pieces. To look at each when the file is
written or opened would take longer than all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treekernels.search.index.origins import packed, unpacked


@dataclass
class KnownFile:
    """What is known of a file.

    Attributes
    ----------
    digest : str
        What its content hashes to.
    pieces : list
        First and last line, name, sentence, and fingerprint of the tree.
    problems : list
        Line, column and reason.
    ignored : int
        How many pieces comments switch off.
    """

    digest: str
    pieces: list[tuple[int, int, str | None, str | None, str]]
    problems: list[tuple[int, int | None, str]]
    ignored: int = 0


def packed_files(files: dict[str, KnownFile]) -> NDArray[np.uint8]:
    """Return files as bytes."""
    return packed([[name, *vars(file).values()] for name, file in files.items()])


def unpacked_files(array: NDArray[np.uint8]) -> dict[str, KnownFile]:
    """Return the files, or raise one of the usual errors for what are none."""
    return {
        str(name): KnownFile(
            str(digest),
            [(int(a), int(b), _text(c), _text(d), str(e)) for a, b, c, d, e in pieces],
            [(int(a), b, str(c)) for a, b, c in problems],
            int(ignored),
        )
        for name, digest, pieces, problems, ignored in unpacked(array)
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)

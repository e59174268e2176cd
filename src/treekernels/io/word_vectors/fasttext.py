"""Binary files of fastText (.bin), in which a vector is the mean of those of a word and its parts.

So unknown words have vectors as well. The file has, after two numbers, the parameters, the words
with their counts, and the matrix of vectors, of which only the rows that are needed are read. Files
that fastText has made smaller (.ftz) cannot be read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError

Vector = NDArray[np.float32]
_MAGIC = struct.pack("<i", 793712314)
_PARAMETERS = struct.Struct("<12id")
_COUNTS = struct.Struct("<3i2q")
_LONGEST_PART = 1000  # letters; fastText has 6, and time grows with their square
_END_OF_SENTENCE = "</s>"


def is_fasttext(head: bytes) -> bool:
    """Whether a file begins as those of fastText do."""
    return head.startswith(_MAGIC)


def checked_vector(vector: Vector, word: str, path: str | os.PathLike[str]) -> Vector:
    """Return a vector if its numbers are finite, or raise an error."""
    if not np.isfinite(vector).all():
        raise DataError(f"{path}: the vector of {word!r} has numbers that are not finite")
    return vector


class FastTextFile:
    """A model of fastText, as far as its vectors of words go."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        with open(path, "rb") as file:
            try:
                self._read_head(file)
            except struct.error:
                raise self._error("cut off") from None

    def _error(self, reason: str) -> DataError:
        return DataError(f"{self.path}: {reason}, or no model of fastText")

    def _read_head(self, file: Any) -> None:
        def take(form: struct.Struct) -> tuple[Any, ...]:
            return form.unpack(file.read(form.size))

        _, version = take(struct.Struct("<2i"))
        if version != 12:
            raise self._error(f"written in version {version} of its format, and 12 can be read")
        numbers = take(_PARAMETERS)
        self.dimensions, self.bucket = int(numbers[0]), int(numbers[8])
        self.shortest, self.longest = int(numbers[9]), int(numbers[10])
        size, self.n_words, _, _, pruned = take(_COUNTS)
        if not 0 <= self.n_words <= size or self.bucket < 0 or self.longest > _LONGEST_PART:
            raise self._error("its parts do not fit together")
        if pruned > 0:
            raise self._error("made smaller by fastText, which cannot be read")
        self.rows: dict[str, int] = {}
        for row in range(size):
            word = self._text(file)
            take(struct.Struct("<qb"))
            if row < self.n_words:
                self.rows.setdefault(word, row)
        (quantized,) = take(struct.Struct("<?"))
        if quantized:
            raise self._error("made smaller by fastText, which cannot be read")
        height, width = take(struct.Struct("<2q"))
        if width != self.dimensions or width <= 0 or height < self.n_words:
            raise self._error("its parts do not fit together")
        if height < self.n_words + self.bucket:
            self.bucket = 0  # a model without parts of words
        begin = file.tell()
        if os.stat(self.path).st_size < begin + 4 * height * width:
            raise self._error("cut off")
        self.matrix: Any = np.memmap(self.path, "<f4", "r", begin, shape=(height, width))

    def _text(self, file: Any) -> str:
        text = bytearray()
        while True:
            byte = file.read(1)
            if not byte:
                raise self._error("cut off")
            if byte == b"\0":
                return text.decode("utf-8", "surrogateescape")
            text += byte

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of words; a word that is not known has those of its parts alone."""
        vectors = {}
        for word in words:
            rows = self._rows(word)
            if rows:
                vector = np.asarray(self.matrix[rows], np.float64).mean(axis=0)
                vectors[word] = checked_vector(vector.astype(np.float32), word, self.path)
        return vectors

    def _rows(self, word: str) -> list[int]:
        rows = [self.rows[word]] if word in self.rows else []
        if self.bucket and self.longest > 0 and word != _END_OF_SENTENCE:
            for part in _parts(f"<{word}>", self.shortest, self.longest):
                rows.append(self.n_words + _hash(part) % self.bucket)
        return rows


def _parts(word: str, shortest: int, longest: int) -> Iterable[bytes]:
    """Yield the sequences of letters of a word, without its ends alone."""
    for first in range(len(word)):
        for last in range(first + max(1, shortest), min(first + longest, len(word)) + 1):
            if last - first == 1 and (first == 0 or last == len(word)):
                continue
            yield word[first:last].encode("utf-8", "surrogateescape")


def _hash(part: bytes) -> int:
    """Return the hash of fastText: FNV-1a, in which bytes are signed numbers."""
    value = 2166136261
    for byte in part:
        value ^= byte if byte < 128 else byte | 0xFFFFFF00
        value = value * 16777619 & 0xFFFFFFFF
    return value

"""Files of word vectors, of which only the words that are asked for are read.

Text files have a word and its numbers on each line, after a line with two numbers (word2vec,
fastText's .vec) or without it (GloVe). Binary files are those of word2vec; `fasttext_files` has
those of fastText. Where a word stands is noted once, so that later words are found at once.
"""

from __future__ import annotations

import mmap
import os
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ParseError
from treekernels.io.reading.lines import open_uncompressed
from treekernels.io.word_vectors.fasttext import FastTextFile, checked_vector, is_fasttext

__all__ = ["VectorFile", "open_vectors"]

Vector = NDArray[np.float32]
_HEADER = re.compile(rb"\s*(\d{1,12})\s+(\d{1,6})\s*")
_LONGEST_LINE = 1 << 24
_LONGEST_WORD = 1 << 16


class VectorFile(ABC):
    """A file of word vectors."""

    dimensions: int

    @abstractmethod
    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of those words that the file has."""


def open_vectors(path: str | os.PathLike[str]) -> Any:
    """Return a file of word vectors, whatever its form, or raise an error if it is none."""
    with Path(path).open("rb") as raw:
        head = raw.read(4096)
    if is_fasttext(head):
        return FastTextFile(path)
    with open_uncompressed(path) as file:
        first = file.readline(_LONGEST_LINE)
        header = _HEADER.fullmatch(first)
        if header is None:
            return _TextFile(path, _width(first, path, 1), 0, compressed=head[:2] == b"\x1f\x8b")
        dimensions = int(header[2])
        second = file.readline(_LONGEST_LINE)
    if not dimensions:
        raise ParseError("vectors have one number at least", source=str(path), line=1)
    if _numbers(second, dimensions) is not None or not second:
        gzipped = head[:2] == b"\x1f\x8b"
        return _TextFile(path, dimensions, len(first), compressed=gzipped)
    if head[:2] == b"\x1f\x8b":
        raise DataError(f"{path}: unpack this file first, as binary vectors are read in place")
    return _BinaryFile(path, int(header[1]), dimensions, len(first))


class _Places:
    """Where words stand in a file, by their hashes."""

    def __init__(self, hashes: array[int], places: array[int]) -> None:
        numbers = np.frombuffer(hashes, np.int64) if hashes else np.empty(0, np.int64)
        order = np.argsort(numbers, kind="stable")  # the first of equal words stays the first
        self.hashes = numbers[order]
        self.places = (np.frombuffer(places, np.int64) if places else np.empty(0, np.int64))[order]

    def of(self, word: bytes) -> list[int]:
        """Return where a word may stand."""
        value = hash(word)
        low = int(np.searchsorted(self.hashes, value, side="left"))
        high = int(np.searchsorted(self.hashes, value, side="right"))
        return [int(place) for place in self.places[low:high]]


class _TextFile(VectorFile):
    """Lines of text. A compressed one is read from its beginning each time."""

    def __init__(
        self, path: str | os.PathLike[str], dimensions: int, begin: int, *, compressed: bool
    ) -> None:
        self.path = path
        self.dimensions = dimensions
        self.begin = begin
        self.compressed = compressed
        self._places: _Places | None = None

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        if self.compressed:
            return self._scan(set(words))
        if self._places is None:
            self._places = self._note_places()
        found: dict[str, Vector] = {}
        with open(self.path, "rb") as file:
            for word in words:
                raw = _encoded(word)
                for place in self._places.of(raw):
                    file.seek(place)
                    line = file.readline(_LONGEST_LINE)
                    if _word_of(line, self.dimensions) == raw:
                        found[word] = self._vector(line, word)
                        break
        return found

    def _note_places(self) -> _Places:
        hashes, places = array("q"), array("q")
        with open(self.path, "rb") as file:
            file.seek(self.begin)
            place = self.begin
            for line in _lines(file):
                if line.strip():
                    hashes.append(hash(_word_of(line, self.dimensions)))
                    places.append(place)
                place += len(line)
        return _Places(hashes, places)

    def _scan(self, words: set[str]) -> dict[str, Vector]:
        wanted = {_encoded(word): word for word in words}
        found: dict[str, Vector] = {}
        with open_uncompressed(self.path) as file:
            for number, line in enumerate(_lines(file)):
                if number == 0 and self.begin:
                    continue
                word = wanted.get(_word_of(line, self.dimensions))
                if word is not None and word not in found:
                    found[word] = self._vector(line, word)
        return found

    def _vector(self, line: bytes, word: str) -> Vector:
        vector = _numbers(line, self.dimensions)
        if vector is None:
            reason = f"the vector of {word!r} does not have {self.dimensions} numbers"
            raise ParseError(reason, source=str(self.path), line=self._line_of(line))
        return vector

    def _line_of(self, wanted: bytes) -> int:
        with open_uncompressed(self.path) as file:
            return next(n for n, line in enumerate(_lines(file), start=1) if line == wanted)


class _BinaryFile(VectorFile):
    """Words, a blank behind each, and their numbers in four bytes each."""

    def __init__(
        self, path: str | os.PathLike[str], count: int, dimensions: int, begin: int
    ) -> None:
        self.path = path
        self.dimensions = dimensions
        self.count = count
        self.begin = begin
        self._places: _Places | None = None
        size = os.stat(path).st_size
        if begin + count * (4 * dimensions + 2) > size:
            raise self._cut_off()

    def _cut_off(self) -> DataError:
        return DataError(
            f"{self.path}: cut off, or no word vectors: there should be {self.count:,} words"
        )

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        with open(self.path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            try:
                if self._places is None:
                    self._places = self._note_places(data)
                for word in words:
                    raw = _encoded(word)
                    for place in self._places.of(raw):
                        if data[place : place + len(raw) + 1] == raw + b" ":
                            begin = place + len(raw) + 1
                            numbers = data[begin : begin + 4 * self.dimensions]
                            vector = np.frombuffer(numbers, "<f4").astype(np.float32)
                            found[word] = checked_vector(vector, word, self.path)
                            break
            finally:
                data.close()
        return found

    def _note_places(self, data: Any) -> _Places:
        hashes, places = array("q"), array("q")
        place, size = self.begin, len(data)
        for _ in range(self.count):
            while place < size and data[place] in b"\n\r":
                place += 1
            blank = data.find(b" ", place, place + _LONGEST_WORD)
            if blank < 0 or blank + 1 + 4 * self.dimensions > size:
                raise self._cut_off()
            hashes.append(hash(data[place:blank]))
            places.append(place)
            place = blank + 1 + 4 * self.dimensions
        return _Places(hashes, places)


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines; one that is too long for memory comes in pieces."""
    return iter(lambda: file.readline(_LONGEST_LINE), b"")


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _word_of(line: bytes, dimensions: int) -> bytes:
    """Return the word of a line; some files have words with blanks in them."""
    if line.rstrip().count(b" ") == dimensions:
        return line[: line.index(b" ")]
    parts = line.rstrip().split(b" ")
    return b" ".join(parts[: max(1, len(parts) - dimensions)])


def _numbers(line: bytes, dimensions: int) -> Vector | None:
    """Return the numbers of a line, or None if there are not as many as there should be."""
    parts = line.rstrip().split(b" ")
    if len(parts) <= dimensions:
        return None
    try:
        vector = np.array([float(part) for part in parts[-dimensions:]], np.float32)
    except ValueError:
        return None
    return vector if np.isfinite(vector).all() else None


def _width(line: bytes, path: str | os.PathLike[str], number: int) -> int:
    """Return how many numbers stand on a line behind its word."""
    count = 0
    for part in reversed(line.rstrip().split(b" ")[1:]):
        if not _is_number(part):
            break
        count += 1
    if count == 0:
        reason = "these are no word vectors: a line should have a word and numbers behind it"
        raise ParseError(reason, source=str(path), line=number)
    return count


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

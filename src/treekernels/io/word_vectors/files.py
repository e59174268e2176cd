"""Files of word vectors, of which only the words that are asked for are read.

Text files have a word and its numbers on each line, after a line with two numbers (word2vec,
fastText's .vec) or without it (GloVe). Binary files are those of word2vec; `fasttext` has those of
fastText. Where the words stand is noted once, so that further words are found quickly.
"""

from __future__ import annotations

import mmap
import os
import re
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Protocol

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ParseError
from treekernels.io.reading.input.lines import open_uncompressed
from treekernels.io.word_vectors.fasttext import FastTextFile, checked_vector, is_fasttext

Vector = NDArray[np.float32]
PathLike = str | os.PathLike[str]
_HEADER = re.compile(rb"\s*(\d{1,12})\s+(\d{1,6})\s*")
_LONGEST_LINE = 1 << 24
_LONGEST_WORD = 1 << 16


class VectorFile(Protocol):
    """A file of word vectors."""

    dimensions: int

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of those words that the file has."""


def open_vectors(path: PathLike) -> VectorFile:
    """Return a file of word vectors, whatever its form, or raise an error if it has none."""
    with Path(path).open("rb") as raw:
        head = raw.read(4096)
    if is_fasttext(head):
        return FastTextFile(path)
    compressed = head[:2] == b"\x1f\x8b"
    text_file = _CompressedText if compressed else _TextFile
    with open_uncompressed(path) as file:
        first = file.readline(_LONGEST_LINE)
        header = _HEADER.fullmatch(first)
        if header is None:
            return text_file(path, _width(first, path), 0)
        second = file.readline(_LONGEST_LINE)
    dimensions = int(header[2])
    if not dimensions:
        raise ParseError("vectors have one number at least", source=str(path), line=1)
    if _numbers(second, dimensions) is not None or not second:
        return text_file(path, dimensions, len(first))
    if compressed:
        raise DataError(f"{path}: unpack this file first, as binary vectors are read in place")
    return _BinaryFile(path, dimensions, len(first), int(header[1]))


class _Places:
    """Where words stand in a file, by their hashes."""

    def __init__(self, words: Iterable[tuple[bytes, int]]) -> None:
        hashes, places = array("q"), array("q")
        for word, place in words:
            hashes.append(hash(word))
            places.append(place)
        order = np.argsort(hashes, kind="stable")  # the first of equal words stays the first
        self.hashes = np.array(hashes, np.int64)[order]
        self.places = np.array(places, np.int64)[order]

    def of(self, word: bytes) -> list[int]:
        """Return where a word may stand."""
        first = np.searchsorted(self.hashes, hash(word), side="left")
        last = np.searchsorted(self.hashes, hash(word), side="right")
        return [int(place) for place in self.places[first:last]]


class _MappedFile(ABC):
    """A file whose vectors are read in place."""

    def __init__(self, path: PathLike, dimensions: int, begin: int) -> None:
        self.path = path
        self.dimensions = dimensions
        self.begin = begin
        self._places: _Places | None = None

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        vectors: dict[str, Vector] = {}
        with (
            Path(self.path).open("rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            if self._places is None:
                self._places = _Places(self._words(data))
            for word in words:
                for place in self._places.of(_encoded(word)):
                    vector = self._vector_at(data, place, word)
                    if vector is not None:
                        vectors[word] = vector
                        break
        return vectors

    @abstractmethod
    def _words(self, data: mmap.mmap) -> Iterator[tuple[bytes, int]]:
        """Yield all words, and where they stand."""

    @abstractmethod
    def _vector_at(self, data: mmap.mmap, place: int, word: str) -> Vector | None:
        """Return the vector at a place, or None if it is that of another word."""


class _TextFile(_MappedFile):
    """Lines of text."""

    def _words(self, data: mmap.mmap) -> Iterator[tuple[bytes, int]]:
        place = self.begin
        while line := _line_at(data, place):
            if line.strip():
                yield _word_of(line, self.dimensions), place
            place += len(line)

    def _vector_at(self, data: mmap.mmap, place: int, word: str) -> Vector | None:
        line = _line_at(data, place)
        if _word_of(line, self.dimensions) != _encoded(word):
            return None
        return _text_vector(line, word, self.dimensions, self.path)


class _BinaryFile(_MappedFile):
    """Words, a blank behind each, and their numbers in four bytes each."""

    def __init__(self, path: PathLike, dimensions: int, begin: int, count: int) -> None:
        super().__init__(path, dimensions, begin)
        self.count = count
        if begin + count * (4 * dimensions + 2) > os.stat(path).st_size:
            raise self._cut_off()

    def _cut_off(self) -> DataError:
        return DataError(
            f"{self.path}: cut off, or no word vectors: there should be {self.count:,} words"
        )

    def _words(self, data: mmap.mmap) -> Iterator[tuple[bytes, int]]:
        place, size = self.begin, len(data)
        for _ in range(self.count):
            while place < size and data[place] in b"\n\r":
                place += 1
            blank = data.find(b" ", place, place + _LONGEST_WORD)
            if blank < 0 or blank + 1 + 4 * self.dimensions > size:
                raise self._cut_off()
            yield data[place:blank], place
            place = blank + 1 + 4 * self.dimensions

    def _vector_at(self, data: mmap.mmap, place: int, word: str) -> Vector | None:
        start = _encoded(word) + b" "
        begin = place + len(start)
        if data[place:begin] != start:
            return None
        vector = np.frombuffer(data[begin : begin + 4 * self.dimensions], "<f4")
        return checked_vector(vector.astype(np.float32), word, self.path)


class _CompressedText:
    """Lines of text that are uncompressed from the beginning each time."""

    def __init__(self, path: PathLike, dimensions: int, begin: int) -> None:
        self.path = path
        self.dimensions = dimensions
        self.has_header = begin > 0

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        wanted = {_encoded(word): word for word in words}
        vectors: dict[str, Vector] = {}
        with open_uncompressed(self.path) as file:
            for number, line in enumerate(_lines(file)):
                if number == 0 and self.has_header:
                    continue
                word = wanted.get(_word_of(line, self.dimensions))
                if word is not None and word not in vectors:
                    vectors[word] = _text_vector(line, word, self.dimensions, self.path)
        return vectors


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield lines; one that is too long for memory comes in pieces."""
    return iter(lambda: file.readline(_LONGEST_LINE), b"")


def _line_at(data: mmap.mmap, place: int) -> bytes:
    """Return the line that begins at a place, or as much of it as may be in memory."""
    most = place + _LONGEST_LINE
    end = data.find(b"\n", place, most)
    return data[place : most if end < 0 else end + 1]


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _word_of(line: bytes, dimensions: int) -> bytes:
    """Return the word of a line; some files have words with blanks in them."""
    if line.rstrip().count(b" ") == dimensions:
        return line[: line.index(b" ")]
    parts = line.rstrip().split(b" ")
    return b" ".join(parts[: max(1, len(parts) - dimensions)])


def _text_vector(line: bytes, word: str, dimensions: int, path: PathLike) -> Vector:
    """Return the vector of a line, or raise an error that says which line it is."""
    vector = _numbers(line, dimensions)
    if vector is None:
        with open_uncompressed(path) as file:
            number = next(n for n, other in enumerate(_lines(file), start=1) if other == line)
        reason = f"the vector of {word!r} does not have {dimensions} numbers"
        raise ParseError(reason, source=str(path), line=number)
    return vector


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


def _width(line: bytes, path: PathLike) -> int:
    """Return how many numbers stand on the first line behind its word."""
    count = 0
    for part in reversed(line.rstrip().split(b" ")[1:]):
        try:
            float(part)
        except ValueError:
            break
        count += 1
    if count == 0:
        reason = "these are no word vectors: a line should have a word and numbers behind it"
        raise ParseError(reason, source=str(path), line=1)
    return count

"""Where word vectors are found: files, matrices, dictionaries, gensim's KeyedVectors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ParameterError
from treekernels.io.word_vectors.files import open_vectors

Vector: TypeAlias = NDArray[np.float32]


def vector_source(vectors: Any, words: Sequence[str] | None) -> Any:
    """Return where vectors are found: an object with `dimensions` and ``find(words)``."""
    if isinstance(vectors, str | os.PathLike):
        return _FileSource(vectors)
    if words is None and hasattr(vectors, "key_to_index"):  # gensim's, which need not be imported
        return _LookupSource(vectors, vectors.key_to_index, vectors.vector_size)
    if words is None and isinstance(vectors, Mapping):
        dimensions = len(next(iter(vectors.values()))) if len(vectors) else 1
        return _LookupSource(vectors, vectors, dimensions)
    if words is None:
        raise ParameterError(
            "vectors must be a file, a dict of vectors by word, gensim's KeyedVectors, or a matrix "
            f"with its words in words=, not {type(vectors).__name__}"
        )
    matrix = np.asarray(vectors, np.float32)
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise DataError(f"there are {len(words)} words, and vectors of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise DataError("a word vector has numbers that are not finite")
    rows = _MatrixRows(matrix, words)
    return _LookupSource(rows, rows, matrix.shape[1])


class _FileSource:
    """A file, which is opened when it is first needed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = open_vectors(self.path)

    @property
    def dimensions(self) -> int:
        return int(self._file.dimensions)

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        vectors: dict[str, Vector] = self._file.find(words)
        return vectors

    def __getstate__(self) -> str:
        return self.path

    def __setstate__(self, path: str) -> None:
        self.__init__(path)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FileSource) and self.path == other.path

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return repr(self.path)


class _MatrixRows(Mapping[str, Vector]):
    """The rows of a matrix by word; of a word that stands there twice, the first."""

    def __init__(self, matrix: Vector, words: Sequence[str]) -> None:
        self.matrix = matrix
        self.places = {word: place for place, word in reversed(list(enumerate(words)))}

    def __getitem__(self, word: str) -> Vector:
        row: Vector = self.matrix[self.places[word]]
        return row

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


class _LookupSource:
    """Vectors that are looked up by word.

    Parameters
    ----------
    vectors : object with ``word in vectors`` and ``vectors[word]``
        Where fastText makes vectors of unknown words, all words are in it.
    words : collection of str
        The words that are listed.
    dimensions : int
    """

    def __init__(self, vectors: Any, words: Any, dimensions: int) -> None:
        self.vectors = vectors
        self.words = words
        self.dimensions = int(dimensions)

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        vectors = {}
        for word in words:
            if word in self.vectors:
                vector = np.asarray(self.vectors[word], np.float32)
                if vector.shape != (self.dimensions,) or not np.isfinite(vector).all():
                    raise DataError(
                        f"the vector of {word!r} is not {self.dimensions} finite numbers"
                    )
                vectors[word] = vector
        return vectors

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _LookupSource):
            return False
        mine, theirs = self.vectors, other.vectors
        return mine is theirs or (
            set(self.words) == set(other.words)
            and all(np.array_equal(mine[word], theirs[word]) for word in self.words)
        )

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{len(self.words):,} words, {self.dimensions} dimensions>"

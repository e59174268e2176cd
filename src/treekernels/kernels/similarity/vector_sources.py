"""Where word vectors are found: files, matrices, dictionaries, gensim's KeyedVectors."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ParameterError
from treekernels.io.word_vectors.files import open_vectors

__all__ = ["Vector", "vector_source"]

Vector: TypeAlias = NDArray[np.float32]


def vector_source(vectors: Any, words: Sequence[str] | None) -> Any:
    """Return where vectors are found: an object with `dimensions` and ``find(words)``."""
    if isinstance(vectors, str | os.PathLike):
        return _FileSource(vectors)
    if words is None and hasattr(vectors, "key_to_index"):
        return _GensimSource(vectors)
    if words is None and isinstance(vectors, Mapping):
        return _DictSource(vectors)
    if words is None:
        raise ParameterError(
            "vectors must be a file, a dict of vectors by word, gensim's KeyedVectors, or a matrix "
            f"with its words in words=, not {type(vectors).__name__}"
        )
    matrix = np.asarray(vectors, np.float32)
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise DataError(f"there are {len(words)} words, and vectors of shape {matrix.shape}")
    return _MatrixSource(matrix, list(words))


class _FileSource:
    """A file, which is opened when it is first needed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._file = open_vectors(self.path)

    @property
    def dimensions(self) -> int:
        return int(self._file.dimensions)

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        found: dict[str, Vector] = self._file.find(words)
        return found

    def __getstate__(self) -> str:
        return self.path

    def __setstate__(self, path: str) -> None:
        self.__init__(path)  # type: ignore[misc]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _FileSource) and self.path == other.path

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return repr(self.path)


class _MatrixSource:
    """Rows of a matrix."""

    def __init__(self, matrix: Vector, words: list[str]) -> None:
        if not np.isfinite(matrix).all():
            raise DataError("a word vector has numbers that are not finite")
        self.matrix = matrix
        self.words = words
        self.places = {word: place for place, word in reversed(list(enumerate(words)))}

    @property
    def dimensions(self) -> int:
        return int(self.matrix.shape[1])

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        return {word: self.matrix[self.places[word]] for word in words if word in self.places}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _MatrixSource):
            return False
        return self.words == other.words and np.array_equal(self.matrix, other.matrix)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{len(self.words):,} words, {self.dimensions} dimensions>"


class _DictSource:
    """Vectors by word, all of the length of the first one."""

    def __init__(self, vectors: Mapping[str, Any]) -> None:
        self.vectors = vectors
        self.dimensions = len(next(iter(vectors.values()))) if len(vectors) else 1

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        found = {}
        for word in words:
            if word in self.vectors:
                vector = np.asarray(self.vectors[word], np.float32)
                if vector.shape != (self.dimensions,) or not np.isfinite(vector).all():
                    raise DataError(
                        f"the vector of {word!r} is not {self.dimensions} finite numbers"
                    )
                found[word] = vector
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _DictSource) or self.vectors.keys() != other.vectors.keys():
            return False
        return all(np.array_equal(v, other.vectors[word]) for word, v in self.vectors.items())

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{len(self.vectors):,} words, {self.dimensions} dimensions>"


class _GensimSource:
    """KeyedVectors of gensim, which need not be imported for it."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors

    @property
    def dimensions(self) -> int:
        return int(self.vectors.vector_size)

    def find(self, words: Sequence[str]) -> dict[str, Vector]:
        vectors = self.vectors
        return {
            word: np.asarray(vectors[word], np.float32)
            for word in words
            if word in vectors  # where fastText makes vectors of unknown words, all are
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _GensimSource):
            return False
        mine, theirs = self.vectors, other.vectors
        if mine is theirs:
            return True
        same_words = list(mine.key_to_index) == list(theirs.key_to_index)
        return same_words and np.array_equal(mine.vectors, theirs.vectors)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"<{len(self.vectors.key_to_index):,} words, {self.dimensions} dimensions>"

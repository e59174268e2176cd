"""Vectors: rows of a matrix, some of which may be missing, and features that have names.

A vector that an example does not have is a row of NaN in a dense matrix, a row whose stored
entries are all NaN in a sparse one, and None among dictionaries. It is not a vector of zeros: every
kernel gives 0 for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from treekernels.common.arrays import Array, Floats, Mask
from treekernels.data.from_objects import is_nothing
from treekernels.errors import DataError

Vectors: TypeAlias = Any
"""A matrix of floats, dense or sparse in the format CSR, or `NamedVectors`."""


class NamedVectors:
    """Vectors whose features have names: a sparse matrix, and a name for each of its columns.

    Which column a name has depends on what was read first, so that two of these are compared by
    names: `aligned` gives the matrix for other names.

    Parameters
    ----------
    matrix : sparse matrix
    names : sequence of str
    """

    def __init__(self, matrix: Any, names: Sequence[str]) -> None:
        self.matrix = matrix.tocsr()
        self.names = tuple(names)

    @classmethod
    def of(cls, dictionaries: Sequence[Mapping[str, float | str] | None]) -> NamedVectors:
        """Make them of dictionaries, None for a vector that is missing.

        A text as a value makes a feature of its own, which is 1: ``{"head": "dog"}`` is the same as
        ``{"head=dog": 1}``.
        """
        from scipy.sparse import csr_matrix

        places: dict[str, int] = {}
        features: list[int] = []
        values: list[float] = []
        ends = [0]
        for row, entries in enumerate(dictionaries, start=1):
            if entries is None:
                features.append(0)  # there is always a first column
                values.append(np.nan)
            elif isinstance(entries, Mapping):
                for name, value in entries.items():
                    if isinstance(value, str):
                        name, value = f"{name}={value}", 1
                    features.append(places.setdefault(str(name), len(places)))
                    values.append(_finite(value, name, row))
            else:
                raise DataError(
                    f"vector {row} is of type {type(entries).__name__}, but others are "
                    "dictionaries of features by name"
                )
            ends.append(len(features))
        shape = (len(dictionaries), max(1, len(places)))
        names = list(places) or [""]
        return cls(csr_matrix((values, features, ends), shape=shape), names)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of vectors, and of names."""
        rows, columns = self.matrix.shape
        return int(rows), int(columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> NamedVectors:
        return NamedVectors(self.matrix[rows], self.names)

    def __iter__(self) -> Iterator[dict[str, float] | None]:
        missing = missing_rows(self.matrix)
        for row, is_missing in enumerate(missing):
            begin, end = self.matrix.indptr[row], self.matrix.indptr[row + 1]
            entries = zip(self.matrix.indices[begin:end], self.matrix.data[begin:end], strict=True)
            yield None if is_missing else {self.names[f]: float(value) for f, value in entries}

    def aligned(self, names: Sequence[str]) -> Any:
        """Return the matrix with a column for each of these names; others are left out."""
        from scipy.sparse import csr_matrix

        if tuple(names) == self.names:
            return self.matrix
        places = {name: place for place, name in enumerate(names)}
        place_of = np.array([places.get(name, -1) for name in self.names], np.int64)
        entries = self.matrix.tocoo()
        features = place_of[entries.col]
        features[np.isnan(entries.data)] = 0
        kept = features >= 0
        shape = (len(self), max(1, len(names)))
        return csr_matrix((entries.data[kept], (entries.row[kept], features[kept])), shape=shape)

    @staticmethod
    def concatenate(parts: Sequence[NamedVectors]) -> NamedVectors:
        """Put vectors one after the other, under the names of all."""
        from scipy.sparse import vstack

        names = list(dict.fromkeys(name for part in parts for name in part.names))
        return NamedVectors(vstack([part.aligned(names) for part in parts], format="csr"), names)


def check_widths(width: int, other: int) -> None:
    """Raise a `DataError` if vectors that are compared have different numbers of features."""
    if width != other:
        raise DataError(
            f"some vectors have {width:,} features and others {other:,}: make those of all "
            "examples in the same way, such as with the vectorizer that was fitted on the training "
            "data"
        )


def are_vectors(column: Any) -> bool:
    """Return whether a column is what `as_vectors` returns."""
    if isinstance(column, np.ndarray):
        return column.ndim == 2 and column.dtype == np.float64
    return isinstance(column, NamedVectors) or getattr(column, "format", "") == "csr"


def as_vectors(column: Any) -> Vectors:
    """Return a column as a matrix of floats, dense or sparse, or as `NamedVectors`."""
    if isinstance(column, NamedVectors):
        return column
    if hasattr(column, "tocsr"):
        rows = _real(column.tocsr())
        _refuse_infinite(rows)
        return rows
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    are_objects = array.dtype == object and array.ndim == 1 and len(array) > 0
    if are_objects and any(isinstance(item, Mapping) for item in array):
        return NamedVectors.of([None if is_nothing(item) else item for item in array.tolist()])
    try:
        if are_objects:
            array = _stacked(array)
        array = np.asarray(_real(array), dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            "vectors of numbers were expected, all of the same length, or dictionaries of features "
            f"by name; the first is of type {type(array.ravel()[0]).__name__} ({error})"
        ) from None
    array = array.reshape(-1, 1) if array.ndim == 1 else array
    _refuse_infinite(array)
    return array


def _real(array: Any) -> Any:
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: vectors are of real numbers")
    return array


def missing_rows(vectors: Any) -> Mask:
    """Return which rows of a matrix are missing; raise an error if one is so in part."""
    if isinstance(vectors, NamedVectors):
        vectors = vectors.matrix
    values = vectors.data if hasattr(vectors, "tocsr") else vectors
    if np.isfinite(values).all():
        return np.zeros(vectors.shape[0], bool)
    _refuse_infinite(vectors)
    if hasattr(vectors, "tocsr"):
        is_nan = np.isnan(vectors.data)
        missing = np.zeros(vectors.shape[0], bool)
        sizes = np.diff(vectors.indptr)
        rows = np.repeat(np.arange(len(sizes)), sizes)
        counts = np.bincount(rows[is_nan], minlength=len(sizes))
        partly = (counts > 0) & (counts < sizes)
        missing = counts > 0
    else:
        is_nan = np.isnan(vectors)
        missing = is_nan.any(axis=1)
        partly = missing & ~is_nan.all(axis=1)
    if partly.any():
        raise DataError(
            f"vector {int(np.argmax(partly)) + 1} contains NaN among numbers: only a vector that "
            "is missing as a whole may be NaN"
        )
    return np.asarray(missing)


def _refuse_infinite(vectors: Any) -> None:
    if hasattr(vectors, "tocsr"):
        entries = np.flatnonzero(np.isinf(vectors.data))
        rows = np.searchsorted(vectors.indptr, entries, side="right") - 1
    else:
        rows = np.flatnonzero(np.isinf(vectors).any(axis=tuple(range(1, vectors.ndim))))
    if len(rows):
        raise DataError(
            f"vector {int(rows[0]) + 1} contains infinity, for which kernels have no value: leave "
            "it out, or write a large number"
        )


def without_missing(vectors: Any, missing: Mask) -> Any:
    """Return the matrix with zeros in the rows that are missing."""
    if not missing.any():
        return vectors
    vectors = vectors.copy()
    if hasattr(vectors, "tocsr"):
        vectors.data[np.isnan(vectors.data)] = 0.0
        vectors.eliminate_zeros()
    else:
        vectors[missing] = 0.0
    return vectors


def _stacked(column: Array) -> Floats:
    """Return vectors that are one object each as rows, None and NaN as missing ones."""
    rows = [None if is_nothing(vector) else np.asarray(vector, np.float64) for vector in column]
    width = next((np.size(row) for row in rows if row is not None), 1)
    if all(row is None or row.ndim == 0 for row in rows):
        return np.array([np.nan if row is None else float(row) for row in rows])
    return np.stack([np.full(width, np.nan) if row is None else row for row in rows])


def _finite(value: Any, name: Any, row: int) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise DataError(f"vector {row}: the value of the feature {name!r:.40} is {value!r:.40}")
    return number

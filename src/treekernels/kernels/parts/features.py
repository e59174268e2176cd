"""Features of parts: vectors whose dot products are the values of a mapping kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels.kernels.parts.classes import PartClasses, PartRows

_MOST_CLASSES = 2048  # of a group whose local matrix is taken apart


def part_features(classes: PartClasses, rows: PartRows, most: int) -> Any:
    """Return the features of examples as a sparse matrix, or None if a Gram matrix is better.

    The local kernel of the classes of a group is a matrix ``F @ F.T``, and the features of an
    example are its row of counts times F.

    Parameters
    ----------
    classes : PartClasses
    rows : PartRows
    most : int
        How many entries the features may have.

    Returns
    -------
    csr_matrix of shape (examples, features) or None
        None as well if the local kernel has negative eigenvalues, and there are no features.
    """
    from scipy.sparse import csr_matrix

    columns = classes.columns(rows.distinct())
    numbers = columns.numbers[columns.order]
    count = len(numbers)
    begin, end = classes.comparisons(rows.classes, columns)
    # An example has the features of all classes of its groups; `begin` tells groups apart.
    owners = np.repeat(np.arange(len(rows)), np.diff(rows.offsets))
    _, once = np.unique(owners * (count + 1) + begin, return_index=True)
    sizes = end - begin
    if sizes[once].sum() > most or sizes.max(initial=0) > _MOST_CLASSES:
        return None
    local = classes.local_matrix(numbers, classes.columns(numbers))
    indices, data = [np.empty(0, np.int64)], [np.empty(0)]
    ranks = np.zeros(count, np.int64)
    width = 0
    bounds = np.flatnonzero(np.diff(columns.groups)) + 1
    for first, last in zip([0, *bounds], [*bounds, count], strict=True):
        if first == last:
            continue
        block = local.data[local.indptr[first] : local.indptr[last]].reshape(last - first, -1)
        factors = _factors(block)
        if factors is None:
            return None
        rank = factors.shape[1]
        indices.append(np.tile(np.arange(width, width + rank), last - first))
        data.append(factors.ravel())
        ranks[first:last] = rank
        width += rank
    offsets = np.concatenate([[0], np.cumsum(ranks)])
    shape = (count, max(1, width))
    features = csr_matrix((np.concatenate(data), np.concatenate(indices), offsets), shape=shape)
    positions = np.empty(count, np.int64)
    positions[columns.order] = np.arange(count)
    places = positions[np.searchsorted(columns.numbers, rows.classes)]
    return (rows.matrix(places, count) @ features).tocsr()


def _factors(matrix: Any) -> Any:
    """Return F for a matrix ``F @ F.T``, or None if there is none."""
    if len(matrix) == 1:
        values, vectors = matrix[0], np.ones((1, 1))
    else:
        values, vectors = np.linalg.eigh(matrix)
    largest = np.abs(values).max(initial=0.0)
    if values.min(initial=0.0) < -1e-9 * largest:
        return None
    kept = values > 1e-15 * largest
    return vectors[:, kept] * np.sqrt(values[kept])

"""Names for arrays by what is in them, and arrays of objects."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]

_WIDEST = 256  # characters


def object_array(items: Collection[Any], dtype: Any = None) -> Array:
    """Return an array with one element for each item, even if the items are sequences."""
    array = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array if dtype is None else array.astype(dtype)


def text_array(values: Iterable[Any]) -> Array:
    """Return values as texts: an array of fixed width or, where one of them is long, of objects.

    All texts of an array of fixed width take as much memory as the longest.

    Examples
    --------
    >>> text_array(["a", 1])
    array(['a', '1'], dtype='<U1')
    >>> text_array(["a", "b" * 1000]).dtype
    dtype('O')
    """
    texts = [value if isinstance(value, str) else str(value) for value in values]
    return object_array(texts, None if max(map(len, texts), default=0) > _WIDEST else str)

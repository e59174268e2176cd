"""Names for arrays by what is in them, and arrays of objects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]
Indices: TypeAlias = NDArray[np.int64]
Places: TypeAlias = NDArray[np.intp]


def object_array(items: Collection[Any], dtype: Any = None) -> Array:
    """Return an array with one element for each item, even if the items are sequences."""
    array = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array if dtype is None else array.astype(dtype)

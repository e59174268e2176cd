"""What is known of the trees of an index beside their ids: name, text, and place in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.data.columns import column_names, column_of

__all__ = ["Origin", "described", "origins_of", "packed", "unpacked"]

Origin = Mapping[str, str]
"""Texts under some of the keys "place", "name" and "text"."""

KEYS = ("place", "name", "text")
_SHOWN = 200  # characters of each


def origins_of(X: Any) -> list[Origin] | None:
    """Return what the columns of a table say of its trees, if it has some that readers make.

    Examples
    --------
    >>> import treekernels as tk
    >>> table = tk.Table({"tree": tk.Forest(["(S (NP we))"]), "sent_id": ["s1"], "text": ["We"]})
    >>> origins_of(table)
    [{'name': 's1', 'text': 'We'}]
    """
    names = column_names(X) or ()
    there = [name for name in ("file", "line", "name", "sent_id", "text") if name in names]
    if not there:
        return None
    columns = [column_of(X, name) for name in there]
    rows = (dict(zip(there, row, strict=True)) for row in zip(*columns, strict=True))
    return [_origin(row) for row in rows]


def _origin(row: dict[str, Any]) -> Origin:
    place = ":".join(str(row[name]) for name in ("file", "line") if row.get(name) is not None)
    name = row.get("name") if row.get("name") is not None else row.get("sent_id")
    values = (place or None, name, row.get("text"))
    return {key: str(value) for key, value in zip(KEYS, values, strict=True) if value is not None}


def described(ids: Sequence[Any], origins: Sequence[Origin]) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows of a table: ids, and what is known beside them.

    A place is left out where ids are texts, since these say where a tree is.
    """
    keys = [key for key in KEYS if any(key in origin for origin in origins)]
    if any(isinstance(id_, str) for id_ in ids) and "place" in keys:
        keys.remove("place")
    rows = [
        [str(id_), *(origin.get(key, "")[:_SHOWN] for key in keys)]
        for id_, origin in zip(ids, origins, strict=True)
    ]
    return ["id", *keys], rows


def packed(value: Any) -> NDArray[np.uint8]:
    """Return plain data as bytes of JSON: quicker than a container that looks at each of it."""
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def unpacked(array: NDArray[np.uint8]) -> Any:
    """Return what `packed` has packed."""
    return json.loads(array.tobytes())

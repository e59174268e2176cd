"""What users call the trees of an index: numbers in order of insertion, or ids of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ModelFileError, ParameterError

__all__ = ["Ids"]


class Ids:
    """The ids of all items, by item, and where each of them is.

    An id is an integer or a text. Those of a file stay in the file until they are asked for.
    """

    def __init__(self) -> None:
        self._names: Sequence[Any] = range(0)  # plain numbers, until somebody has other ids
        self._items: dict[Any, int] | None = None  # of those that are there; made when needed

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, item: int) -> Any:
        return self._names[item]

    def checked(self, ids: Iterable[Any] | None, count: int, removed: NDArray[np.uint8]) -> Any:
        """Return the ids of new trees as `extend` takes them, or raise an error if one is unfit."""
        start = len(self)
        if ids is None and isinstance(self._names, range):
            return range(start, start + count)
        new = list(range(start, start + count) if ids is None else ids)
        if len(new) != count:
            raise DataError(f"there are {count} trees and {len(new)} ids: give each tree one")
        new = [_plain(name) for name in new]
        known = self._places(removed)
        seen: set[Any] = set()
        for name in new:
            if name in known or name in seen:
                where = "in the index already" if name in known else "given twice"
                raise DataError(f"the id {name!r} is {where}: an id stands for one tree")
            seen.add(name)
        return new

    def extend(self, new: Sequence[Any]) -> None:
        """Add what `checked` has returned."""
        if isinstance(new, range):
            self._names = range(new.stop)
            return
        if not isinstance(self._names, list):
            self._names = list(self._names)
        if self._items is not None:
            self._items.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
        self._names.extend(new)

    def find(self, ids: Iterable[Any], removed: NDArray[np.uint8]) -> list[int]:
        """Return the items of ids, or raise an error if one is not there."""
        wanted = [_plain(name) for name in ids]
        found = []
        numbers = isinstance(self._names, range)
        for name in wanted:
            if numbers:
                there = isinstance(name, int) and 0 <= name < len(self) and not removed[name]
                item = name if there else None
            else:
                item = self._places(removed).get(name)
            if item is None:
                raise DataError(f"the index has no tree with the id {name!r}")
            found.append(item)
        return found

    def forget(self, items: Iterable[int]) -> None:
        """Let the ids of removed items be used again."""
        if self._items is not None:
            for item in items:
                self._items.pop(self[item], None)

    def _places(self, removed: NDArray[np.uint8]) -> dict[Any, int]:
        if self._items is None:
            self._items = {
                self._names[item]: item for item in range(len(self)) if not removed[item]
            }
        return self._items

    def state(self) -> dict[str, Any]:
        """Return plain data for a file: arrays, which need not be read to open it."""
        names = self._names
        if isinstance(names, range):
            return {"kind": "numbers", "count": len(names)}
        if all(type(name) is int and -(2**63) <= name < 2**63 for name in names):
            return {"kind": "integers", "values": np.array(names, np.int64)}
        kind = "texts" if all(isinstance(name, str) for name in names) else "mixed"
        texts = [name if kind == "texts" else json.dumps(name) for name in names]
        encoded = [text.encode() for text in texts]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
        return {"kind": kind, "text": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Ids:
        """Return the ids that `state` described."""
        ids = cls()
        if state["kind"] == "numbers":
            ids._names = range(int(state["count"]))
        elif state["kind"] == "integers":
            ids._names = _StoredNumbers(state["values"])
        elif state["kind"] in ("texts", "mixed"):
            ids._names = _StoredTexts(state["text"], state["ends"], state["kind"] == "mixed")
        else:
            raise ValueError("ids of an unknown kind")
        return ids


class _StoredNumbers(Sequence[Any]):
    """Integers of a file."""

    def __init__(self, values: NDArray[np.int64]) -> None:
        if values.dtype != np.int64 or values.ndim != 1:
            raise ValueError("ids of another form")
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, item: Any) -> Any:
        return int(self._values[item])


class _StoredTexts(Sequence[Any]):
    """Texts of a file, one after the other."""

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.uint64], as_json: bool) -> None:
        if text.dtype != np.uint8 or ends.dtype != np.uint64 or text.ndim != 1 or ends.ndim != 1:
            raise ValueError("ids of another form")
        if len(ends) == 0:
            raise ValueError("ids of another form")
        self._text = text
        self._ends = ends
        self._as_json = as_json

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, item: Any) -> Any:
        if not 0 <= item < len(self):
            raise IndexError("no such tree")
        first, last = int(self._ends[item]), int(self._ends[item + 1])
        try:
            text = self._text[first:last].tobytes().decode()
            return _plain(json.loads(text)) if self._as_json else text
        except (ValueError, RecursionError):
            raise ModelFileError("the file of this index was altered: an id is none") from None


def _plain(name: Any) -> Any:
    if isinstance(name, np.integer | np.str_):
        name = name.item()
    if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
        return name
    raise ParameterError(f"an id is an integer or a text, not {name!r}")

"""Ids: what users call the trees of an index, which are numbers unless they choose others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from treekernels.errors import DataError, ModelFileError, ParameterError
from treekernels.search.index.origins import Origin, packed, unpacked

Id: TypeAlias = int | str

_CODING = "utf-8", "surrogatepass"  # names of files may have bytes that are no UTF-8


class Ids:
    """The ids of all trees in order of insertion, and the place of each.

    An id is an integer or a text. Those of a file stay in the file until they are asked for, and so
    does what is known of the trees beside them.
    """

    def __init__(self, names: Sequence[Any] | NDArray[np.int64] = range(0)) -> None:
        self._names = names  # a range of numbers, until somebody gives other ids
        self._places: dict[Id, int] | None = None  # of trees not removed; made when needed
        self._origins: dict[int, Origin] | NDArray[np.uint8] = {}  # by place

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, place: int) -> Id:
        return _plain(self._names[place])

    def check_new(
        self, ids: Iterable[Any] | None, count: int, removed: NDArray[np.uint8]
    ) -> Sequence[Id]:
        """Return the ids of new trees as `extend` takes them, or raise an error if one is unfit."""
        numbers = range(len(self), len(self) + count)
        if ids is None and isinstance(self._names, range):
            return numbers
        new = [_plain(name) for name in (numbers if ids is None else ids)]
        if len(new) != count:
            raise DataError(f"there are {count} trees and {len(new)} ids: give each tree one")
        known = self._known(removed)
        seen: set[Id] = set()
        for name in new:
            place = known.get(name)
            is_known = place is not None and not removed[place]
            if is_known or name in seen:
                where = "in the index already" if is_known else "given twice"
                raise DataError(f"the id {name!r} is {where}: an id stands for one tree")
            seen.add(name)
        return new

    def origin(self, place: int) -> Origin:
        """Return what is known of a tree beside its id."""
        if isinstance(self._origins, np.ndarray):
            try:
                self._origins = {int(at): dict(known) for at, known in unpacked(self._origins)}
            except (ValueError, TypeError):
                raise ModelFileError(
                    "the file of this index was altered: what it says of its trees is nothing"
                ) from None
        return self._origins.get(place, {})

    def extend(self, new: Sequence[Id], origins: Sequence[Origin] | None = None) -> None:
        """Add what `check_new` has returned."""
        if origins is not None:
            self.origin(0)
            known = enumerate(origins, len(self))  # before the names, which say how many there are
            cast("dict[int, Origin]", self._origins).update((at, o) for at, o in known if o)
        if isinstance(new, range):
            self._names = range(new.stop)
            return
        if not isinstance(self._names, list):
            self._names = [self[place] for place in range(len(self))]
        if self._places is not None:
            self._places.update(zip(new, range(len(self), len(self) + len(new)), strict=True))
        self._names.extend(new)

    def find(self, ids: Iterable[Any], removed: NDArray[np.uint8]) -> list[int]:
        """Return the places of ids, or raise an error if one of them is not there."""
        places = []
        for name in map(_plain, ids):
            if not isinstance(self._names, range):
                place = self._known(removed).get(name)
                if place is not None and (place >= len(removed) or removed[place]):
                    place = None
            elif isinstance(name, int) and 0 <= name < len(removed) and not removed[name]:
                place = name
            else:
                place = None
            if place is None:
                raise DataError(f"the index has no tree with the id {name!r}")
            places.append(place)
        return places

    def shorten(self, count: int) -> None:
        """Forget ids beyond so many trees, which were never added."""
        if len(self) > count:
            self._places = None
            self._names = self._names[:count]
        if isinstance(self._origins, dict) and next(reversed(self._origins), -1) >= count:
            self._origins = {at: origin for at, origin in self._origins.items() if at < count}

    def _known(self, removed: NDArray[np.uint8]) -> dict[Id, int]:
        if self._places is None:
            self._places = {self[int(n)]: int(n) for n in np.flatnonzero(removed[: len(self)] == 0)}
        return self._places

    def state(self, count: int | None = None) -> dict[str, Any]:
        """Return plain data of so many ids: arrays, which need not be read to open a file."""
        if count is not None and count < len(self):
            kept = Ids(self._names[:count])
            kept._origins = self._origins
            kept.origin(0)
            kept.shorten(count)
            return kept.state()
        state = self._names_state()
        if isinstance(self._origins, np.ndarray):
            return {**state, "origins": self._origins}
        if self._origins:
            return {**state, "origins": packed(list(self._origins.items()))}
        return state

    def _names_state(self) -> dict[str, Any]:
        if isinstance(self._names, range):
            return {"kind": "numbers", "count": len(self)}
        names = [self[place] for place in range(len(self))]
        if all(isinstance(name, int) and -(2**63) <= name < 2**63 for name in names):
            return {"kind": "integers", "values": np.array(names, np.int64)}
        if all(isinstance(name, str) for name in names):
            kind, encoded = "texts", [str(name).encode(*_CODING) for name in names]
        else:
            kind, encoded = "mixed", [json.dumps(name).encode() for name in names]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.uint64)
        return {"kind": kind, "text": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Ids:
        """Return the ids that `state` described."""
        ids = cls(cls._stored_names(state))
        if (origins := state.get("origins")) is not None:
            ids._origins = _one_dimensional(origins, np.uint8)
        return ids

    @staticmethod
    def _stored_names(state: dict[str, Any]) -> Sequence[Any] | NDArray[np.int64]:
        if state["kind"] == "numbers":
            return range(int(state["count"]))
        if state["kind"] == "integers":
            return _one_dimensional(state["values"], np.int64)
        if state["kind"] in ("texts", "mixed"):
            return _StoredTexts(state["text"], state["ends"], state["kind"] == "mixed")
        raise ValueError("ids of an unknown kind")


class _StoredTexts(Sequence[Any]):
    """Texts of a file, one after the other."""

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.uint64], as_json: bool) -> None:
        self._text = _one_dimensional(text, np.uint8)
        self._ends = _one_dimensional(ends, np.uint64)
        if len(ends) == 0:
            raise ValueError("ids of another form")
        self._as_json = as_json

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: Any) -> Any:
        first, last = int(self._ends[place]), int(self._ends[place + 1])
        try:
            text = self._text[first:last].tobytes().decode(*_CODING)
            return _plain(json.loads(text)) if self._as_json else text
        except (ValueError, RecursionError):
            raise ModelFileError("the file of this index was altered: an id is none") from None


def _one_dimensional(values: NDArray[Any], dtype: type[np.generic]) -> NDArray[Any]:
    if values.dtype != dtype or values.ndim != 1:
        raise ValueError("ids of another form")
    return values


def _plain(name: Any) -> Id:
    if isinstance(name, np.integer | np.str_):
        name = name.item()
    if isinstance(name, str) or (isinstance(name, int) and not isinstance(name, bool)):
        return name
    raise ParameterError(f"an id is an integer or a text, not {name!r}")

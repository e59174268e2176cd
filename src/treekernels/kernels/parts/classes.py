"""PartClasses: the classes of parts that a mapping kernel has met, and their local kernel.

Two parts are of one class if the local kernel and the pairs that count treat them alike: relation
(4) of Da San Martino et al. (2019). An example is a sparse row, how often it has a part of each
class (5); a kernel matrix is ``rows @ local values @ rows.T``. All sums run over the parts of an
example in the order in which it has them, so that the last bit does not depend on what else the
classes were asked for, or in which blocks.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from treekernels.common.arrays import Floats, Indices
from treekernels.data.columns import length
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError

Classes = Indices

_FEW = 4096  # values that are looked up one by one
_COMPARED_BOTH_WAYS = 100  # pairs for which a local kernel is asked twice, to see that it is one


class PartFunctions(NamedTuple):
    """The functions that make a mapping kernel, as `MappingKernel` describes them."""

    parts: Callable[[Any], Iterable[Any]]
    local: Callable[[Any, Any], float]
    key: Callable[[Any], Hashable] | None = None
    group: Callable[[Any], Hashable] | None = None
    pairs: Callable[[Any, Any], bool] | None = None
    pairs_key: Callable[[Any], Hashable] | None = None


class PartClass(NamedTuple):
    """What tells a class from others: all that the functions of the kernel see of its parts."""

    key: Hashable
    group: Hashable
    pairs_key: Hashable


@dataclass(frozen=True)
class PartRows:
    """How often each example has a part of each class, in the order in which it has them."""

    offsets: Classes  # where the rows begin, and at last where they end
    classes: Classes
    counts: Floats

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def between(self, first: int, last: int) -> PartRows:
        """Return the rows from `first` up to `last`, without it."""
        low, high = self.offsets[first], self.offsets[last]
        offsets = self.offsets[first : last + 1] - low
        return PartRows(offsets, self.classes[low:high], self.counts[low:high])

    def distinct(self) -> Classes:
        """Return the classes that occur, each once, in the order of their numbers."""
        return np.unique(self.classes)

    def matrix(self, positions: Classes, width: int) -> Any:
        """Return a sparse matrix, with the entries at these positions of its rows."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.counts, positions, self.offsets), shape=(len(self), width))


@dataclass(frozen=True)
class ClassColumns:
    """Classes to compare others with, ready to be looked up by group."""

    numbers: Classes
    order: Classes
    groups: Classes  # in that order


class LocalValues:
    """Values by pair, 16 bytes for each, in sorted arrays; new ones wait in a dict to be merged."""

    def __init__(self) -> None:
        self._pairs = np.empty(0, np.int64)
        self._values = np.empty(0, np.float64)
        self._new: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._pairs) + len(self._new)

    def copy(self) -> LocalValues:
        """Return the same values, to which others may be added."""
        copy = LocalValues()
        copy._pairs, copy._values, copy._new = self._pairs, self._values, self._new.copy()
        return copy

    def look_up(self, low: Indices, high: Indices, compute: Callable[[int, int], float]) -> Floats:
        """Return the value of each pair, computed if it is not there yet.

        Parameters
        ----------
        low, high : arrays
            The numbers of each pair, below 2**31, the lower one first.
        compute : callable
            What it computes is kept, also if it fails for a pair that comes later.
        """
        pairs = (low << 32) | high
        result = np.empty(len(pairs))
        if len(self._pairs):
            places = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
            there = self._pairs[places] == pairs
            result[there] = self._values[places[there]]
            left = np.flatnonzero(~there)
        else:
            left = np.arange(len(pairs))
        if len(left):
            missing, back = np.unique(pairs[left], return_inverse=True)
            values = [self._value(pair, compute) for pair in missing.tolist()]
            result[left] = np.array(values, np.float64)[back]
            # To merge takes as long as there are values: not for a few, and not to ask for many
            # of the new ones again.
            if len(missing) > _FEW or len(self._new) > max(_FEW, len(self._pairs) // 4):
                self._merge()
        return result

    def _value(self, pair: int, compute: Callable[[int, int], float]) -> float:
        value = self._new.get(pair)
        if value is None:
            value = self._new[pair] = compute(pair >> 32, pair & 0xFFFFFFFF)
        return value

    def _merge(self) -> None:
        pairs = np.concatenate([self._pairs, np.fromiter(self._new, np.int64, len(self._new))])
        values = np.concatenate([self._values, list(self._new.values())])
        order = np.argsort(pairs, kind="stable")
        self._pairs, self._values, self._new = pairs[order], values[order], {}


def local_value(local: Callable[[Any, Any], Any], p: Any, q: Any) -> float:
    """Return what a local kernel says of two parts as a number."""
    given = local(p, q)
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        raise DataError(
            f"the local kernel of {p!r} and {q!r} is {given!r}: it must be a finite number"
        ) from None


def check_symmetric(local: Callable[[Any, Any], Any], p: Any, q: Any, forth: float) -> None:
    """Raise a `ParameterError` if a local kernel depends on the order of two parts."""
    back = local_value(local, q, p)
    if math.isfinite(forth + back) and not math.isclose(forth, back, abs_tol=1e-12):
        raise ParameterError(
            f"local is not symmetric: local({p!r}, {q!r}) is {forth}, and "
            f"local({q!r}, {p!r}) is {back}"
        )


class PartClasses:
    """The classes met so far, by number, and the local kernel of those pairs that were asked for.

    They only grow, and several threads may use them at once.

    Parameters
    ----------
    functions : PartFunctions
    """

    def __init__(self, functions: PartFunctions) -> None:
        self.functions = functions
        self._numbers: dict[PartClass, int] = {}
        self._classes: list[PartClass] = []
        self._groups: list[int] = []
        self._group_numbers: dict[Hashable, int] = {}
        self._values = LocalValues()
        self._compared = 0  # pairs, in both directions
        self._lock = threading.RLock()  # a local kernel may itself use the kernel

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, of one moment: for copies and pickles."""
        with self._lock:
            state = {name: value for name, value in vars(self).items() if name != "_lock"}
            for name in ("_numbers", "_classes", "_groups", "_group_numbers"):
                state[name] = state[name].copy()
            state["_values"] = self._values.copy()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._classes)

    def __getitem__(self, number: int) -> PartClass:
        return self._classes[number]

    def text(self, number: int) -> str:
        """Return a text that is another one for another class, and the same in another process."""
        return _canonical(tuple(self._classes[number]))

    def count(self, objects: Any) -> PartRows:
        """Return the classes of the parts of each object, and how often it has them."""
        offsets, classes, counts = [0], list[int](), list[int]()
        for x in objects if length(objects) else ():
            row: dict[int, int] = {}
            there = not (isinstance(x, Tree) and x.is_empty)
            for part in self._parts_of(x) if there else ():
                number = self._number(part)
                row[number] = row.get(number, 0) + 1
            classes.extend(row)
            counts.extend(row.values())
            offsets.append(len(classes))
        return PartRows(
            np.array(offsets, np.int64), np.array(classes, np.int64), np.array(counts, np.float64)
        )

    def _parts_of(self, x: Any) -> Iterable[Any]:
        parts = self.functions.parts(x)
        if not isinstance(parts, Iterable):
            raise DataError(f"parts must return a list of parts, and not {parts!r}")
        return parts

    def _number(self, part: Any) -> int:
        _, _, key, group, pairs, pairs_key = self.functions
        class_ = PartClass(
            part if key is None else key(part),
            None if group is None else group(part),
            None if pairs is None else part if pairs_key is None else pairs_key(part),
        )
        try:
            number = self._numbers.get(class_)
        except TypeError as error:
            raise _unhashable(part, class_, error) from error
        return self._enter(class_) if number is None else number

    def _enter(self, class_: PartClass) -> int:
        with self._lock:
            number = self._numbers.get(class_)
            if number is None:
                number = len(self._classes)
                groups = self._group_numbers
                self._groups.append(groups.setdefault(class_.group, len(groups)))
                self._classes.append(class_)
                self._numbers[class_] = number  # last: who finds the number finds the rest
        return number

    def groups_of(self, classes: Classes) -> Classes:
        """Return the number of the group of each class."""
        groups = self._groups
        return np.fromiter((groups[number] for number in classes.tolist()), np.int64, len(classes))

    def columns(self, classes: Classes) -> ClassColumns:
        """Return classes to compare others with."""
        groups = self.groups_of(classes)
        order = np.argsort(groups, kind="stable")
        return ClassColumns(classes, order, groups[order])

    def comparisons(self, classes: Classes, columns: ClassColumns) -> tuple[Classes, Classes]:
        """Return where in the order of the columns the group of each class begins and ends."""
        groups = self.groups_of(classes)
        first = np.searchsorted(columns.groups, groups, "left")
        return first, np.searchsorted(columns.groups, groups, "right")

    def local_matrix(self, classes: Classes, columns: ClassColumns) -> Any:
        """Return the local kernel of classes with others as a sparse matrix, 0 across groups."""
        from scipy.sparse import csr_matrix

        first, last = self.comparisons(classes, columns)
        offsets, where = _ranges(first, last)
        indices = columns.order[where]
        rows = np.repeat(classes, last - first)
        values = self.values(rows, columns.numbers[indices])
        return csr_matrix((values, indices, offsets), shape=(len(classes), len(columns.numbers)))

    def norms(self, rows: PartRows) -> Floats:
        """Return the kernel of each example with itself, from no other pairs than its own."""
        result = np.zeros(len(rows))
        sizes = np.diff(rows.offsets)
        for low, high in blocks(sizes**2):
            block = rows.between(low, high)
            examples = np.repeat(np.arange(len(block)), sizes[low:high])
            # Pairs within one example and one group, in the order of the example.
            groups = self.groups_of(block.classes)
            mixed = examples * (groups.max(initial=0) + 1) + groups
            order = np.argsort(mixed, kind="stable")
            in_order = mixed[order]
            first = np.searchsorted(in_order, mixed, "left")
            last = np.searchsorted(in_order, mixed, "right")
            others = order[_ranges(first, last)[1]]
            these = np.repeat(np.arange(len(mixed)), last - first)
            values = self.values(block.classes[these], block.classes[others])
            values *= block.counts[these] * block.counts[others]
            result[low:high] = np.bincount(examples[these], values, minlength=len(block))
        return result

    def values(self, a: Classes, b: Classes) -> Floats:
        """Return the local kernel of pairs of classes of one group, 0 for those that do not count.

        It is called for pairs that were never asked for before, and once for each of them.
        """
        with self._lock:
            return self._values.look_up(np.minimum(a, b), np.maximum(a, b), self._value)

    def _value(self, a: int, b: int) -> float:
        first, second = self._classes[a], self._classes[b]
        if not self.counts(a, b):
            return 0.0
        local = self.functions.local
        value = local_value(local, first.key, second.key)
        if a != b and self._compared < _COMPARED_BOTH_WAYS:
            self._compared += 1
            check_symmetric(local, first.key, second.key, value)
        if not math.isfinite(value):
            raise DataError(
                f"the local kernel of {first.key!r} and {second.key!r} is {value}: it must be a "
                "finite number"
            )
        return value

    def counts(self, a: int, b: int) -> bool:
        """Return whether pairs of two classes of one group count, asking in both directions."""
        pairs = self.functions.pairs
        if pairs is None:
            return True
        p, q = self._classes[a].pairs_key, self._classes[b].pairs_key
        counts = bool(pairs(p, q))
        if a != b and bool(pairs(q, p)) != counts:
            here, there = (p, q) if counts else (q, p)
            raise ParameterError(
                f"pairs is not symmetric: pairs({here!r}, {there!r}) is true and "
                f"pairs({there!r}, {here!r}) is not; a pair counts both ways or not at all"
            )
        return counts


def blocks(costs: Classes, most: int = 1 << 22) -> Iterable[tuple[int, int]]:
    """Yield bounds of rows that cost no more than so much together, one of them at the least."""
    total = np.concatenate([[0], np.cumsum(costs)])
    first = 0
    while first < len(costs):
        last = int(np.searchsorted(total, total[first] + most, "right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _ranges(first: Classes, last: Classes) -> tuple[Classes, Classes]:
    """Return the numbers of all ranges one after the other, and where each of them begins."""
    sizes = last - first
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return offsets, np.arange(offsets[-1]) - np.repeat(offsets[:-1] - first, sizes)


def _canonical(value: Any) -> str:
    """Return the repr of a value, in which sets are sorted: their order is that of one process."""
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(_canonical, value))) + "}"
    if type(value) is tuple:
        return "(" + ", ".join(map(_canonical, value)) + ")"
    return repr(value)


def _unhashable(part: Any, class_: PartClass, error: TypeError) -> DataError:
    for name, value in class_._asdict().items():
        try:
            hash(value)
        except TypeError:
            return DataError(
                f"the part {part!r} cannot be told from others by its {name} {value!r}, which is "
                f"{str(error).replace(':', ',')}: give a function {name}= whose values are hashable"
            )
    return DataError(f"the part {part!r} cannot be told from others: {error}")

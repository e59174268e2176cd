"""What `similarity=` of a kernel may be: which labels match others, and how well.

A table is plain data. Anything else is asked about the labels that occur: `SimilarLabels` asks a
function, and `WordVectors` compares vectors. Both keep the answers, so that each pair of labels is
looked at only once.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats, Places
from treekernels.common.checks import check_callable, check_number, check_weight
from treekernels.data.forest import Forest
from treekernels.errors import ParameterError

__all__ = ["SimilarLabels"]

LabelPairs: TypeAlias = list[tuple[str, str, float]]
Classes: TypeAlias = "Literal['words'] | Callable[[str], Hashable] | Mapping[str, Hashable] | None"
LabelSimilarity: TypeAlias = (
    "Mapping[tuple[str, str], float] | Mapping[str, Hashable] | LazySimilarity | "
    "Callable[[str, str], float] | None"
)


class LazySimilarity(ABC):
    """A similarity that finds out about labels when they occur, and never changes otherwise."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._members: dict[Hashable, list[int]] = {}  # by class, in order of appearance
        self._labels: list[str] = []
        self._first: list[Places] = []
        self._second: list[Places] = []
        self._values: list[Floats] = []

    @abstractmethod
    def class_of(self, label: str) -> Hashable:
        """Return the class of a label: only labels of the same one match; None for no others."""

    @abstractmethod
    def compare(self, labels: Sequence[str], new: Sequence[str]) -> tuple[Places, Places, Floats]:
        """Return which labels of a class match which of the new ones, and how well.

        The new ones are the last of the labels. Pairs are places among all of them, the second
        one of a new label, behind the first.
        """

    @property
    def known_labels(self) -> list[str]:
        """The labels that have been asked about so far."""
        with self._lock:
            return list(self._labels)

    def pairs(self, labels: Iterable[str]) -> LabelPairs:
        """Return all pairs of different labels among these that match, with their similarity."""
        with self._lock:
            try:
                self._learn(labels := list(labels))
            except BaseException:  # labels that were not compared must not count as known
                self._forget()
                raise
            there = np.zeros(len(self._labels), bool)
            there[[self._numbers[label] for label in labels]] = True
            if not self._values:
                return []
            first, second = np.concatenate(self._first), np.concatenate(self._second)
            values = np.concatenate(self._values)
            if len(self._values) > 1:
                self._first, self._second, self._values = [first], [second], [values]
            kept = there[first] & there[second]
            names = self._labels
            return [
                (names[a], names[b], float(value))
                for a, b, value in zip(first[kept], second[kept], values[kept], strict=True)
            ]

    def _learn(self, labels: Iterable[str]) -> None:
        """Compare labels that were not met yet with all others of their class."""
        new: dict[Hashable, list[int]] = {}
        for label in labels:
            if label in self._numbers:
                continue
            number = self._numbers[label] = len(self._labels)
            self._labels.append(label)
            class_ = self.class_of(label)
            if class_ is not None:
                new.setdefault(class_, []).append(number)
        for class_, numbers in new.items():
            members = self._members.setdefault(class_, [])
            members.extend(numbers)
            names = [self._labels[number] for number in members]
            a, b, values = self.compare(names, names[-len(numbers) :])
            if len(values):
                every = np.array(members, np.intp)
                self._first.append(every[a])
                self._second.append(every[b])
                self._values.append(values)

    # It never changes, so a copy can be the object itself.
    def __sklearn_clone__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __getstate__(self) -> dict[str, Any]:
        known = ("_lock", "_numbers", "_members", "_labels", "_first", "_second", "_values")
        return {name: value for name, value in vars(self).items() if name not in known}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()
        self._forget()


def word_class(label: str) -> str | None:
    """Return what stands behind ``::`` in a label, as in ``dog::n``; None if it has no such part.

    Examples
    --------
    >>> word_class("dog::n"), word_class("NP")
    ('n', None)
    """
    word, separator, class_ = label.rpartition("::")
    return class_ if separator and word and class_ else None


class SimilarLabels(LazySimilarity):
    """Labels that match as a function says, if they belong to the same class.

    Parameters
    ----------
    function : callable, optional
        ``function(a, b)`` returns how well two different labels match, a number from 0 to 1. It is
        called once for each pair of labels of a class, and must be symmetric. By default all
        labels of a class match like equal ones.
    classes : "words", callable or mapping, optional
        Only labels of the same class match; those whose class is None match no others. "words" are
        labels such as ``dog::n``, which match if they have the same part behind ``::``. By default
        all labels are of one class.
    threshold : float, default=0.0
        What is less than this counts as 0, so that few pairs are left.

    Examples
    --------
    >>> import treekernels as tk
    >>> def same_start(a, b):
    ...     return 0.5 * (a[0] == b[0])
    >>> kernel = tk.PartialTreeKernel(similarity=tk.SimilarLabels(same_start, classes="words"))
    >>> a, b, c = "(N cat::n)", "(N cats::n)", "(N c::v)"
    >>> kernel([a], [b, c]).round(2)
    array([[0.71, 0.42]])
    """

    def __init__(
        self,
        function: Callable[[str, str], float] | None = None,
        *,
        classes: Classes = None,
        threshold: float = 0.0,
    ) -> None:
        super().__init__()
        if function is not None:
            check_callable("function", function)
        self.function = function
        self.classes = check_classes(classes)
        self.threshold = check_number("threshold", threshold, 0, 1)

    def class_of(self, label: str) -> Hashable:
        return class_by(self.classes, label)

    def compare(self, labels: Sequence[str], new: Sequence[str]) -> tuple[Places, Places, Floats]:
        first, second, values = [], [], []
        for b in range(len(labels) - len(new), len(labels)):
            for a in range(b):
                value = 1.0 if self.function is None else self._value(labels[a], labels[b])
                if value > 0 and value >= self.threshold:
                    first.append(a)
                    second.append(b)
                    values.append(value)
        return np.array(first, np.intp), np.array(second, np.intp), np.array(values, np.float64)

    def _value(self, a: str, b: str) -> float:
        assert self.function is not None
        value: Any = self.function(a, b)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if not 0 <= number <= 1:
            raise ParameterError(f"the similarity of {a!r} and {b!r} is from 0 to 1, not {value!r}")
        return number

    def __repr__(self) -> str:
        parts = [] if self.function is None else [repr(self.function)]
        if self.classes is not None:
            parts.append(f"classes={self.classes!r}")
        if self.threshold:
            parts.append(f"threshold={self.threshold!r}")
        return f"SimilarLabels({', '.join(parts)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SimilarLabels):
            return NotImplemented
        mine = (self.function, self.classes, self.threshold)
        return mine == (other.function, other.classes, other.threshold)

    __hash__ = object.__hash__


def class_by(classes: Any, label: str) -> Hashable:
    """Return the class of a label by "words", a function or a mapping; all are of one by None."""
    if classes is None:
        return ""
    if classes == "words":
        return word_class(label)
    if isinstance(classes, Mapping):
        return classes.get(label)
    class_: Hashable = classes(label)
    return class_


def check_classes(classes: Any) -> Any:
    """Return classes of labels unchanged, or raise a `ParameterError` if they are not any."""
    if classes is None or classes == "words" or isinstance(classes, Mapping) or callable(classes):
        return classes
    raise ParameterError(f"classes must be 'words', a function, a dict or None, not {classes!r}")


def as_lazy(similarity: Any) -> LazySimilarity | None:
    """Return what finds out about labels when they occur; None for a table or nothing."""
    if isinstance(similarity, LazySimilarity):
        return similarity
    if isinstance(similarity, Mapping):
        by_label = bool(similarity) and all(isinstance(key, str) for key in similarity)
        return SimilarLabels(classes=similarity) if by_label else None
    return SimilarLabels(similarity) if callable(similarity) else None


def check_similarity(name: str, value: Any) -> Any:
    """Return a similarity unchanged, or raise a `ParameterError` if it is not one."""
    if value is None or isinstance(value, LazySimilarity) or callable(value):
        return value
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{name} must be a dict of pairs of labels or of classes, WordVectors, SimilarLabels, "
            f"a function of two labels, or None, not {value!r}"
        )
    if as_lazy(value) is None:
        fixed_pairs(value)
    return value


def similar_pairs(similarity: Any, labels: Iterable[str]) -> LabelPairs:
    """Return the pairs of labels that match, among these; all of a table, which knows its own."""
    lazy = as_lazy(similarity)
    return fixed_pairs(similarity) if lazy is None else lazy.pairs(labels)


def fixed_pairs(similarity: Any) -> LabelPairs:
    """Return the pairs of a table, checked."""
    table: dict[tuple[str, str], float] = {}
    for pair, value in (similarity or {}).items():
        are_labels = isinstance(pair, tuple) and all(isinstance(label, str) for label in pair)
        if not are_labels or len(pair) != 2:
            raise ParameterError(f"similarity has pairs of labels as keys, and {pair!r} is none")
        a, b = pair
        weight = check_weight(f"the similarity of {a!r} and {b!r}", value)
        if table.get((b, a), weight) != weight:
            raise ParameterError(f"the similarity of {a!r} and {b!r} has two values")
        table[a, b] = weight
    for (a, b), value in table.items():
        if value * value > table.get((a, a), 1.0) * table.get((b, b), 1.0) * (1 + 1e-12):
            raise ParameterError(
                f"{a!r} and {b!r} are more similar ({value}) than each is to itself: no kernel "
                "has that; give also the similarity of a label with itself where it is not 1"
            )
    return [(a, b, value) for (a, b), value in table.items()]


def labels_of(forest: Forest) -> list[str]:
    """Return the different labels of the trees of a forest."""
    return _native.label_roles(forest.dag, forest.roots)[0]

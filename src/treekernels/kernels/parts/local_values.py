"""LocalValues: the values of a symmetric function of two numbers, each computed once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["LocalValues"]

_FEW = 4096  # values that are looked up one by one


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

    def look_up(
        self,
        low: NDArray[np.int64],
        high: NDArray[np.int64],
        compute: Callable[[int, int], float],
    ) -> NDArray[np.float64]:
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

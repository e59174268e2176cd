"""Trees that are compared as bags of counted features, in the native index for those."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.data.forest import Forest
from treekernels.kernels.base.counted_features import CountedFeaturesKernel
from treekernels.kernels.base.matrices import Run
from treekernels.search.index.native_store import NativeAnswers, translate_errors


class CountedStore(NativeAnswers):
    """The features of trees in the index of the native core, and the trees beside it.

    The trees of a file are made when somebody asks for one, or adds others: a search needs none.
    """

    native: _native.CountedIndex

    def __init__(self, kernel: CountedFeaturesKernel, *, learned_alone: bool = False) -> None:
        # With `learned_alone`, features are kept only if the kernel has learned their weights. Of
        # the trees that it learned from, no two share another.
        native = kernel.native_kernel()
        self.native = _native.CountedIndex(native, bool(kernel.normalize), learned_alone)
        self._saved: list[Any] | None = None  # the arrays of trees that nobody asked for yet
        self._joined: Forest | None = None  # all but those that were added since
        self._added: list[Forest] = []
        self._joining = threading.Lock()

    def add(self, forest: Forest, run: Run) -> None:
        """Add trees at the end."""
        with self._joining:
            self._leave_out(len(self.removed))
            self._added.append(forest[:])  # which stays if the other grows
        with translate_errors():  # the moment at which they are there
            self.native.add(forest.dag, forest.roots, run.progress)

    def _leave_out(self, count: int) -> None:
        """Forget trees beyond so many, which Ctrl-C has kept from being added."""
        first = len(self._joined or ()) if self._saved is None else len(self._saved[-1])
        while self._added and first + sum(map(len, self._added)) > count:
            self._added.pop()

    def _forest(self) -> Forest:
        """Return all trees, put together now."""
        with self._joining:
            self._leave_out(len(self.removed))
            if self._saved is not None:
                self._joined, self._saved = _forest_of(self._saved), None
            if self._joined is None and len(self._added) == 1:
                return self._added[0]
            if self._joined is None:
                self._joined = Forest.concatenate(self._added)
            else:
                for added in self._added:
                    self._joined.extend(added)
            self._added = []
            return self._joined[:]

    def trees(self, items: NDArray[np.uint32]) -> Forest:
        """Return some of the trees."""
        return self._forest()[items]

    @property
    def bytes(self) -> int:
        """The memory that the features and the trees take."""
        return self.native.bytes + int(sum(array.nbytes for array in self._tree_arrays()))

    def _tree_arrays(self) -> list[Any]:
        saved = self._saved
        if saved is not None and len(saved[-1]) == len(self.removed):
            return saved
        text, *arrays = self._forest().__getstate__()
        return [np.frombuffer(text, np.uint8), *arrays]

    def state(self) -> dict[str, Any]:
        """Return plain data for a file."""
        features = self.native.arrays()
        return {"trees": self._tree_arrays(), "removed": self.removed, "features": features}

    def restore(self, state: dict[str, Any]) -> None:
        """Take what `state` returned; or trees alone, as earlier versions kept them."""
        removed = np.ascontiguousarray(state["removed"], np.uint8)
        if "forest" in state:
            forest = state["forest"]
            if not isinstance(forest, Forest) or removed.shape != (len(forest),):
                raise ValueError("the trees and what was removed of them do not fit")
            self.add(forest, Run(1))
            self.remove(np.flatnonzero(removed).astype(np.uint32))
            return
        trees = list(state["trees"])
        if not trees or len(trees[-1]) != len(removed):
            raise ValueError("the trees and what was removed of them do not fit")
        self.native.restore(dict(state["features"]), removed)
        self._saved, self._joined, self._added = trees, None, []


def _forest_of(arrays: list[Any]) -> Forest:
    """Return the trees of a file."""
    forest = Forest()
    with translate_errors():
        forest.__setstate__((np.asarray(arrays[0], np.uint8).tobytes(), *arrays[1:]))
    return forest

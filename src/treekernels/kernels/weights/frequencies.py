"""In how many trees each production, label or feature occurs: a compact table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree


class Frequencies(Mapping[Any, int]):
    """Counts by production, label or feature that read like a dict and take little room.

    A production is a tree of height 1 here, and a label a leaf, so that a table of a large corpus
    is a forest and an array: quick to save, to open, and to hand to the native core. A dict of them
    is made when somebody asks for a key. Features are trees too, below a root that has the name of
    their kind, and their keys are such trees as text.

    Parameters
    ----------
    keys : Forest
    counts : array of numbers
    features : bool
        Whether the keys are features.

    Examples
    --------
    >>> from treekernels.data.forest import Forest
    >>> table = Frequencies.of(Forest(["(S (A a) (B b))", "(S (A a) (B c))"]), labels=False)
    >>> table["A", "a"], table["B", "c"], len(table)
    (2, 1, 4)
    """

    def __init__(self, keys: Forest, counts: NDArray[Any], features: bool = False) -> None:
        self.trees = keys
        self.counts = counts
        self.features = features
        self._by_key: dict[Any, int] | None = None

    @classmethod
    def of(cls, forest: Forest, labels: bool) -> Frequencies:
        """Count the trees that have each production, or each label."""
        dag = _native.Dag()
        with translate_native_errors():
            roots, counts = _native.document_frequencies(forest.dag, forest.roots, labels, dag)
        return cls(Forest.from_roots(dag, roots), counts)

    @classmethod
    def of_features(cls, forest: Forest, kernel: _native.FeatureKernel) -> Frequencies:
        """Count the trees that have each feature of a kernel, of those that at least two have."""
        dag = _native.Dag()
        with translate_native_errors():
            no_classes = np.empty(0, np.uint32)
            roots, counts, _ = _native.feature_frequencies(
                kernel, forest.dag, forest.roots, dag, no_classes
            )
        return cls(Forest.from_roots(dag, roots), counts, True)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return what a file has of it."""
        parameters = {"keys": self.trees, "counts": self.counts}
        return {**parameters, "features": True} if self.features else parameters

    def _table(self) -> dict[Any, int]:
        if self._by_key is None:
            numbers = self.counts.tolist()
            key = str if self.features else _key
            self._by_key = {
                key(tree): number for tree, number in zip(self.trees, numbers, strict=True)
            }
        return self._by_key

    def __getitem__(self, key: Any) -> int:
        return self._table()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._table())

    def __len__(self) -> int:
        return len(self.trees)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.trees, self.counts, self.features

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.trees, self.counts, self.features = state
        self._by_key = None


def _key(tree: Tree) -> Any:
    children = tree.children
    return (tree.label, *(child.label for child in children)) if children else tree.label


def default_features() -> _native.FeatureKernel:
    """Return the features of a `TreeFeaturesKernel`."""
    kinds = ("subtree", "production", "siblings", "leaf", "outline")
    return _native.FeatureKernel([(kind, 1.0) for kind in kinds])

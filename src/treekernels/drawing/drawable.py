"""What a tree must have to be drawn, so that this room need not know the class `Tree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias


class DrawableTree(Protocol):
    """A tree with a label, children, and a number of nodes."""

    @property
    def label(self) -> str:
        """The label of the root."""

    @property
    def children(self) -> Sequence[DrawableTree]:
        """The subtrees below the root, in order."""

    @property
    def size(self) -> int:
        """The number of nodes."""


DrawableFragment: TypeAlias = DrawableTree | tuple[DrawableTree, ...]
"""A fragment, or the two sides of a rewrite rule."""


class WeightedFragment(Protocol):
    """A fragment of a model, as `treekernels.explain` lists it."""

    @property
    def fragment(self) -> Any: ...

    @property
    def weight(self) -> float: ...

    @property
    def class_(self) -> Any: ...

    @property
    def trees(self) -> int | None: ...

    @property
    def on(self) -> Any: ...

    @property
    def partial(self) -> bool: ...

    @property
    def kind(self) -> str | None: ...

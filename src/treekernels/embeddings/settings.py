"""What the parameters of an embedding may be, checked and put into the words of the native core."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from treekernels import _native
from treekernels.kernels.tree_kernel import decay_of

__all__ = ["MAX_DIMENSION", "Embedding", "embedding_of", "integer_of"]

MAX_DIMENSION = 1 << 20

Embedding = _native.Embedding32 | _native.Embedding64

_COMPOSITIONS = {
    "sign": _native.Composition.sign,
    "product": _native.Composition.product,
    "convolution": _native.Composition.convolution,
}
_PERMUTATIONS = {
    "fast": _native.Permutations.structured,
    "random": _native.Permutations.random,
}
_FRAGMENTS = {"subset": _native.Fragments.subset, "subtree": _native.Fragments.subtree}

_HEADS = {"own": True, "shared": False}

Value = TypeVar("Value")


def embedding_of(parameters: Any, *, fragment: bool = False) -> Embedding:
    """Make the native embedding of a `DistributedTrees`; for single fragments if `fragment`."""
    dimension = integer_of("dimension", parameters.dimension, 1, MAX_DIMENSION)
    composition = _one_of("composition", parameters.composition, _COMPOSITIONS)
    permutations = _one_of("permutations", parameters.permutations, _PERMUTATIONS)
    fragments = _one_of("kernel", parameters.kernel, _FRAGMENTS)
    if (
        composition is _native.Composition.convolution
        and permutations is _native.Permutations.random
        and dimension & (dimension - 1)
    ):
        raise ValueError(
            "convolution with random permutations needs a dimension that is a power of two, not "
            f"{dimension}: choose one, or permutations='fast'"
        )
    core = _native.Embedding32 if dtype_of(parameters.dtype) == np.float32 else _native.Embedding64
    return core(
        composition,
        permutations,
        _native.Fragments.whole if fragment else fragments,
        dimension,
        decay_of("decay", parameters.decay),
        bool(parameters.normalize) and not fragment,
        _one_of("heads", parameters.heads, _HEADS),
        integer_of("seed", parameters.seed, 0, (1 << 64) - 1),
        integer_of("link_length", parameters.link_length, 1, 8),
    )


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """Check a number type."""
    for known in (np.dtype(np.float32), np.dtype(np.float64)):
        if dtype is not None and dtype == known:
            return known
    raise ValueError(f"dtype must be 'float32' or 'float64', not {dtype!r}")


def integer_of(name: str, value: Any, lowest: int, highest: int) -> int:
    """Check an integer."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if not lowest <= value <= highest:
        raise ValueError(f"{name} must be from {lowest} to {highest}, not {value}")
    return int(value)


def _one_of(name: str, value: Any, known: dict[str, Value]) -> Value:
    if isinstance(value, str) and value in known:
        return known[value]
    *first, last = map(repr, known)
    raise ValueError(f"{name} must be {', '.join(first)} or {last}, not {value!r}")

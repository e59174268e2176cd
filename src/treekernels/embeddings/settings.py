"""What the parameters of an embedding may be, checked and put into the words of the native core."""

from __future__ import annotations

from typing import Any

import numpy as np

from treekernels import _native
from treekernels.common.checks import (
    check_choice,
    check_decay,
    check_dtype,
    check_flag,
    check_integer,
)
from treekernels.errors import ParameterError

MAX_DIMENSION = 1 << 20

Embedding = _native.Embedding32 | _native.Embedding64
PartialVectors = _native.PartialVectors32 | _native.PartialVectors64

_COMPOSITIONS = {
    "sign": _native.Composition.sign,
    "product": _native.Composition.product,
    "convolution": _native.Composition.convolution,
}
_PERMUTATIONS = {
    "fast": _native.Permutations.structured,
    "random": _native.Permutations.random,
}
_FRAGMENTS = {
    "subset": _native.Fragments.subset,
    "subtree": _native.Fragments.subtree,
    "sst": _native.Fragments.subset,  # as kernel expressions and the command line name them
    "st": _native.Fragments.subtree,
}
_PARTIAL = ("partial", "ptk")
_GAPS = {"skipped": False, "span": True}

_HEADS = {"own": True, "shared": False}


def embedding_of(parameters: Any, *, fragment: bool = False) -> Embedding:
    """Make the native embedding of a `DistributedTrees`; for single fragments if `fragment`."""
    dimension = check_integer("dimension", parameters.dimension, 1, MAX_DIMENSION)
    composition = check_choice("composition", parameters.composition, _COMPOSITIONS)
    permutations = check_choice("permutations", parameters.permutations, _PERMUTATIONS)
    known = {**_FRAGMENTS, **dict.fromkeys(_PARTIAL, _native.Fragments.whole)}
    fragments = check_choice("kernel", parameters.kernel, known)
    if (
        composition is _native.Composition.convolution
        and permutations is _native.Permutations.random
        and dimension & (dimension - 1)
    ):
        raise ParameterError(
            "convolution with random permutations needs a dimension that is a power of two, not "
            f"{dimension}: choose one, or permutations='fast'"
        )
    check_decay("vertical_decay", parameters.vertical_decay)
    check_choice("gaps", parameters.gaps, _GAPS)
    if parameters.kernel in _PARTIAL and parameters.min_df != 1:
        raise ParameterError(
            "min_df leaves out productions, and partial trees have none: leave it at 1, and use a "
            "smaller decay or vertical_decay if the vectors are too noisy"
        )
    core = (
        _native.Embedding32
        if check_dtype("dtype", parameters.dtype) == np.float32
        else _native.Embedding64
    )
    return core(
        composition,
        permutations,
        _native.Fragments.whole if fragment else fragments,
        dimension,
        check_decay("decay", parameters.decay),
        check_flag("normalize", parameters.normalize) and not fragment,
        check_choice("heads", parameters.heads, _HEADS),
        check_integer("seed", parameters.seed, 0, (1 << 64) - 1),
        check_integer("link_length", parameters.link_length, 1, 8),
    )


def partial_vectors_of(parameters: Any) -> PartialVectors | None:
    """Make what a `DistributedTrees` of partial trees computes with; None for other kernels.

    The parameters are those that `embedding_of` has checked.
    """
    if parameters.kernel not in _PARTIAL:
        return None
    single = check_dtype("dtype", parameters.dtype) == np.float32
    core = _native.PartialVectors32 if single else _native.PartialVectors64
    return core(
        _COMPOSITIONS[parameters.composition],
        _PERMUTATIONS[parameters.permutations],
        int(parameters.dimension),
        float(parameters.decay),
        float(parameters.vertical_decay),
        _GAPS[parameters.gaps],
        bool(parameters.normalize),
        _HEADS[parameters.heads],
        int(parameters.seed),
    )

"""The one table of kernels: their short names, and which of them a file may hold.

Also the words of kernel expressions: names of parameters, and what their values are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from treekernels.data.forest import Forest
from treekernels.io.files.container import register_object
from treekernels.kernels.algebra import (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SumKernel,
)
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.elastic import ElasticTreeKernel
from treekernels.kernels.mapping import MappingKernel
from treekernels.kernels.partial import PartialTreeKernel
from treekernels.kernels.preference import PreferenceKernel
from treekernels.kernels.sets import MATCHES, SetKernel
from treekernels.kernels.similarity.word_vectors import WordVectors
from treekernels.kernels.subpath import SubpathKernel
from treekernels.kernels.subset import SubsetTreeKernel
from treekernels.kernels.subtree import SubtreeKernel
from treekernels.kernels.tripartite import TripartiteKernel
from treekernels.kernels.vectors import LinearKernel, PolynomialKernel, RBFKernel
from treekernels.kernels.weights.frequencies import Frequencies
from treekernels.kernels.weights.productions import InverseDocumentFrequency

__all__ = ["BY_CLASS_NAME", "KERNELS", "TOKEN", "VALUES"]

KERNELS: dict[str, type[Kernel]] = {
    "st": SubtreeKernel,
    "sst": SubsetTreeKernel,
    "ptk": PartialTreeKernel,
    "elastic": ElasticTreeKernel,
    "subpath": SubpathKernel,
    "linear": LinearKernel,
    "poly": PolynomialKernel,
    "rbf": RBFKernel,
}
"""The short names of kernels, for expressions and the command line."""

_COMBINATIONS: tuple[type[Kernel], ...] = (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SetKernel,
    SumKernel,
)
_NAMELESS: tuple[type[Kernel], ...] = (MappingKernel, PreferenceKernel, TripartiteKernel)

BY_CLASS_NAME: dict[str, type[Kernel]] = {
    class_.__name__: class_ for class_ in (*KERNELS.values(), *_NAMELESS, *_COMBINATIONS)
}
"""All kernels, as model files name them."""


def _make_kernel(name: str, parameters: dict[str, Any]) -> Kernel:
    if name not in BY_CLASS_NAME:
        raise ValueError(f"a kernel {name!r}")
    for inner in ("k1", "k2", "kernel"):
        if inner in parameters and not isinstance(parameters[inner], Kernel):
            raise ValueError("a kernel of what is not a kernel")
    # A file has lists for pairs.
    for inner in [key for key in parameters if key.endswith("_bounds")]:
        if isinstance(parameters[inner], list):
            parameters[inner] = tuple(parameters[inner])
    return BY_CLASS_NAME[name](**parameters)


register_object("kernel", Kernel, _make_kernel)


def _make_weights(name: str, parameters: dict[str, Any]) -> InverseDocumentFrequency:
    if name != InverseDocumentFrequency.__name__:
        raise ValueError(f"weights {name!r}")
    weights = InverseDocumentFrequency(**parameters)
    weights.check()
    return weights


register_object("weights", InverseDocumentFrequency, _make_weights)


def _make_frequencies(name: str, parameters: dict[str, Any]) -> Frequencies:
    keys, counts = parameters["keys"], np.asarray(parameters["counts"])
    if name != Frequencies.__name__ or not isinstance(keys, Forest):
        raise ValueError(f"frequencies {name!r}")
    if counts.dtype != np.uint64 or counts.shape != (len(keys),) or np.any(keys.depths > 2):
        raise ValueError("frequencies of another form")
    return Frequencies(keys, np.array(counts))


def _make_vectors(name: str, parameters: dict[str, Any]) -> WordVectors:
    if name != WordVectors.__name__ or not isinstance(parameters["vectors"], np.ndarray):
        raise ValueError(f"word vectors {name!r}")
    return WordVectors(**parameters)


register_object("vectors", WordVectors, _make_vectors)

register_object("frequencies", Frequencies, _make_frequencies)

TOKEN = re.compile(
    r"""(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[^\W\d][\w.]*)
    |(?P<text>'[^']*'|"[^"]*")
    |(?P<sign>\*\*|[-+*^()\[\],=/])
    |(?P<end>\Z)
    |(?P<space>\s+)""",
    re.VERBOSE,
)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_positive(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


def _is_columns(value: Any) -> bool:
    several = isinstance(value, list) and value
    return all(
        isinstance(item, str | int) and not isinstance(item, bool)
        for item in (value if several else [value])
    )


VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "decay": (_is_number, "a number"),
    "vertical_decay": (_is_number, "a number"),
    "leaf_weight": (_is_number, "a number"),
    "cut_weight": (_is_number, "a number"),
    "max_length": (_is_positive, "a whole number above 0"),
    "degree": (_is_positive, "a number above 0"),
    "gamma": (lambda value: value is None or _is_positive(value), "a number above 0"),
    "coef0": (_is_number, "a number"),
    "normalize": (lambda value: isinstance(value, bool), "true or false"),
    "elastic": (lambda value: isinstance(value, bool), "true or false"),
    "match": (lambda value: value in MATCHES, "all, best or 'one-to-one'"),
    "gaps": (_is_word, "skipped or span"),
    "algorithm": (_is_word, "corpus, ftk or qtk"),
    "counts": (_is_word, "linear, log or binary"),
    "similarity": (_is_word, "a file of word vectors"),
    "weights": (lambda value: value == "idf", "idf"),
    "on": (_is_columns, "a column or a list of columns"),
}
"""The parameters that can be written, and what their values are."""

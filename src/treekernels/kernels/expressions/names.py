"""The one table of kernels: their short names, and which of them a file may hold."""

from __future__ import annotations

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
from treekernels.kernels.pq_gram import PQGramKernel
from treekernels.kernels.preference import PreferenceKernel
from treekernels.kernels.sets import SetKernel
from treekernels.kernels.similarity.word_vectors import WordVectors
from treekernels.kernels.subpath import SubpathKernel
from treekernels.kernels.subset import SubsetTreeKernel
from treekernels.kernels.subtree import SubtreeKernel
from treekernels.kernels.tree_features import TreeFeaturesKernel
from treekernels.kernels.tripartite import TripartiteKernel
from treekernels.kernels.vectors import LinearKernel, PolynomialKernel, RBFKernel
from treekernels.kernels.weights.frequencies import Frequencies
from treekernels.kernels.weights.learned import LearnedWeights
from treekernels.kernels.weights.productions import InverseDocumentFrequency

KERNELS: dict[str, type[Kernel]] = {
    "st": SubtreeKernel,
    "sst": SubsetTreeKernel,
    "ptk": PartialTreeKernel,
    "elastic": ElasticTreeKernel,
    "subpath": SubpathKernel,
    "pqgram": PQGramKernel,
    "features": TreeFeaturesKernel,
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
    kinds = {kind.__name__: kind for kind in (InverseDocumentFrequency, LearnedWeights)}
    if name not in kinds:
        raise ValueError(f"weights {name!r}")
    weights = kinds[name](**parameters)
    weights.check()
    return weights


register_object("weights", InverseDocumentFrequency, _make_weights)


def _make_frequencies(name: str, parameters: dict[str, Any]) -> Frequencies:
    keys, counts = parameters["keys"], np.asarray(parameters["counts"])
    if name != Frequencies.__name__ or not isinstance(keys, Forest):
        raise ValueError(f"frequencies {name!r}")
    features = parameters.get("features") is True
    kinds = (np.uint64, np.float64) if features else (np.uint64,)
    if counts.dtype not in kinds or counts.shape != (len(keys),):
        raise ValueError("frequencies of another form")
    if not features and np.any(keys.depths > 2):
        raise ValueError("frequencies of what are no productions")
    return Frequencies(keys, np.array(counts), features)


def _make_vectors(name: str, parameters: dict[str, Any]) -> WordVectors:
    if name != WordVectors.__name__ or not isinstance(parameters["vectors"], np.ndarray):
        raise ValueError(f"word vectors {name!r}")
    return WordVectors(**parameters)


register_object("vectors", WordVectors, _make_vectors)

register_object("frequencies", Frequencies, _make_frequencies)

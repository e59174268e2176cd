"""treekernels: learning from trees.

A `Forest` holds a corpus of trees as one DAG of their distinct subtrees. Kernels are small objects
with parameters; called with trees, they return Gram matrices, and they go into scikit-learn's
support vector machines and Gaussian processes as they are. Learners such as `TreeSVC` need no Gram
matrix: their model is the DAG with weights. `DistributedTrees` turns trees into vectors for linear
models, and `explain` finds the fragments that decide.
"""

import importlib
import typing

from treekernels.common.version import __version__ as __version__

if typing.TYPE_CHECKING:
    from treekernels import dask as dask
    from treekernels import embeddings as embeddings
    from treekernels import explanation as explanation
    from treekernels import io as io
    from treekernels import kernels as kernels
    from treekernels import learners as learners
    from treekernels import linguistics as linguistics
    from treekernels import metrics as metrics
    from treekernels import persistence as persistence
    from treekernels import plots as plots
    from treekernels import readers as readers
    from treekernels import report as report
    from treekernels import search as search
    from treekernels import structures as structures
    from treekernels import testing as testing
    from treekernels import writers as writers
    from treekernels.common.limits import Limits, get_limits, set_limits
    from treekernels.data.forest import Forest
    from treekernels.data.pairs import Pair, Pairs
    from treekernels.data.table import Table
    from treekernels.data.tree import Tree
    from treekernels.data.tree_sets import TreeSets
    from treekernels.embeddings import DistributedPairs, DistributedTrees, TreeNystroem
    from treekernels.errors import (
        CheckpointError,
        ClusterError,
        DataError,
        ExpressionError,
        KernelMemoryError,
        KernelOverflowError,
        ModelFileError,
        ParameterError,
        ParseError,
        SmallValuesWarning,
        TreeKernelsError,
    )
    from treekernels.explanation.compare import Comparison, compare
    from treekernels.explanation.explain import explain
    from treekernels.explanation.fragment import Fragment, Fragments
    from treekernels.explorer.explorer import Explorer, explore
    from treekernels.io.reading.read import read
    from treekernels.io.writing.write import write
    from treekernels.kernels import (
        ConstantKernel,
        ElasticTreeKernel,
        InverseDocumentFrequency,
        Kernel,
        LinearKernel,
        MappingKernel,
        NormalizedKernel,
        PartialTreeKernel,
        PolynomialKernel,
        PowerKernel,
        PreferenceKernel,
        ProductKernel,
        RBFKernel,
        SetKernel,
        SimilarLabels,
        SubpathKernel,
        SubsetTreeKernel,
        SubtreeKernel,
        SumKernel,
        TripartiteKernel,
        WordVectors,
    )
    from treekernels.kernels.containment import containment
    from treekernels.kernels.expressions.parsing import format_kernel, parse_kernel
    from treekernels.learners import (
        TreePassiveAggressive,
        TreePerceptron,
        TreeRanker,
        TreeSVC,
        TreeSVR,
        WeightedForest,
    )
    from treekernels.learners.precomputed import PrecomputedEstimator, as_precomputed
    from treekernels.linguistics import Word, lexical_overlap
    from treekernels.linguistics.anchoring import anchor
    from treekernels.persistence import load, save
    from treekernels.search import ApproximateSearch, TreeIndex, TreeNeighbors


__all__ = [
    "ApproximateSearch",
    "CheckpointError",
    "ClusterError",
    "Comparison",
    "ConstantKernel",
    "DataError",
    "DistributedPairs",
    "DistributedTrees",
    "ElasticTreeKernel",
    "Explorer",
    "ExpressionError",
    "Forest",
    "Fragment",
    "Fragments",
    "InverseDocumentFrequency",
    "Kernel",
    "KernelMemoryError",
    "KernelOverflowError",
    "Limits",
    "LinearKernel",
    "MappingKernel",
    "ModelFileError",
    "NormalizedKernel",
    "Pair",
    "Pairs",
    "ParameterError",
    "ParseError",
    "PartialTreeKernel",
    "PolynomialKernel",
    "PowerKernel",
    "PrecomputedEstimator",
    "PreferenceKernel",
    "ProductKernel",
    "RBFKernel",
    "SetKernel",
    "SimilarLabels",
    "SmallValuesWarning",
    "SubpathKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SumKernel",
    "Table",
    "Tree",
    "TreeIndex",
    "TreeKernelsError",
    "TreeNeighbors",
    "TreeNystroem",
    "TreePassiveAggressive",
    "TreePerceptron",
    "TreeRanker",
    "TreeSVC",
    "TreeSVR",
    "TreeSets",
    "TripartiteKernel",
    "WeightedForest",
    "Word",
    "WordVectors",
    "anchor",
    "as_precomputed",
    "compare",
    "containment",
    "explain",
    "explore",
    "format_kernel",
    "get_limits",
    "lexical_overlap",
    "load",
    "parse_kernel",
    "read",
    "save",
    "set_limits",
    "write",
]

# Imported when first asked for, so that a start is quick: `treekernels --help` needs no numpy, and
# only learners need scikit-learn.
_ROOMS = (
    "dask",
    "embeddings",
    "explanation",
    "io",
    "kernels",
    "learners",
    "linguistics",
    "metrics",
    "persistence",
    "plots",
    "readers",
    "report",
    "search",
    "structures",
    "testing",
    "writers",
)
_LATER = {
    "ApproximateSearch": "treekernels.search",
    "CheckpointError": "treekernels.errors",
    "ClusterError": "treekernels.errors",
    "Comparison": "treekernels.explanation",
    "ConstantKernel": "treekernels.kernels",
    "DataError": "treekernels.errors",
    "DistributedPairs": "treekernels.embeddings",
    "DistributedTrees": "treekernels.embeddings",
    "ElasticTreeKernel": "treekernels.kernels",
    "Explorer": "treekernels.explorer.explorer",
    "ExpressionError": "treekernels.errors",
    "Forest": "treekernels.data.forest",
    "Fragment": "treekernels.explanation",
    "Fragments": "treekernels.explanation",
    "InverseDocumentFrequency": "treekernels.kernels",
    "Kernel": "treekernels.kernels",
    "KernelMemoryError": "treekernels.errors",
    "KernelOverflowError": "treekernels.errors",
    "Limits": "treekernels.common.limits",
    "LinearKernel": "treekernels.kernels",
    "MappingKernel": "treekernels.kernels",
    "ModelFileError": "treekernels.errors",
    "NormalizedKernel": "treekernels.kernels",
    "Pair": "treekernels.data.pairs",
    "Pairs": "treekernels.data.pairs",
    "ParameterError": "treekernels.errors",
    "ParseError": "treekernels.errors",
    "PartialTreeKernel": "treekernels.kernels",
    "PolynomialKernel": "treekernels.kernels",
    "PowerKernel": "treekernels.kernels",
    "PrecomputedEstimator": "treekernels.learners.precomputed",
    "PreferenceKernel": "treekernels.kernels",
    "ProductKernel": "treekernels.kernels",
    "RBFKernel": "treekernels.kernels",
    "SetKernel": "treekernels.kernels",
    "SimilarLabels": "treekernels.kernels",
    "SmallValuesWarning": "treekernels.errors",
    "SubpathKernel": "treekernels.kernels",
    "SubsetTreeKernel": "treekernels.kernels",
    "SubtreeKernel": "treekernels.kernels",
    "SumKernel": "treekernels.kernels",
    "Table": "treekernels.data.table",
    "Tree": "treekernels.data.tree",
    "TreeIndex": "treekernels.search",
    "TreeKernelsError": "treekernels.errors",
    "TreeNeighbors": "treekernels.search",
    "TreeNystroem": "treekernels.embeddings",
    "TreePassiveAggressive": "treekernels.learners",
    "TreePerceptron": "treekernels.learners",
    "TreeRanker": "treekernels.learners",
    "TreeSVC": "treekernels.learners",
    "TreeSVR": "treekernels.learners",
    "TreeSets": "treekernels.data.tree_sets",
    "TripartiteKernel": "treekernels.kernels",
    "WeightedForest": "treekernels.learners",
    "Word": "treekernels.linguistics",
    "WordVectors": "treekernels.kernels",
    "anchor": "treekernels.linguistics",
    "as_precomputed": "treekernels.learners.precomputed",
    "compare": "treekernels.explanation",
    "containment": "treekernels.kernels.containment",
    "explain": "treekernels.explanation",
    "explore": "treekernels.explorer.explorer",
    "format_kernel": "treekernels.kernels.expressions.parsing",
    "get_limits": "treekernels.common.limits",
    "lexical_overlap": "treekernels.linguistics",
    "load": "treekernels.persistence",
    "parse_kernel": "treekernels.kernels.expressions.parsing",
    "read": "treekernels.io.readers",
    "save": "treekernels.persistence",
    "set_limits": "treekernels.common.limits",
    "write": "treekernels.io.writers",
}


def __getattr__(name: str) -> typing.Any:
    if name in _ROOMS:
        return importlib.import_module(f"treekernels.{name}")
    if name in _LATER:
        value = getattr(importlib.import_module(_LATER[name]), name)
        globals()[name] = value  # so that it need not be looked for again
        return value
    raise AttributeError(f"module 'treekernels' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_ROOMS})

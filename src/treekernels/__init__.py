"""treekernels: learning on trees.

A corpus of trees is one DAG of its distinct subtrees (`Forest`). Kernels on trees are small objects
of parameters that give Gram matrices for any kernel method. Learners need no Gram matrix: their
model is the DAG with weights. `DistributedTrees` makes vectors of trees for linear models.
"""

import importlib
import typing

if typing.TYPE_CHECKING:
    from treekernels import kernels as kernels
    from treekernels import learners as learners
    from treekernels import persistence as persistence
    from treekernels import plots as plots
    from treekernels import readers as readers
    from treekernels import structures as structures
    from treekernels import writers as writers
    from treekernels.anchoring import Word, lexical_overlap
    from treekernels.anchoring.anchor import anchor
    from treekernels.embeddings import DistributedTrees
    from treekernels.errors import (
        ExpressionError,
        KernelMemoryError,
        KernelOverflowError,
        ModelFileError,
        ParseError,
        TreeKernelsError,
    )
    from treekernels.explanation.explain import Fragment, Fragments, explain
    from treekernels.forest import Forest
    from treekernels.kernels import (
        ConstantKernel,
        ElasticTreeKernel,
        Kernel,
        LinearKernel,
        MappingKernel,
        NormalizedKernel,
        PartialTreeKernel,
        PolynomialKernel,
        PowerKernel,
        ProductKernel,
        RBFKernel,
        SubsetTreeKernel,
        SubtreeKernel,
        SumKernel,
        TripartiteKernel,
    )
    from treekernels.kernels.expression import format_kernel, parse_kernel
    from treekernels.learners import (
        TreePassiveAggressive,
        TreePerceptron,
        TreeSVC,
        TreeSVR,
        WeightedForest,
    )
    from treekernels.pairs import Pair, Pairs
    from treekernels.persistence import load, save
    from treekernels.readers.read import read
    from treekernels.table import Table
    from treekernels.tree import Tree
    from treekernels.writers.write import write

__version__ = "0.1.0"

__all__ = [
    "ConstantKernel",
    "DistributedTrees",
    "ElasticTreeKernel",
    "ExpressionError",
    "Forest",
    "Fragment",
    "Fragments",
    "Kernel",
    "KernelMemoryError",
    "KernelOverflowError",
    "LinearKernel",
    "MappingKernel",
    "ModelFileError",
    "NormalizedKernel",
    "Pair",
    "Pairs",
    "ParseError",
    "PartialTreeKernel",
    "PolynomialKernel",
    "PowerKernel",
    "ProductKernel",
    "RBFKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SumKernel",
    "Table",
    "Tree",
    "TreeKernelsError",
    "TreePassiveAggressive",
    "TreePerceptron",
    "TreeSVC",
    "TreeSVR",
    "TripartiteKernel",
    "WeightedForest",
    "Word",
    "anchor",
    "explain",
    "format_kernel",
    "lexical_overlap",
    "load",
    "parse_kernel",
    "read",
    "save",
    "write",
]

# Imported when first asked for, so that a start is quick: `treekernels --help` needs no numpy, and
# only learners need scikit-learn.
_PARTS = ("kernels", "learners", "persistence", "plots", "readers", "structures", "writers")
_LATER = {
    "ConstantKernel": "treekernels.kernels",
    "DistributedTrees": "treekernels.embeddings",
    "ElasticTreeKernel": "treekernels.kernels",
    "ExpressionError": "treekernels.errors",
    "Forest": "treekernels.forest",
    "Fragment": "treekernels.explanation",
    "Fragments": "treekernels.explanation",
    "Kernel": "treekernels.kernels",
    "KernelMemoryError": "treekernels.errors",
    "KernelOverflowError": "treekernels.errors",
    "LinearKernel": "treekernels.kernels",
    "MappingKernel": "treekernels.kernels",
    "ModelFileError": "treekernels.errors",
    "NormalizedKernel": "treekernels.kernels",
    "Pair": "treekernels.pairs",
    "Pairs": "treekernels.pairs",
    "ParseError": "treekernels.errors",
    "PartialTreeKernel": "treekernels.kernels",
    "PolynomialKernel": "treekernels.kernels",
    "PowerKernel": "treekernels.kernels",
    "ProductKernel": "treekernels.kernels",
    "RBFKernel": "treekernels.kernels",
    "SubsetTreeKernel": "treekernels.kernels",
    "SubtreeKernel": "treekernels.kernels",
    "SumKernel": "treekernels.kernels",
    "Table": "treekernels.table",
    "Tree": "treekernels.tree",
    "TreeKernelsError": "treekernels.errors",
    "TreePassiveAggressive": "treekernels.learners",
    "TreePerceptron": "treekernels.learners",
    "TreeSVC": "treekernels.learners",
    "TreeSVR": "treekernels.learners",
    "TripartiteKernel": "treekernels.kernels",
    "WeightedForest": "treekernels.learners",
    "Word": "treekernels.anchoring",
    "anchor": "treekernels.anchoring",
    "explain": "treekernels.explanation",
    "format_kernel": "treekernels.kernels.expression",
    "lexical_overlap": "treekernels.anchoring",
    "load": "treekernels.persistence",
    "parse_kernel": "treekernels.kernels.expression",
    "read": "treekernels.readers",
    "save": "treekernels.persistence",
    "write": "treekernels.writers",
}


def __getattr__(name: str) -> typing.Any:
    if name in _PARTS:
        return importlib.import_module(f"treekernels.{name}")
    if name in _LATER:
        found = getattr(importlib.import_module(_LATER[name]), name)
        globals()[name] = found  # so that it need not be looked for again
        return found
    raise AttributeError(f"module 'treekernels' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_PARTS})

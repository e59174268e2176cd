"""treekernels: learning on trees.

A corpus of trees is one DAG of its distinct subtrees (`Forest`). Kernels on trees are small objects
of parameters that give Gram matrices for any kernel method. Learners need no Gram matrix: their
model is the DAG with weights. `DistributedTrees` makes vectors of trees for linear models.
"""

import importlib
import typing

from treekernels.anchoring import Word, anchor, lexical_overlap
from treekernels.errors import (
    ExpressionError,
    KernelMemoryError,
    KernelOverflowError,
    ModelFileError,
    ParseError,
    TreeKernelsError,
)
from treekernels.explain import Fragment, Fragments, explain
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
from treekernels.pairs import Pair, Pairs
from treekernels.persistence import load, save
from treekernels.readers import read
from treekernels.table import Table
from treekernels.tree import Tree
from treekernels.writers import write

if typing.TYPE_CHECKING:
    from treekernels import plots as plots
    from treekernels import structures as structures
    from treekernels.embeddings import DistributedTrees
    from treekernels.kernels.expression import format_kernel, parse_kernel
    from treekernels.learners import (
        TreePassiveAggressive,
        TreePerceptron,
        TreeSVC,
        TreeSVR,
        WeightedForest,
    )

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

# Imported when first asked for. Learners are scikit-learn's kind of estimator, whose import takes
# longer than all of this.
_PARTS = ("plots", "structures")
_LATER = {
    "DistributedTrees": "treekernels.embeddings",
    "TreePassiveAggressive": "treekernels.learners",
    "TreePerceptron": "treekernels.learners",
    "TreeSVC": "treekernels.learners",
    "TreeSVR": "treekernels.learners",
    "WeightedForest": "treekernels.learners",
    "format_kernel": "treekernels.kernels.expression",
    "parse_kernel": "treekernels.kernels.expression",
}


def __getattr__(name: str) -> typing.Any:
    if name in _PARTS:
        return importlib.import_module(f"treekernels.{name}")
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name]), name)
    raise AttributeError(f"module 'treekernels' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_PARTS})

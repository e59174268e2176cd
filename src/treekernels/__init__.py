"""treekernels: learning on trees.

A corpus of trees is one DAG of its distinct subtrees (`Forest`). Kernels on trees are small objects
of parameters that give Gram matrices for any kernel method.
"""

from treekernels.anchoring import Word, anchor, lexical_overlap
from treekernels.errors import (
    KernelMemoryError,
    KernelOverflowError,
    ParseError,
    TreeKernelsError,
)
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
from treekernels.readers import read
from treekernels.table import Table
from treekernels.tree import Tree

__version__ = "0.1.0"

__all__ = [
    "ConstantKernel",
    "ElasticTreeKernel",
    "Forest",
    "Kernel",
    "KernelMemoryError",
    "KernelOverflowError",
    "LinearKernel",
    "MappingKernel",
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
    "TripartiteKernel",
    "Word",
    "anchor",
    "lexical_overlap",
    "read",
]

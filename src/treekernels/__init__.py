"""treekernels: learning on trees.

A corpus of trees is one DAG of its distinct subtrees (`Forest`). Kernels on trees are small objects
of parameters that give Gram matrices for any kernel method. `DistributedTrees` makes vectors of
trees for linear models.
"""

import typing

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
)
from treekernels.readers import read
from treekernels.table import Table
from treekernels.tree import Tree

if typing.TYPE_CHECKING:
    from treekernels.embeddings import DistributedTrees

__version__ = "0.1.0"

__all__ = [
    "ConstantKernel",
    "DistributedTrees",
    "ElasticTreeKernel",
    "Forest",
    "Kernel",
    "KernelMemoryError",
    "KernelOverflowError",
    "LinearKernel",
    "MappingKernel",
    "NormalizedKernel",
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
    "read",
]


def __getattr__(name: str) -> typing.Any:
    """Import estimators when they are first asked for: scikit-learn comes with them."""
    if name != "DistributedTrees":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from treekernels.embeddings import DistributedTrees

    globals()[name] = DistributedTrees
    return DistributedTrees


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

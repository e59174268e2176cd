"""treekernels: learning on trees.

A corpus of trees is one DAG of its distinct subtrees (`Forest`). Kernels on trees are small objects
of parameters that give Gram matrices for any kernel method.
"""

import importlib
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
from treekernels.writers import write

if typing.TYPE_CHECKING:
    from treekernels import structures as structures

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
    "write",
]

_PARTS = ("structures",)


def __getattr__(name: str) -> typing.Any:
    """Import a part of the package when it is first asked for."""
    if name in _PARTS:
        return importlib.import_module(f"treekernels.{name}")
    raise AttributeError(f"module 'treekernels' has no attribute {name!r}")

"""Embeddings: vectors of trees for linear models. Importing this imports scikit-learn."""

from treekernels.embeddings.distributed import DistributedTrees
from treekernels.embeddings.nystroem import TreeNystroem

__all__ = ["DistributedTrees", "TreeNystroem"]

"""Embeddings: vectors of trees for linear models. Importing this imports scikit-learn."""

from treekernels.embeddings.distributed import DistributedTrees
from treekernels.embeddings.nystroem import TreeNystroem
from treekernels.embeddings.pair_vectors import DistributedPairs

__all__ = ["DistributedPairs", "DistributedTrees", "TreeNystroem"]

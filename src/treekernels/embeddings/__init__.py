"""Embeddings: vectors of trees for linear models. Importing this imports scikit-learn."""

from treekernels.embeddings.distributed import DistributedTrees

__all__ = ["DistributedTrees"]

"""The same estimators on a Dask cluster: ``import treekernels.dask as tkd``.

Partitions of trees lie on the workers; `read` and `partitions` make them. Kernels, vectors,
predictions and searches go over all of them, and the learners give ordinary models back. It needs
Dask: ``pip install "dask[array]" distributed``.
"""

from treekernels.cluster.index import ShardedIndex
from treekernels.cluster.matrices import embed, gram, to_npy
from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.perceptron import TreePerceptron
from treekernels.cluster.predict import decision_function, predict, score
from treekernels.cluster.read import read
from treekernels.cluster.svm import TreeSVC, TreeSVR

__all__ = [
    "Partitions",
    "ShardedIndex",
    "TreePerceptron",
    "TreeSVC",
    "TreeSVR",
    "decision_function",
    "embed",
    "gram",
    "partitions",
    "predict",
    "read",
    "score",
    "to_npy",
]

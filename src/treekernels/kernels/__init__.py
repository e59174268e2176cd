"""Kernels on trees and vectors, one small file each, and their algebra."""

from treekernels.kernels.algebra import (
    ConstantKernel,
    NormalizedKernel,
    PowerKernel,
    ProductKernel,
    SumKernel,
)
from treekernels.kernels.base.kernel import Kernel
from treekernels.kernels.elastic import ElasticTreeKernel
from treekernels.kernels.expressions.names import KERNELS as KERNELS
from treekernels.kernels.mapping import MappingKernel
from treekernels.kernels.partial import PartialTreeKernel
from treekernels.kernels.pq_gram import PQGramKernel
from treekernels.kernels.preference import PreferenceKernel
from treekernels.kernels.sets import SetKernel
from treekernels.kernels.similarity.labels import SimilarLabels
from treekernels.kernels.similarity.word_vectors import WordVectors
from treekernels.kernels.subpath import SubpathKernel
from treekernels.kernels.subset import SubsetTreeKernel
from treekernels.kernels.subtree import SubtreeKernel
from treekernels.kernels.tree_features import TreeFeaturesKernel
from treekernels.kernels.tripartite import TripartiteKernel
from treekernels.kernels.vectors import LinearKernel, PolynomialKernel, RBFKernel
from treekernels.kernels.weights.learned import LearnedWeights
from treekernels.kernels.weights.productions import InverseDocumentFrequency

__all__ = [
    "ConstantKernel",
    "ElasticTreeKernel",
    "InverseDocumentFrequency",
    "Kernel",
    "LearnedWeights",
    "LinearKernel",
    "MappingKernel",
    "NormalizedKernel",
    "PQGramKernel",
    "PartialTreeKernel",
    "PolynomialKernel",
    "PowerKernel",
    "PreferenceKernel",
    "ProductKernel",
    "RBFKernel",
    "SetKernel",
    "SimilarLabels",
    "SubpathKernel",
    "SubsetTreeKernel",
    "SubtreeKernel",
    "SumKernel",
    "TreeFeaturesKernel",
    "TripartiteKernel",
    "WordVectors",
]

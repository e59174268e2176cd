"""Metrics: how good a ranking is, how diverse or alike syntax is, how right code and tables."""

from treekernels.metrics.code import ast_match
from treekernels.metrics.ranking import average_precision, ndcg, reciprocal_rank
from treekernels.metrics.syntax import syntactic_diversity, syntactic_similarity, vendi_score
from treekernels.metrics.tables import TableScores, teds

__all__ = [
    "TableScores",
    "ast_match",
    "average_precision",
    "ndcg",
    "reciprocal_rank",
    "syntactic_diversity",
    "syntactic_similarity",
    "teds",
    "vendi_score",
]

"""Metrics: how good a ranking is, and more that people measure on trees."""

from treekernels.metrics.ranking import average_precision, ndcg, reciprocal_rank

__all__ = ["average_precision", "ndcg", "reciprocal_rank"]

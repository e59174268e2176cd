"""Plots with matplotlib: learning curves, confusion matrices, Gram matrices, maps of trees.

Each function draws into `ax`, or into a new figure if you give none, and returns the axes.
"""

from treekernels.plots.scores import confusion_matrix, learning_curve
from treekernels.plots.similarity import embedding_map, gram_heatmap

__all__ = ["confusion_matrix", "embedding_map", "gram_heatmap", "learning_curve"]

"""Learners by the names they have on the command line."""

from __future__ import annotations

from typing import Any

from treekernels.kernels import Kernel
from treekernels.learners import TreePassiveAggressive, TreePerceptron, TreeSVC
from treekernels.learners.model import SupportSide, WeightSide

__all__ = ["feature_counts", "make_learner"]


def make_learner(
    name: str,
    kernel: Kernel,
    *,
    C: float | None,
    epochs: int | None,
    seed: int,
    jobs: int,
    verbose: bool = False,
) -> Any:
    """Make a learner.

    Normalised kernels lie between 0 and 1, for which a C of 10 is a better start than 1.
    """
    common: dict[str, Any] = {"random_state": seed, "n_jobs": jobs, "verbose": verbose}
    if name == "svm":
        return TreeSVC(kernel, C=10.0 if C is None else C, **common)
    common["epochs"] = 5 if epochs is None else epochs
    if name == "pa":
        return TreePassiveAggressive(kernel, C=1.0 if C is None else C, average="mean", **common)
    return TreePerceptron(kernel, **common)


def feature_counts(model: Any) -> dict[str, int]:
    """Give for each column of vectors how many features a model has learned from."""
    counts: dict[str, int] = {}
    for side in model._model.sides:
        if isinstance(side, WeightSide):
            on = getattr(side.term.kernel, "on", None)
            if isinstance(on, str):
                counts[on] = len(side.weights)
        elif isinstance(side, SupportSide) and side.examples:
            for name, column in side.examples[0].columns.items():
                if isinstance(name, str) and hasattr(column, "tocsr"):
                    counts[name] = column.shape[1]
    return counts

"""Learners by the names they have on the command line."""

from __future__ import annotations

from typing import Any

from treekernels.kernels import Kernel
from treekernels.learners import TreePassiveAggressive, TreePerceptron, TreeSVC

__all__ = ["make_learner"]


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

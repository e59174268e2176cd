"""Learners by the names they have on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.problem import Problem
from treekernels.kernels import Kernel
from treekernels.learners import TreePassiveAggressive, TreePerceptron, TreeRanker, TreeSVC

__all__ = ["make_learner", "weights_of_classes"]


def make_learner(
    name: str,
    kernel: Kernel,
    *,
    C: float | None,
    epochs: int | None,
    seed: int,
    jobs: int,
    class_weight: dict[Any, float] | str | None = None,
    checkpoint: str | None = None,
    verbose: bool = False,
) -> Any:
    """Make a learner. None stands for the default of the learner."""
    common: dict[str, Any] = {
        "random_state": seed,
        "n_jobs": jobs,
        "verbose": verbose,
        "class_weight": class_weight,
        "checkpoint": checkpoint,
    }
    if name == "ranker":
        if class_weight is not None or checkpoint is not None:
            raise Problem("a ranker has no classes and no checkpoints: leave these options out")
        penalty: dict[str, Any] = {} if C is None else {"C": C}
        return TreeRanker(kernel, n_jobs=jobs, verbose=verbose, **penalty)
    if C is not None and name != "perceptron":
        common["C"] = C
    if name == "svm":
        return TreeSVC(kernel, **common)
    if epochs is not None:
        common["epochs"] = epochs
    if name == "pa":
        return TreePassiveAggressive(kernel, **common)
    return TreePerceptron(kernel, **common)


def weights_of_classes(given: Sequence[str], labels: NDArray[Any]) -> dict[Any, float] | str | None:
    """Return the weights that were given as 'balanced' or as LABEL=NUMBER, by class."""
    if not given:
        return None
    if "balanced" in given:
        if len(given) > 1:
            raise Problem("--class-weight is either 'balanced' or LABEL=NUMBER, not both")
        return "balanced"
    classes = {str(label): label for label in np.unique(labels).tolist()}
    weights: dict[Any, float] = {}
    for text in given:
        name, equals, number = text.rpartition("=")  # a label may contain = itself
        if not equals:
            raise Problem(f"--class-weight is 'balanced' or LABEL=NUMBER, and not {text!r}")
        if name not in classes:
            raise Problem(
                f"--class-weight {text}: there is no class {name!r}; there are "
                f"{', '.join(list(classes)[:20])}"
            )
        if classes[name] in weights:
            raise Problem(f"--class-weight names the class {name!r} twice")
        weights[classes[name]] = _positive(number, text)
    return weights


def _positive(number: str, text: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if not 0 < value < float("inf"):
        raise Problem(f"--class-weight {text}: {number!r} is not a number above 0")
    return value

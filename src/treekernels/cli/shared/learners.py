"""Learners by the names they have on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cli.shared.options import Learning
from treekernels.cli.shared.problem import Problem
from treekernels.kernels import Kernel
from treekernels.kernels.expressions.parsing import format_kernel
from treekernels.learners import TreePassiveAggressive, TreePerceptron, TreeRanker, TreeSVC
from treekernels.learners.base.selection import expression_of


def make_learner(
    learning: Learning, kernel: Kernel, labels: NDArray[Any], *, jobs: int, verbose: bool = False
) -> Any:
    """Make the learner that the options of a command ask for, for examples with these labels."""
    chosen: Kernel | str = "auto" if learning["kernel"] == "auto" else kernel
    name = learning["learner"]
    settings: dict[str, Any] = {"n_jobs": jobs, "verbose": verbose}
    if learning["C"] == "auto" and name != "svm":
        raise Problem(f"--C auto is for the learner svm: give {name} a number, or leave it out")
    if learning["C"] is not None and name != "perceptron":
        settings["C"] = learning["C"]
    if name == "ranker":
        if learning["class_weights"] or learning["checkpoint"] is not None:
            raise Problem("a ranker has no classes and no checkpoints: leave these options out")
        return TreeRanker(chosen, **settings)
    settings |= {
        "random_state": learning["seed"],
        "class_weight": _class_weights(learning["class_weights"], labels),
        "checkpoint": learning["checkpoint"],
    }
    if name == "svm":
        return TreeSVC(chosen, **settings)
    if learning["epochs"] is not None:
        settings["epochs"] = learning["epochs"]
    return (TreePassiveAggressive if name == "pa" else TreePerceptron)(chosen, **settings)


def learned_kernel_text(learner: Any, kernel: Kernel) -> str:
    """Return the kernel of a learner as text; "auto" if it is chosen anew in each fold."""
    if learner.kernel != "auto":
        return format_kernel(kernel)
    selection = learner.selection_
    return "auto" if selection is None else expression_of(selection.kernel)


def _class_weights(given: Sequence[str], labels: NDArray[Any]) -> dict[Any, float] | str | None:
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

"""What `explain` needs of a model, be it in a pipeline, a search, or scikit-learn's SVC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treekernels.errors import DataError
from treekernels.kernels import Kernel
from treekernels.learners.models.model import Model
from treekernels.learners.models.summand_model import WeightedExamples


@dataclass
class ExplainedModel:
    """A model as weighted examples."""

    classes: Any  # None for regression
    predict: Callable[[Any], Any]  # from a batch of examples to their classes or values
    summands: list[WeightedExamples]  # one for each kernel with fragments
    support: Any  # among which the trees with a fragment are counted
    prepare: Callable[[Any], Any]  # from a batch as the user gives it to what the kernel sees


def explained_model(model: Any) -> ExplainedModel:
    """Return what there is to explain; raise a `DataError` that says why if there is nothing."""
    from sklearn.utils.validation import check_is_fitted

    if not hasattr(model, "get_params"):
        raise DataError(f"a fitted learner can be explained, not an object of {type(model)}")
    check_is_fitted(model)
    outer, steps = model, []
    while True:
        if hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif hasattr(model, "cv_results_"):
            raise DataError(
                f"this {type(model).__name__} has kept no model: give it refit=True, or fit one "
                "with its best_params_"
            )
        elif hasattr(model, "named_steps") and len(model):
            steps.append(model[:-1])
            model = model[-1]
        else:
            break

    def prepare(batch: Any) -> Any:
        for step in steps:
            batch = step.transform(batch) if len(step) else batch
        return batch

    classes = getattr(model, "classes_", None)
    if hasattr(model, "weighted_examples"):
        support = getattr(model, "support_examples_", None)
        return ExplainedModel(classes, model.predict, model.weighted_examples(), support, prepare)
    if hasattr(model, "dual_coef_") and hasattr(model, "support_"):
        summands, support = _of_machine(model)
        return ExplainedModel(classes, model.predict, summands, support, prepare)
    within = "" if model is outer else f" in this {type(outer).__name__}"
    reason = "has no weights of trees"
    if any(type(step).__name__ == "DistributedTrees" for part in steps for _, step in part.steps):
        reason = (
            "learns from vectors, in which fragments cannot be told apart (its weights times "
            "DistributedTrees.fragment_vector estimate the weight of a fragment that you name)"
        )
    raise DataError(
        f"{type(model).__name__}{within} {reason}: explain takes TreeSVC, TreeSVR, TreePerceptron "
        "and TreePassiveAggressive, scikit-learn's SVC and SVR with a kernel of this library, and "
        "pipelines and searches that end in one of these"
    )


def _of_machine(machine: Any) -> tuple[list[WeightedExamples], Any]:
    """Return the support vector machine of scikit-learn as weighted examples, and these."""
    name, kernel = type(machine).__name__, machine.get_params(deep=False)["kernel"]
    if isinstance(kernel, str) and kernel == "precomputed":
        raise DataError(
            f"this {name} has seen a Gram matrix and no trees: fit it on the trees themselves with "
            f"{name}(kernel=...), or use TreeSVC or TreeSVR"
        )
    if not isinstance(kernel, Kernel):
        raise DataError(f"this {name} has no tree kernel: {kernel!r} has no fragments")
    classes = getattr(machine, "classes_", ())
    if len(classes) > 2:
        raise DataError(
            f"this {name} sets {len(classes)} classes against each other two by two, so that a "
            "fragment has no weight for one of them: use TreeSVC, which sets each against the rest"
        )
    # scikit-learn keeps the examples that a kernel function needs under a private name.
    X = vars(machine).get("_BaseLibSVM__Xfit")
    if X is None:
        raise DataError(f"this {name} does not say what it was fitted on: use TreeSVC or TreeSVR")
    support = kernel.examples(X).take(np.asarray(machine.support_, np.intp))
    model = Model(kernel, 1, one_by_one=True)
    model.add(support, np.asarray(machine.dual_coef_, np.float64).reshape(1, -1).T)
    return model.weighted_examples(), support.X

"""TreeSVC and TreeSVR on a cluster, by rounds of CoCoA+."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from treekernels.cluster.learning.descent_rounds import DescentRounds, Rounds
from treekernels.cluster.learning.descent_tasks import Shard, support_of
from treekernels.cluster.learning.labels import ClassLabels
from treekernels.cluster.learning.learner import ClusterLearner
from treekernels.cluster.learning.shards import (
    class_shard,
    columns_of_parts,
    diagonal_sum,
    examples_of,
    joined_parts,
    numeric_shard,
    weights_for,
)
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.recovery import spread
from treekernels.common.checks import integer, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.data.examples import Examples
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.models.model import Model
from treekernels.learners.svc import TreeSVC as LocalSVC
from treekernels.learners.svm.machine import SupportVectorMachine
from treekernels.learners.svr import TreeSVR as LocalSVR

__all__ = ["TreeSVC", "TreeSVR"]


@parameter_class
class RoundMachine(ClusterLearner, SupportVectorMachine):
    """A support vector machine that is fitted by rounds over partitions.

    Parameters
    ----------
    tol : float, default=0.01
        Stop when the duality gap, over all outputs, has fallen to this fraction of the objective.
        Predictions seldom change any more below 0.1.
    max_rounds : int, default=100
        The largest number of rounds.
    local_passes : int, default=5
        How many times a partition goes through its examples in a round.
    cache_size : float, default=128
        Megabytes for comparisons that a task on a worker keeps.
    checkpoint : path, optional
        A file in which `fit` saves its state after each round, and from which it resumes. It is
        removed at the end.
    """

    tol: float = 1e-2
    max_rounds: int = 100
    local_passes: int = 5
    client: Any = None
    epsilon: Any = None  # the width of the tube in a regression

    fixed_parameters = ("solver", "max_iter")
    solver = "forest"
    max_iter = 1

    cluster_parameters = ("client", "max_rounds", "local_passes")
    free_to_change = ("max_rounds", "tol")

    parameter_rules = rules(
        max_rounds=integer(1), local_passes=integer(1), **SupportVectorMachine.parameter_rules
    )

    def checked_kernel(self) -> Kernel:
        """Return the kernel, if it can be learned with part by part."""
        kernel = super().checked_kernel()
        inseparable = [term.kernel for term in kernel.summands() if term.kernel.needs_gram]
        if inseparable:
            raise ParameterError(
                f"{inseparable[0]!r} cannot be taken apart, and so not be learned part by part: "
                "use the ordinary learner with solver='gram', or another kernel"
            )
        return kernel

    @abstractmethod
    def _targets(self, y: Partitions) -> tuple[Callable[..., Shard], int, dict[str, Any]]:
        """Return what makes shards of labels or numbers, the number of outputs, and attributes."""

    def fit_partitions(
        self, data: Partitions, y: Partitions, sample_weight: Any, about_kernel: dict[str, Any]
    ) -> Checkpoint | None:
        """Find the support examples."""
        kernel = about_kernel["fitted_kernel_"] or self.checked_kernel()
        make_shard, outputs, attributes = self._targets(y)
        examples = data.map(examples_of, kernel, same_length=True)
        mean = sum(examples.collect(diagonal_sum, kernel)) / len(data)
        columns = [examples, y, weights_for(sample_weight, data)]
        shards = joined_parts(make_shard, columns, self._penalty_for(mean))
        shards = Partitions(shards.client, shards.parts, data.lengths)
        if not any(shards.collect(lambda shard: bool(shard.bound.any()))):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        checkpoint = self.open_checkpoint(shards)
        seed = int(check_random_state(self.random_state).randint(2**31))
        descent = DescentRounds(self, shards, kernel, outputs, mean, seed, checkpoint)
        rounds, interrupted = descent.solve()
        fitted = self._fitted(rounds, shards, kernel, outputs)
        self._adopt(
            {**fitted, "input_columns_": columns_of_parts(data), **attributes, **about_kernel}
        )
        if interrupted:
            raise KeyboardInterrupt
        return checkpoint

    def _fitted(
        self, rounds: Rounds, shards: Partitions, kernel: Kernel, outputs: int
    ) -> dict[str, Any]:
        """Bring the support examples here, and make an ordinary model of them."""
        parts = shards.collect(support_of, each=lambda: spread(shards.client, rounds.beta))
        offsets = np.cumsum([0, *shards.lengths[:-1]])
        places = [used + offset for (used, _, _), offset in zip(parts, offsets, strict=True)]
        kept = [part for part in parts if len(part[0])] or parts[:1]
        examples = Examples.concatenate([part[1] for part in kept])
        coefficients = np.concatenate([part[2] for part in kept])
        model = Model(kernel.remembering(), outputs)
        if len(coefficients):
            model.add(examples, coefficients)
        return {
            "solver_": "forest",
            "support_": np.concatenate(places).astype(np.intp),
            "dual_coef_": coefficients,
            "intercept_": rounds.intercept,
            "n_iter_": rounds.done,
            "objective_": rounds.objective,
            "gap_": rounds.gap,
            "_support": examples,
            "_model": model,
        }


@parameter_class
class TreeSVC(RoundMachine, LocalSVC):
    """A support vector machine on the partitions of a cluster; each class against all others.

    It solves the problem of the ordinary `treekernels.TreeSVC`, for all partitions together, by
    rounds of CoCoA+: in each round every partition improves the weights of its own examples, and
    then the changes of all are added to the model. Rounds go on until the duality gap, which the
    partitions compute exactly, is small enough. The more partitions, the more rounds it takes.

    Attributes
    ----------
    n_iter_ : int
        How many rounds it took.
    classes_, support_, support_examples_, dual_coef_, intercept_, objective_, gap_
        As for `treekernels.TreeSVC`. The places in `support_` are those in all partitions, one
        after the other.
    """

    fixed_parameters = ("probability", "epsilon")
    probability = False
    local_class = LocalSVC
    parameter_rules = rules(
        class_weight=LocalSVC.parameter_rules["class_weight"], **RoundMachine.parameter_rules
    )

    def _targets(self, y: Partitions) -> tuple[Callable[..., Shard], int, dict[str, Any]]:
        labels = ClassLabels.of(y).weighted(self.class_weight, by_output=True)
        count = len(labels.classes)
        attributes = {"classes_": labels.classes, "calibration_": None}
        return partial(class_shard, labels=labels), count if count > 2 else 1, attributes


@parameter_class
class TreeSVR(RoundMachine, LocalSVR):
    """Support vector regression on the partitions of a cluster, by the rounds of `TreeSVC`."""

    epsilon: float = 0.1

    local_class = LocalSVR
    parameter_rules = rules(
        epsilon=LocalSVR.parameter_rules["epsilon"], **RoundMachine.parameter_rules
    )

    def _targets(self, y: Partitions) -> tuple[Callable[..., Shard], int, dict[str, Any]]:
        return numeric_shard, 1, {}

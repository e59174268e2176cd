"""TreeSVC and TreeSVR on a cluster, by rounds of CoCoA+ or by one worker."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from treekernels.cluster.learning.descent_rounds import DescentRounds, Rounds
from treekernels.cluster.learning.descent_tasks import Shard, support_of
from treekernels.cluster.learning.labels import ClassLabels
from treekernels.cluster.learning.learner import ClusterLearner
from treekernels.cluster.learning.one_worker import fit_on_all, fit_together
from treekernels.cluster.learning.shards import (
    class_shard,
    columns_of_parts,
    diagonal_sums,
    examples_of,
    joined_parts,
    numeric_shard,
    weights_for,
)
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.recovery import repeat, results_of, spread
from treekernels.common.checks import choice, integer, rules
from treekernels.common.parameter_class import parameter_class
from treekernels.common.text import count_noun
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
    rounds : {"auto", "always"}, default="auto"
        "auto" learns in rounds only where it must: if all examples fit into half of the memory of
        each worker, a single one learns from all of them, which is many times faster, and says so
        if `verbose`. With a `checkpoint` there are rounds, since it is kept between them.
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
    rounds: Literal["auto", "always"] = "auto"
    max_rounds: int = 100
    local_passes: int = 5
    client: Any = None
    epsilon: Any = None  # the width of the tube in a regression

    fixed_parameters = ("solver", "max_iter")
    solver = "forest"
    max_iter = 1

    cluster_parameters = ("client", "rounds", "max_rounds", "local_passes")
    free_to_change = ("rounds", "max_rounds", "tol")

    parameter_rules = rules(
        rounds=choice("auto", "always"),
        max_rounds=integer(1),
        local_passes=integer(1),
        **SupportVectorMachine.parameter_rules,
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
        if self.rounds == "auto" and self.checkpoint is None and fit_together(examples):
            if self.verbose:
                name, count = type(self).__name__, count_noun(len(data), "example")
                print(f"{name}: one worker learns from all {count}, since they fit into its memory")
            learned = self._learned_by_one(data, y, weights_for(sample_weight, data), kernel)
            self._adopt({**learned, "input_columns_": columns_of_parts(data), **about_kernel})
            return None
        mean, length = np.sum(examples.collect(diagonal_sums, kernel), axis=0) / len(data)
        columns = [examples, y, weights_for(sample_weight, data)]
        shards = joined_parts(make_shard, columns, self._penalty_for(float(length)))
        shards = Partitions(shards.client, shards.parts, data.lengths)
        if not any(shards.collect(lambda shard: bool(shard.bound.any()))):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        checkpoint = self.open_checkpoint(shards)
        seed = int(check_random_state(self.random_state).randint(2**31))
        descent = DescentRounds(self, shards, kernel, outputs, float(mean), seed, checkpoint)
        rounds, interrupted = descent.solve()
        fitted = self._fitted(rounds, shards, kernel, outputs)
        self._adopt(
            {**fitted, "input_columns_": columns_of_parts(data), **attributes, **about_kernel}
        )
        if interrupted:
            raise KeyboardInterrupt
        return checkpoint

    def _learned_by_one(
        self, data: Partitions, y: Partitions, weights: Partitions | None, kernel: Kernel
    ) -> dict[str, Any]:
        """Return what the ordinary machine learns on one worker, which gets all parts."""
        client = data.client
        machine = self.local_class(**self.local_parameters())
        machine.set_params(kernel=kernel, verbose=False, n_jobs=None)
        columns = [data, y] if weights is None else [data, y, weights]

        def attempt() -> Any:
            futures = [column.futures for column in columns]
            return results_of(client, [client.submit(fit_on_all, machine, *futures, pure=False)])[0]

        learned = repeat(client, attempt, [part for column in columns for part in column.parts])
        parameters = machine.get_params(deep=False)
        return {name: value for name, value in vars(learned).items() if name not in parameters}

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
    Examples that all fit into the memory of one worker are learned from there, without rounds.

    Attributes
    ----------
    n_iter_ : int
        How many rounds it took, or how many epochs on one worker.
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

"""TreeSVC and TreeSVR on a cluster, by rounds of CoCoA+."""

from __future__ import annotations

import hashlib
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from treekernels.cluster.descent_rounds import DescentRounds, RoundOptions, Rounds, support_of
from treekernels.cluster.estimator import ClusterLearner
from treekernels.cluster.partitions import Partitions, partitions
from treekernels.cluster.shards import (
    ClassTargets,
    columns_of_parts,
    diagonal_sum,
    examples_of,
    joined_parts,
    numeric_shard,
    refuse_unfitted,
    weights_for,
)
from treekernels.cluster.targets import Labels, paired
from treekernels.cluster.waiting import repeat, results_of
from treekernels.common.checks import integer, rules
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.expression import as_kernel
from treekernels.learners import TreeSVC as LocalSVC
from treekernels.learners import TreeSVR as LocalSVR
from treekernels.learners.checkpoints import Checkpoint, parameter_digest
from treekernels.learners.examples import Examples
from treekernels.learners.model import Model
from treekernels.learners.model_owner import changes_model
from treekernels.learners.svm import SupportVectorMachine

__all__ = ["TreeSVC", "TreeSVR"]

_FREE_TO_CHANGE = ("checkpoint", "n_jobs", "verbose", "max_rounds", "tol", "client")


class _Fit(NamedTuple):
    """The attributes of a fitted learner, whether Ctrl-C was pressed, and what to remove."""

    fitted: dict[str, Any]
    interrupted: bool
    checkpoint: Checkpoint | None


class RoundMachine(ClusterLearner, SupportVectorMachine):
    """A support vector machine that is fitted by rounds over partitions."""

    max_rounds: int
    local_passes: int
    solver = "forest"
    max_iter = 1
    cluster_parameters = ("client", "max_rounds", "local_passes")

    parameter_rules = rules(
        max_rounds=integer(1), local_passes=integer(1), **SupportVectorMachine.parameter_rules
    )

    def _checked_kernel(self) -> Kernel:
        kernel = as_kernel(self.kernel)
        refuse_unfitted(kernel)
        inseparable = [term.kernel for term in kernel.summands() if term.kernel.needs_gram]
        if inseparable:
            raise ParameterError(
                f"{inseparable[0]!r} cannot be taken apart, and so not be learned part by part: "
                "use the ordinary learner with solver='gram', or another kernel"
            )
        return kernel

    def _partitioned(self, X: Any) -> Partitions:
        return partitions(X, client=None if isinstance(X, Partitions) else self.connected_client())

    def _fit_rounds(
        self,
        data: Partitions,
        kernel: Kernel,
        make_shard: Any,
        columns: list[Any],
        outputs: int,
        epsilon: float | None,
    ) -> _Fit:
        """Solve the problem, and make an ordinary model of the solution."""
        count = len(data)
        if not count:
            raise DataError("there are no examples to learn from")
        examples = data.map(examples_of, kernel, same_length=True)
        mean = sum(examples.collect(diagonal_sum, kernel)) / count
        if self.C == "auto" and not 0 < mean < np.inf:
            raise DataError(f"C='auto' is one over the mean of K(x, x), which is {mean:g} here")
        penalty = 1 / mean if self.C == "auto" else float(self.C)
        shards = joined_parts(make_shard, [examples, *columns], penalty)
        shards = Partitions(shards.client, shards.parts, data.lengths)
        if not any(shards.collect(_has_weight)):
            raise DataError("all weights of the examples are zero: there is nothing to learn from")
        options = RoundOptions(
            type(self).__name__,
            *(self.tol, self.max_rounds, self.local_passes, self.cache_size),
            seed=int(check_random_state(self.random_state).randint(2**31)),
            verbose=bool(self.verbose),
        )
        checkpoint = self._checkpoint_of(shards)
        descent = DescentRounds(
            shards, kernel, epsilon, bool(self.fit_intercept), mean, outputs, options, checkpoint
        )
        rounds, interrupted = descent.solve()
        fitted = self._machine_of(rounds, shards, kernel, outputs)
        fitted["input_columns_"] = columns_of_parts(data)
        return _Fit(fitted, interrupted, checkpoint)

    def _machine_of(
        self, rounds: Rounds, shards: Partitions, kernel: Kernel, outputs: int
    ) -> dict[str, Any]:
        """Bring the support examples here, and make an ordinary model of them."""
        client = shards.client

        def attempt() -> list[Any]:
            beta = client.scatter(rounds.beta, hash=False)
            futures = [
                client.submit(support_of, *pair, pure=False)
                for pair in zip(shards.futures, beta, strict=True)
            ]
            return results_of(client, futures)

        found = repeat(attempt, shards.parts)
        offsets = np.cumsum([0, *shards.lengths[:-1]])
        places = [own[0] + offset for own, offset in zip(found, offsets, strict=True)]
        kept = [own for own in found if len(own[0])] or found[:1]
        examples = Examples.concatenate([own[1] for own in kept])
        coefficients = np.concatenate([own[2] for own in kept])
        model = Model(kernel, outputs)
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

    def _finish(self, fit: _Fit, more: dict[str, Any]) -> None:
        self._adopt({**fit.fitted, **more})
        if fit.interrupted:
            raise KeyboardInterrupt
        if fit.checkpoint is not None:
            fit.checkpoint.remove()

    def _checkpoint_of(self, shards: Partitions) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        parameters = self.get_params()
        for name in _FREE_TO_CHANGE:
            parameters.pop(name)
        digest = hashlib.sha256("\n".join(shards.collect(_digest)).encode()).hexdigest()
        name = f"{type(self).__name__} on a cluster"
        checkpoint = Checkpoint(self.checkpoint, name, parameter_digest(parameters), digest)
        checkpoint.read()
        return checkpoint


class TreeSVC(RoundMachine, LocalSVC):
    """A support vector machine on the partitions of a cluster; each class against all others.

    It solves the problem of the ordinary `treekernels.TreeSVC`, for all partitions together, by
    rounds of CoCoA+: in each round every partition improves the weights of its own examples, and
    then the changes of all are added to the model. Rounds go on until the duality gap, which the
    partitions compute exactly, is small enough. The more partitions, the more rounds it takes.

    Parameters
    ----------
    kernel, C, class_weight, fit_intercept, cache_size, random_state, n_jobs, verbose
        As for `treekernels.TreeSVC`. The cache is that of each task on a worker.
    tol : float, default=0.01
        Stop when the duality gap, over all classes, has fallen to this fraction of the objective.
        Predictions seldom change any more below 0.1.
    max_rounds : int, default=100
        The largest number of rounds.
    local_passes : int, default=5
        How many times a partition goes through its examples in a round.
    checkpoint : path, optional
        A file in which `fit` saves its state after each round, and from which it resumes. It is
        removed at the end.
    client : distributed.Client, optional
        By default the one in use.

    Attributes
    ----------
    n_iter_ : int
        How many rounds it took.
    classes_, support_, support_examples_, dual_coef_, intercept_, objective_, gap_
        As for `treekernels.TreeSVC`. The places in `support_` are those in all partitions, one
        after the other.
    """

    local_class = LocalSVC
    probability = False
    parameter_rules = rules(
        class_weight=LocalSVC.parameter_rules["class_weight"], **RoundMachine.parameter_rules
    )

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        C: float | Literal["auto"] = 10.0,
        tol: float = 1e-2,
        max_rounds: int = 100,
        local_passes: int = 5,
        class_weight: Any = None,
        fit_intercept: bool = True,
        cache_size: float = 128,
        random_state: Any = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        client: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.tol = tol
        self.max_rounds = max_rounds
        self.local_passes = local_passes
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.cache_size = cache_size
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.client = client

    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeSVC:
        """Find the support examples.

        Parameters
        ----------
        X : Partitions, or anything that `partitions` takes
        y : Partitions, Dask collection or array of labels
        sample_weight : Partitions, Dask collection or array, optional
            Factors for the C of each example.

        Returns
        -------
        self
        """
        self._check_parameters()
        kernel = self._checked_kernel()
        data = self._partitioned(X)
        y = paired(y, data)
        targets = ClassTargets.of(Labels(y), self.class_weight)
        outputs = len(targets.classes) if len(targets.classes) > 2 else 1
        columns = [y, weights_for(sample_weight, data)]
        fit = self._fit_rounds(data, kernel, targets.shard, columns, outputs, None)
        self._finish(fit, {"classes_": targets.classes, "calibration_": None})
        return self


class TreeSVR(RoundMachine, LocalSVR):
    """Support vector regression on the partitions of a cluster.

    Parameters
    ----------
    kernel, C, epsilon, fit_intercept, cache_size, random_state, n_jobs, verbose
        As for `treekernels.TreeSVR`.
    tol, max_rounds, local_passes, checkpoint, client
        As for `TreeSVC` of this module.
    """

    local_class = LocalSVR
    parameter_rules = rules(
        epsilon=LocalSVR.parameter_rules["epsilon"], **RoundMachine.parameter_rules
    )

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        *,
        C: float | Literal["auto"] = 1.0,
        epsilon: float = 0.1,
        tol: float = 1e-2,
        max_rounds: int = 100,
        local_passes: int = 5,
        fit_intercept: bool = True,
        cache_size: float = 128,
        random_state: Any = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        verbose: bool = False,
        client: Any = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.tol = tol
        self.max_rounds = max_rounds
        self.local_passes = local_passes
        self.fit_intercept = fit_intercept
        self.cache_size = cache_size
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.client = client

    @changes_model
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeSVR:
        """Find the support examples.

        Parameters
        ----------
        X : Partitions, or anything that `partitions` takes
        y : Partitions, Dask collection or array of float
        sample_weight : Partitions, Dask collection or array, optional
            Factors for the C of each example.

        Returns
        -------
        self
        """
        self._check_parameters()
        kernel = self._checked_kernel()
        data = self._partitioned(X)
        columns = [paired(y, data), weights_for(sample_weight, data)]
        fit = self._fit_rounds(data, kernel, numeric_shard, columns, 1, float(self.epsilon))
        self._finish(fit, {})
        return self


def _has_weight(shard: Any) -> bool:
    return bool(shard.bound.any())


def _digest(shard: Any) -> str:
    digest: str = shard.digest
    return digest

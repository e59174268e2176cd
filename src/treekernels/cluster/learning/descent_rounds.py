"""DescentRounds: support vector machines by CoCoA+, a distributed dual coordinate descent.

In each round all shards improve their own coefficients at once, each against the model of all (Ma,
Smith, Jaggi, Jordan, Richtárik and Takáč 2015). A shard takes its changes as many times as large
as there are shards; so the sum of what they do is never worse than nothing. The intercept asks for
coefficients that sum to zero. It is found by the method of multipliers, as on one computer: a
constant in the kernel punishes the sum, and the multipliers take over what it holds back.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.learning.descent_tasks import (
    ShardStep,
    descend,
    gram_of_shard,
    score_shard,
)
from treekernels.cluster.learning.intercepts import (
    Cell,
    Sums,
    best_intercept,
    cell_of,
    extent,
    grid_of,
    losses_of,
    sums_of,
)
from treekernels.cluster.learning.learner import add_models, sum_of_models
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.recovery import repeat, results_of, send, spread
from treekernels.common.progress import describe, progress_bar
from treekernels.kernels import Kernel
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.models.model import Model, ModelSnapshot
from treekernels.learners.svm.descent import GapProgress

Matrix = NDArray[np.float64]

_CONSTANT = 0.1  # what is added to the kernel, as a part of the mean of its diagonal


@dataclass(frozen=True)
class Rounds:
    """How far the rounds have got."""

    model: ModelSnapshot  # the sum of all examples with their coefficients
    beta: list[Matrix]  # the coefficients, one array for each shard
    multipliers: Matrix  # one for each output
    done: int = 0  # how many rounds
    intercept: Matrix | None = None  # one for each output, once the scores were looked at
    objective: float = np.inf
    gap: float = np.inf


class RoundParameters(Protocol):
    """The parameters of a machine that the rounds look at, as `TreeSVC` describes them."""

    epsilon: Any  # the width of the tube in a regression; None for classification
    fit_intercept: bool
    tol: float
    max_rounds: int
    local_passes: int
    cache_size: float
    verbose: bool


@dataclass
class DescentRounds:
    """Rounds until the duality gap of the whole problem is small."""

    machine: RoundParameters
    shards: Partitions  # of `Shard`
    kernel: Kernel
    outputs: int
    mean_norm: float  # the mean of K(x, x) over all examples
    seed: int
    checkpoint: Checkpoint | None = None
    grams: Partitions = field(init=False)

    def solve(self) -> tuple[Rounds, bool]:
        """Return the last round, and whether Ctrl-C ended it; then it is the last whole one."""
        self.grams = self.shards.map(gram_of_shard, self.kernel, self.machine.cache_size)
        rounds = self._resumed() or self._beginning()
        last: Rounds | None = None
        interrupted = False
        with progress_bar(type(self.machine).__name__, verbose=bool(self.machine.verbose)) as bar:
            progress = None if bar is None else GapProgress(bar, self.machine.tol)
            try:
                while True:
                    last, following = repeat(
                        self.shards.client,
                        partial(self._round, rounds),
                        [*self.shards.parts, *self.grams.parts],
                    )
                    part = last.gap / max(last.objective, 1e-300)
                    describe(bar, f"round {last.done}, gap {part:.2g} of the objective")
                    if progress is not None:
                        progress.look(part, last.done)
                    if following is None:
                        break
                    if self.checkpoint is not None:
                        self._save(self.checkpoint, following)
                    rounds = following
            except KeyboardInterrupt:
                if last is None or last.done == 0:
                    raise
                interrupted = True
        if not interrupted and last.gap > self.machine.tol * last.objective:
            self._warn(last)
        return last, interrupted

    def _beginning(self) -> Rounds:
        lengths = self.shards.collect(len)
        beta = [np.zeros((count, self.outputs)) for count in lengths]
        return Rounds(Model(self.kernel, self.outputs).snapshot(), beta, np.zeros(self.outputs))

    def _round(self, rounds: Rounds) -> tuple[Rounds, Rounds | None]:
        """Look at the gap; unless it is small enough, also return where the next round gets to."""
        client = self.shards.client
        model = send(client, rounds.model)
        beta = spread(client, rounds.beta)
        shards = self.shards.futures
        scores = [client.submit(score_shard, shard, model, pure=False) for shard in shards]
        pairs = list(zip(shards, scores, strict=True))
        triples = zip(shards, scores, beta, strict=True)
        sums = self._on_each(sums_of, triples, self.machine.epsilon)
        intercept = self._intercept(pairs, sums)
        losses = self._on_each(losses_of, pairs, intercept, self.machine.epsilon)
        looked, imbalance = self._looked(rounds, sums, intercept, losses)
        if looked.gap <= self.machine.tol * looked.objective:
            return looked, None
        if looked.done >= self.machine.max_rounds:
            return looked, None
        multipliers, constant = rounds.multipliers, 0.0
        if self.machine.fit_intercept:
            constant = _CONSTANT * self.mean_norm
            if rounds.done:
                multipliers = multipliers + constant * imbalance
        step = self._step(constant, multipliers + constant * imbalance)
        inputs = zip(shards, self.grams.futures, scores, beta, strict=True)
        steps = [
            client.submit(descend, *parts, step, self._seed(rounds.done, place), pure=False)
            for place, parts in enumerate(inputs)
        ]
        new_beta = [client.submit(operator.itemgetter(0), done, pure=False) for done in steps]
        changes = [client.submit(operator.itemgetter(1), done, pure=False) for done in steps]
        total = sum_of_models(client, changes)
        if not step.whole:
            total = client.submit(add_models, model, total, pure=False)
        *betas, snapshot = results_of(client, [*new_beta, total])
        return looked, Rounds(snapshot, betas, multipliers, rounds.done + 1)

    def _step(self, constant: float, level: Matrix) -> ShardStep:
        busy = max(1, sum(count > 0 for count in self.shards.lengths))
        whole = any(term.kernel.learned_as == "support" for term in self.kernel.summands())
        options = (busy, self.machine.local_passes, constant, level, self.machine.cache_size, whole)
        return ShardStep(self.kernel, self.machine.epsilon, *options)

    def _seed(self, done: int, place: int) -> int:
        sequence = np.random.SeedSequence([self.seed, done, place])
        return int(sequence.generate_state(1)[0])

    def _on_each(self, function: Any, inputs: Iterable[Any], *args: Any) -> list[Any]:
        """Return what a function makes of each shard, its scores and whatever goes with them."""
        client = self.shards.client
        futures = [client.submit(function, *parts, *args, pure=False) for parts in inputs]
        return results_of(client, futures)

    def _intercept(self, pairs: list[Any], sums: list[Sums]) -> Matrix:
        """Return the intercepts for which the loss over all shards is smallest."""
        if not self.machine.fit_intercept:
            return np.zeros(self.outputs)
        bounds = extent(sums)
        slopes = np.sum(self._on_each(grid_of, pairs, bounds, self.machine.epsilon), axis=0)
        weight = np.sum([part.weight for part in sums], axis=0)
        cells = self._on_each(cell_of, pairs, bounds, slopes, weight, self.machine.epsilon)
        joined = [Cell.joined([part[k] for part in cells]) for k in range(self.outputs)]
        return np.array([best_intercept(cell, weight[k]) for k, cell in enumerate(joined)])

    def _looked(
        self, rounds: Rounds, sums: list[Sums], intercept: Matrix, losses: list[Matrix]
    ) -> tuple[Rounds, Matrix]:
        """Return the objectives of the whole problem, and the sums of the coefficients."""
        square = np.sum([part.square for part in sums], axis=0)
        linear = np.sum([part.linear for part in sums], axis=0)
        imbalance = np.sum([part.coefficients for part in sums], axis=0)
        primal, dual = square / 2 + np.sum(losses, axis=0), linear - square / 2
        left_open = np.zeros(self.outputs)
        if (
            self.machine.fit_intercept
        ):  # the best intercept is about as far away as the targets reach
            highest = np.max([part.highest for part in sums], axis=0)
            lowest = np.min([part.lowest for part in sums], axis=0)
            left_open = np.abs(imbalance) * (np.abs(intercept) + (highest - lowest) / 2)
        gap = float((primal - dual + left_open).sum())
        objective = float(primal.sum())
        return replace(rounds, intercept=intercept, objective=objective, gap=gap), imbalance

    def _warn(self, rounds: Rounds) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{type(self.machine).__name__} stopped after max_rounds={self.machine.max_rounds} "
            f"rounds with a duality gap of {rounds.gap:.3g} (objective {rounds.objective:.3g}): "
            "use a larger max_rounds or tol, a smaller C, or fewer partitions",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _save(self, checkpoint: Checkpoint, rounds: Rounds) -> None:
        checkpoint.write(
            {
                "seed": self.seed,
                "model": rounds.model.state,
                "beta": list(rounds.beta),
                "multipliers": rounds.multipliers,
                "done": rounds.done,
            }
        )

    def _resumed(self) -> Rounds | None:
        state = None if self.checkpoint is None else self.checkpoint.read()
        if state is None:
            return None
        self.seed = int(state["seed"])
        model = Model(self.kernel, self.outputs)
        model.restore(state["model"])
        beta = [np.asarray(part, np.float64) for part in state["beta"]]
        return Rounds(model.snapshot(), beta, state["multipliers"], int(state["done"]))

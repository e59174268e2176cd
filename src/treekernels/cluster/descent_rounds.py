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
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treekernels.cluster.descent_tasks import (
    Shard,
    ShardStep,
    descend,
    gram_of_shard,
    score_shard,
)
from treekernels.cluster.intercepts import (
    Cell,
    Sums,
    best_intercept,
    cell_of,
    extent,
    grid_of,
    losses_of,
    sums_of,
)
from treekernels.cluster.merging import add_models, sum_of_models
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.waiting import repeat, results_of, send, spread
from treekernels.common.progress import describe, progress_bar
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel
from treekernels.learners.base.checkpoints import Checkpoint
from treekernels.learners.models.model import Model, ModelSnapshot
from treekernels.learners.svm.descent import GapProgress

__all__ = ["DescentRounds", "RoundOptions", "Rounds", "support_of"]

Matrix = NDArray[np.float64]

_CONSTANT = 0.1  # what is added to the kernel, as a part of the mean of its diagonal


@dataclass(frozen=True)
class RoundOptions:
    """How to go about it."""

    title: str
    tol: float
    max_rounds: int
    passes: int
    cache_size: float
    seed: int
    verbose: bool


@dataclass(frozen=True)
class Rounds:
    """How far the rounds have got.

    Attributes
    ----------
    model : ModelSnapshot
        The sum of all examples with their coefficients.
    beta : list of arrays
        The coefficients, one array for each shard.
    multipliers : array of shape (outputs,)
    done : int
        How many rounds.
    intercept : array of shape (outputs,), or None if nothing was looked at yet
    objective, gap : float
    """

    model: ModelSnapshot
    beta: list[Matrix]
    multipliers: Matrix
    done: int = 0
    intercept: Matrix | None = None
    objective: float = np.inf
    gap: float = np.inf


@dataclass
class DescentRounds:
    """Rounds until the duality gap of the whole problem is small.

    Attributes
    ----------
    shards : Partitions of Shard
    kernel : Kernel
    epsilon : float or None
        The width of the tube in a regression; None for classification.
    fit_intercept : bool
    mean_norm : float
        The mean of K(x, x) over all examples.
    outputs : int
    options : RoundOptions
    checkpoint : Checkpoint, optional
    """

    shards: Partitions
    kernel: Kernel
    epsilon: float | None
    fit_intercept: bool
    mean_norm: float
    outputs: int
    options: RoundOptions
    checkpoint: Checkpoint | None = None
    grams: Partitions = field(init=False)

    def solve(self) -> tuple[Rounds, bool]:
        """Return the last round, and whether Ctrl-C ended it; then it is the last whole one."""
        self.grams = self.shards.map(gram_of_shard, self.kernel, self.options.cache_size)
        rounds = self._resumed() or self._beginning()
        last: Rounds | None = None
        interrupted = False
        with progress_bar(self.options.title, verbose=self.options.verbose) as bar:
            progress = None if bar is None else GapProgress(bar, self.options.tol)
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
        if not interrupted and last.gap > self.options.tol * last.objective:
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
        sums = self._of_all(
            [
                client.submit(sums_of, *pair, own, self.epsilon, pure=False)
                for pair, own in zip(pairs, beta, strict=True)
            ]
        )
        intercept = self._intercept(pairs, sums)
        losses = self._on_each(losses_of, pairs, intercept, self.epsilon)
        looked, imbalance = self._looked(rounds, sums, intercept, losses)
        if looked.gap <= self.options.tol * looked.objective:
            return looked, None
        if looked.done >= self.options.max_rounds:
            return looked, None
        multipliers, constant = rounds.multipliers, 0.0
        if self.fit_intercept:
            constant = _CONSTANT * self.mean_norm
            if rounds.done:
                multipliers = multipliers + constant * imbalance
        step = self._step(constant, multipliers + constant * imbalance)
        steps = [
            client.submit(
                descend,
                *(shard, gram, score, own, step),
                self._seed(rounds.done, place),
                pure=False,
            )
            for place, (shard, gram, score, own) in enumerate(
                zip(shards, self.grams.futures, scores, beta, strict=True)
            )
        ]
        new_beta = [client.submit(operator.itemgetter(0), done, pure=False) for done in steps]
        changes = [client.submit(operator.itemgetter(1), done, pure=False) for done in steps]
        total = sum_of_models(client, changes)
        if not step.whole:
            total = client.submit(add_models, model, total, pure=False)
        *betas, snapshot = self._of_all([*new_beta, total])
        return looked, Rounds(snapshot, betas, multipliers, rounds.done + 1)

    def _step(self, constant: float, level: Matrix) -> ShardStep:
        busy = max(1, sum(count > 0 for count in self.shards.lengths))
        terms: list[Any] = self.kernel.summands()
        return ShardStep(
            self.kernel,
            self.epsilon,
            busy,
            self.options.passes,
            constant,
            level,
            self.options.cache_size,
            whole=any(term.kernel.learned_as == "support" for term in terms),
        )

    def _seed(self, done: int, place: int) -> int:
        sequence = np.random.SeedSequence([self.options.seed, done, place])
        return int(sequence.generate_state(1)[0])

    def _of_all(self, futures: list[Any]) -> list[Any]:
        return results_of(self.shards.client, futures)

    def _on_each(self, function: Any, pairs: list[Any], *args: Any) -> list[Any]:
        client = self.shards.client
        return self._of_all([client.submit(function, *pair, *args, pure=False) for pair in pairs])

    def _intercept(self, pairs: list[Any], sums: list[Sums]) -> Matrix:
        """Return the intercepts for which the loss over all shards is smallest."""
        if not self.fit_intercept:
            return np.zeros(self.outputs)
        bounds = extent(sums)
        slopes = np.sum(self._on_each(grid_of, pairs, bounds, self.epsilon), axis=0)
        weight = np.sum([part.weight for part in sums], axis=0)
        cells = self._on_each(cell_of, pairs, bounds, slopes, weight, self.epsilon)
        joined = [Cell.joined([own[k] for own in cells]) for k in range(self.outputs)]
        return np.array(
            [best_intercept(cell, own) for cell, own in zip(joined, weight, strict=True)]
        )

    def _looked(
        self, rounds: Rounds, sums: list[Sums], intercept: Matrix, losses: list[Matrix]
    ) -> tuple[Rounds, Matrix]:
        """Return the objectives of the whole problem, and the sums of the coefficients."""
        square = np.sum([part.square for part in sums], axis=0)
        linear = np.sum([part.linear for part in sums], axis=0)
        imbalance = np.sum([part.coefficients for part in sums], axis=0)
        primal, dual = square / 2 + np.sum(losses, axis=0), linear - square / 2
        left_open = np.zeros(self.outputs)
        if self.fit_intercept:  # the best intercept is about as far away as the targets reach
            highest = np.max([part.highest for part in sums], axis=0)
            lowest = np.min([part.lowest for part in sums], axis=0)
            left_open = np.abs(imbalance) * (np.abs(intercept) + (highest - lowest) / 2)
        gap = float((primal - dual + left_open).sum())
        objective = float(primal.sum())
        return replace(rounds, intercept=intercept, objective=objective, gap=gap), imbalance

    def _warn(self, rounds: Rounds) -> None:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"{self.options.title} stopped after max_rounds={self.options.max_rounds} rounds with "
            f"a duality gap of {rounds.gap:.3g} (objective {rounds.objective:.3g}): use a larger "
            "max_rounds or tol, a smaller C, or fewer partitions",
            ConvergenceWarning,
            stacklevel=2,
        )

    def _save(self, checkpoint: Checkpoint, rounds: Rounds) -> None:
        checkpoint.write(
            {
                "seed": self.options.seed,
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
        self.options = replace(self.options, seed=int(state["seed"]))
        model = Model(self.kernel, self.outputs)
        model.restore(state["model"])
        beta = [np.asarray(own, np.float64) for own in state["beta"]]
        return Rounds(model.snapshot(), beta, state["multipliers"], int(state["done"]))


def support_of(shard: Shard, beta: Matrix) -> tuple[NDArray[np.intp], Examples, Matrix]:
    """Return the places, examples and coefficients of a shard that are not zero."""
    used = np.flatnonzero(beta.any(axis=1))
    return used, shard.examples.take(used), beta[used]

"""What workers do for a support vector machine: one shard against the model of all shards.

Every function here depends on its arguments alone, so that a lost worker's part can be done again
elsewhere with the same result.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treekernels import _native
from treekernels.common.native_errors import translate_native_errors
from treekernels.data.examples import Examples
from treekernels.kernels import Kernel
from treekernels.kernels.base.matrices import Run
from treekernels.learners.models.model import Model, ModelSnapshot

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Shard:
    """The examples of a partition, and what is to be learned from them as in `DualProblem`."""

    examples: Examples
    target: Matrix  # of shape (examples, outputs)
    bound: Matrix

    def __len__(self) -> int:
        return len(self.target)

    def digest(self) -> str:
        """Return a text that is another one for other examples, targets or bounds."""
        examples = self.examples.digest(self.target)
        return f"{examples} {hashlib.sha256(self.bound.tobytes()).hexdigest()}"


@dataclass(frozen=True)
class ShardStep:
    """How the shards of a round improve their coefficients, the same for all of them."""

    kernel: Kernel
    epsilon: float | None  # the width of the tube in a regression; None for classification
    # How many shards change their coefficients at once. Each takes its own changes that many times
    # as large as they are, so that all of them together never overshoot.
    shards: int
    passes: int  # how many times each goes through its examples
    constant: float  # added to the kernel, so that coefficients must sum to zero, or cost something
    # What is added to the scores of each output: the multipliers of the intercepts, and the
    # constant times the sums of all coefficients.
    level: Matrix
    cache_size: float  # megabytes for comparisons that are kept
    # Whether a shard returns all of its model, and not what has changed: for kernels whose models
    # are lists of examples, which would grow from round to round.
    whole: bool


def _model_of(kernel: Kernel, examples: Examples, coefficients: Matrix) -> ModelSnapshot:
    """Return the model of some examples with their coefficients."""
    model = Model(kernel, coefficients.shape[1])
    used = np.flatnonzero(coefficients.any(axis=1))
    if len(used):
        model.add(examples.take(used), coefficients[used])
    return model.snapshot()


def support_of(shard: Shard, beta: Matrix) -> tuple[NDArray[np.intp], Examples, Matrix]:
    """Return the places, examples and coefficients of a shard that are not zero."""
    used = np.flatnonzero(beta.any(axis=1))
    return used, shard.examples.take(used), beta[used]


def score_shard(shard: Shard, snapshot: ModelSnapshot) -> Matrix:
    """Return what the examples score against a model, without the intercepts."""
    if not len(shard):
        return np.zeros((0, snapshot.n_outputs))
    return snapshot.restored().score(shard.examples, Run(1))


def gram_of_shard(shard: Shard, kernel: Kernel, cache_size: float) -> NDArray[np.float32] | None:
    """Return the Gram matrix of the examples if there is room for it, which makes steps fast."""
    if not len(shard) or 4 * len(shard) ** 2 > cache_size * 2**20:
        return None
    gram: NDArray[np.float32] = kernel(shard.examples, dtype=np.float32, n_jobs=1)
    return gram


def descend(
    shard: Shard,
    gram: NDArray[np.float32] | None,
    scores: Matrix,
    beta: Matrix,
    step: ShardStep,
    seed: int,
) -> tuple[Matrix, ModelSnapshot]:
    """Improve the coefficients of a shard while those of all others stay as they are.

    `scores` are those of the examples against the model of all shards, and `beta` their
    coefficients in it. The seed determines the order in which examples are visited.

    Returns the new coefficients, and what to add to the model of all shards: what has changed, or
    all that this shard adds if `step.whole`.
    """
    outputs = shard.target.shape[1]
    if not len(shard):
        return beta, Model(step.kernel, outputs).snapshot()
    with translate_native_errors():
        known = _native.KnownScoresSummand(
            np.ascontiguousarray(scores + step.level), step.shards * step.constant
        )
        svm = _native.Svm(
            [*_summands(shard, gram, step), known],
            np.array(shard.target),
            np.array(shard.bound),
            step.epsilon is not None,
            step.epsilon or 0.0,
            False,  # the intercept is in the scores and in the constant
            seed,
            1,
        )
        svm.start_at(np.array(beta))
        for _ in range(step.passes):
            if svm.epoch() == 0:
                break
        new = svm.beta().reshape(shard.target.shape)
    return new, _model_of(step.kernel, shard.examples, new if step.whole else new - beta)


def _summands(
    shard: Shard, gram: NDArray[np.float32] | None, step: ShardStep
) -> list[_native.Summand]:
    outputs = shard.target.shape[1]
    if gram is not None:
        scaled = np.float32(step.shards) * gram
        return [_native.FloatMatrixSummand(scaled, np.zeros(shard.target.shape))]
    cache = int(step.cache_size * 2**20) // 3
    return [
        term.kernel.native_summand(shard.examples, step.shards * term.weight, outputs, cache)
        for term in step.kernel.summands()
    ]

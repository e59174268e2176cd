"""Slow, obvious versions of the learners, on a Gram matrix, to test the fast ones against.

Every model is a list of coefficients, one for each example and class, and every score a sum over
all examples.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["OnlineOracle", "hangs_on_rounding", "machine_objective", "projected_gradient"]

Matrix = NDArray[np.float64]


@dataclass
class OnlineOracle:
    """The perceptron (`rule` "perceptron"), PA-I ("hinge") and PA-II ("squared_hinge").

    After `learn`, `models` has the coefficients after each example seen, and `loss` the sum of what
    was lost. `doubtful` becomes true when a decision hangs on the rounding of numbers: then another
    way of adding them up may rightly decide otherwise.
    """

    rule: str
    classes: int
    C: float = 1.0
    models: list[Matrix] = field(default_factory=list)
    updates: int = 0
    loss: float = 0.0
    doubtful: bool = False

    def learn(self, gram: Matrix, labels: Any, order: Any, weights: Any = None) -> OnlineOracle:
        """Go through the examples in the order given, but for those of weight 0."""
        columns = 1 if self.classes == 2 else self.classes
        alphas = np.zeros((len(gram), columns))
        weights = np.ones(len(gram)) if weights is None else weights
        for i in [i for i in order if weights[i] > 0]:
            scores, sizes = gram[i] @ alphas, np.abs(gram[i]) @ np.abs(alphas)
            direction = np.zeros(columns)
            if self.classes == 2:
                direction[0] = 1 if labels[i] == 1 else -1
            else:
                others = [k for k in range(columns) if k != labels[i]]
                self.doubtful |= hangs_on_rounding(scores[others], sizes[others])
                rival = max(others, key=lambda k: scores[k])
                direction[labels[i]], direction[rival] = 1, -1
            if self.rule == "perceptron":
                margin = np.array([scores @ direction])
                self.doubtful |= hangs_on_rounding(np.abs(margin), sizes.max(keepdims=True))
            square = gram[i, i] * (direction @ direction)
            step = self._step(scores @ direction, square, weights[i])
            alphas[i] += step * direction
            self.updates += step > 0
            self.models.append(alphas.copy())
        return self

    def _step(self, margin: float, square: float, weight: float) -> float:
        if self.rule == "perceptron":
            self.loss += margin <= 0
            return weight * float(margin <= 0)
        missing = max(0.0, 1 - margin)
        self.loss += missing
        if square == 0:
            return 0.0
        if self.rule == "hinge":
            return min(self.C * weight, missing / square)
        return missing / (square + 1 / (2 * self.C * weight))

    def scores(self, gram: Matrix, average: str | None) -> tuple[Matrix, Matrix]:
        """Return the scores of examples, whose kernel with those learned from is `gram`.

        With them, by how much votes may rightly differ, since they hang on rounding.
        """
        doubts = np.zeros(len(gram))
        if average is None:
            scores = gram @ self.models[-1]
        elif average == "mean":
            scores = gram @ np.mean(self.models, axis=0)
        else:
            counted = [self._votes(gram, model) for model in self.models]
            scores = np.mean([votes for votes, _ in counted], axis=0)
            doubts = np.mean([doubt for _, doubt in counted], axis=0)
        if self.classes == 2:
            return scores[:, 0], 2 * doubts
        return scores, doubts[:, None]

    @staticmethod
    def _votes(gram: Matrix, model: Matrix) -> tuple[Matrix, Matrix]:
        scores, sizes = gram @ model, np.abs(gram) @ np.abs(model)
        pairs = zip(scores, sizes, strict=True)
        doubts = np.array([hangs_on_rounding(first, size) for first, size in pairs])
        if scores.shape[1] == 1:
            return np.array(np.sign(scores)), doubts
        return np.array(np.eye(scores.shape[1])[scores.argmax(axis=1)]), doubts


def hangs_on_rounding(scores: Matrix, sizes: Matrix) -> bool:
    """Whether the two highest scores, or a single one and 0, are equal but for rounding.

    `sizes` has the sums of absolute values; a sum of nothing is exact.
    """
    if len(scores) == 1:
        scores, sizes = np.append(scores, 0), np.append(sizes, 0)
    *_, second, first = np.argsort(scores, kind="stable")
    size = max(sizes[first], sizes[second])
    return bool(size > 0 and scores[first] - scores[second] <= 1e-9 * size)


def machine_objective(
    gram: Matrix, target: Matrix, bound: Matrix, beta: Matrix, bias: float
) -> float:
    """Return what a support vector classifier minimises, for targets of -1 and 1."""
    scores = gram @ beta + bias
    return float(beta @ gram @ beta / 2 + bound @ np.maximum(0, 1 - target * scores))


def projected_gradient(gram: Matrix, target: Matrix, bound: Matrix, steps: int = 20_000) -> Matrix:
    """Solve the dual of a support vector classifier without intercept; give its coefficients.

    Maximises ``target @ beta - beta @ gram @ beta / 2`` where ``0 <= target * beta <= bound``, by
    gradient steps that are put back into the box, with Nesterov's momentum.
    """
    alpha = ahead = np.zeros(len(gram))
    signed = gram * target[:, None] * target
    length = 1 / np.linalg.eigvalsh(signed).max()
    for step in range(steps):
        moved = np.clip(ahead + length * (1 - signed @ ahead), 0, bound)
        ahead = moved + step / (step + 3) * (moved - alpha)
        alpha = moved
    result: Matrix = alpha * target
    return result

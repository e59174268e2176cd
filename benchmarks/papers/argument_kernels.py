"""The kernels that Moschitti (EACL 2006) compares on arguments, and how well each of them does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from evaluation import f1, f1_counts

import treekernels as tk
from common import Row, say

Split = tuple[np.ndarray, np.ndarray]  # places of training and of test examples
ST = tk.SubtreeKernel(1.0, on="tree")
SST = tk.SubsetTreeKernel(0.4, on="tree")
LINEAR = 1 / 7 * tk.LinearKernel(on="features")  # every example has seven features: normalised
POLY = tk.LinearKernel(on="products")  # (1 + x . y)^3 / 512 of the seven features, written out
SINGLE: dict[str, tk.Kernel] = {
    "ST": ST,
    "SST": SST,
    "ST+bow": tk.SubtreeKernel(1.0, leaf_weight=1.0, on="tree"),
    "SST+bow": tk.SubsetTreeKernel(0.4, leaf_weight=1.0, on="tree"),
    "Linear": LINEAR,
    "Poly": POLY,
}
SUMS: dict[str, tuple[tk.Kernel, tk.Kernel]] = {
    "Linear+ST": (LINEAR, ST),
    "Linear+SST": (LINEAR, SST),
    "Poly+ST": (POLY, ST),
    "Poly+SST": (POLY, SST),
}
GAMMAS = [0.3, 1.0, 3.0]
DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
MACHINE = (
    "Machines are one-vs-all SVMs without a Gram matrix. C is 1, which is SVM-light's default for "
    "normalised kernels and the paper's choice; the gap at which a machine stops is 0.02. Features "
    "are phrase type, path, predicate word, head word, governing category, position and voice; "
    "Poly is the polynomial kernel of degree 3 on them, written out as products of up to three "
    "features, which gives the same values."
)


class Tried(NamedTuple):
    """What kernels predict in each split."""

    predicted: dict[str, list[np.ndarray]]
    truth: list[np.ndarray]

    def accuracies(self, name: str) -> np.ndarray:
        """Return the accuracy in each split, in percent."""
        pairs = zip(self.predicted[name], self.truth, strict=True)
        return np.array([100 * float(np.mean(found == truth)) for found, truth in pairs])

    def f1s(self, name: str, label: str) -> np.ndarray:
        """Return the F1 of a class in each split, in percent."""
        pairs = zip(self.predicted[name], self.truth, strict=True)
        return np.array([100 * _f1(found == label, truth == label) for found, truth in pairs])


def predict(
    kernel: tk.Kernel, X: tk.Table, y: np.ndarray, split: Split, C: float = 1.0, **more: Any
) -> np.ndarray:
    """Train on one part and predict the other."""
    train, test = split
    machine = tk.TreeSVC(kernel, C=C, tol=0.02, random_state=0, n_jobs=1, **more)
    result: np.ndarray = machine.fit(X[train], y[train]).predict(X[test])
    return result


def try_kernels(
    kernels: Mapping[str, tk.Kernel], X: tk.Table, y: np.ndarray, splits: Sequence[Split]
) -> Tried:
    """Train and test every kernel in every split."""
    predicted: dict[str, list[np.ndarray]] = {}
    for name, kernel in kernels.items():
        predicted[name] = [predict(kernel, X, y, split) for split in splits]
        say(f"{name}: done")
    return Tried(predicted, [y[test] for _, test in splits])


def choose_gammas(X: tk.Table, y: np.ndarray, split: Split) -> tuple[dict[str, tk.Kernel], Row]:
    """Return the sums K1 + gamma K2 with the gamma that is best on a validation part."""
    kernels: dict[str, tk.Kernel] = {}
    chosen: Row = {}
    for name, (first, second) in SUMS.items():
        scores = {
            gamma: np.mean(predict(first + gamma * second, X, y, split) == y[split[1]])
            for gamma in GAMMAS
        }
        chosen[name] = max(scores, key=lambda gamma: scores[gamma])
        kernels[name] = first + chosen[name] * second
    return kernels, chosen


def decay_table(accuracies: Mapping[str, Mapping[float, Any]]) -> list[Row]:
    """Return what `decay_rows` has found as the means that the page shows."""
    return [
        {"kernel": name} | {f"{decay:g}": float(own[decay].mean()) for decay in DECAYS}
        for name, own in accuracies.items()
    ]


def decay_rows(X: tk.Table, y: np.ndarray, splits: Sequence[Split]) -> dict[str, dict[float, Any]]:
    """Return the accuracies of ST and SST in each split for every decay."""
    kinds = {"ST": tk.SubtreeKernel, "SST": tk.SubsetTreeKernel}
    return {
        name: {
            decay: np.array(
                [
                    100 * float(np.mean(predict(kind(decay, on="tree"), X, y, s) == y[s[1]]))
                    for s in splits
                ]
            )
            for decay in DECAYS
        }
        for name, kind in kinds.items()
    }


def score_rows(tried: Tried, published: Mapping[str, float], gammas: Row) -> list[Row]:
    """Return accuracy and F1 of each kernel, the mean of all splits."""
    rows: list[Row] = []
    labels = sorted(set(np.concatenate(tried.truth)))
    for name in tried.predicted:
        accuracies = tried.accuracies(name)
        row: Row = {"kernel": name, "accuracy": float(accuracies.mean())}
        row |= {"std": float(accuracies.std(ddof=1)) if len(accuracies) > 1 else None}
        row |= {"published": published.get(name), "gamma": gammas.get(name)}
        row |= {f"F1 {label}": float(tried.f1s(name, label).mean()) for label in labels}
        rows.append(row)
    return rows


def draw_scores(place: Any, rows: Sequence[Row]) -> None:
    """Draw the accuracies as bars, with the paper's beside."""
    shown = rows[::-1]
    place.barh([row["kernel"] for row in shown], [row["accuracy"] for row in shown], label="ours")
    known = [row for row in shown if row["published"] is not None]
    places = [row["kernel"] for row in known]
    place.plot([row["published"] for row in known], places, "kx", label="paper")
    place.set(xlabel="accuracy, %", xlim=(min(row["accuracy"] for row in rows) - 5, None))
    place.legend(fontsize="small")


def _f1(predicted: np.ndarray, truth: np.ndarray) -> float:
    return float(f1(f1_counts(predicted, truth).sum(0)))

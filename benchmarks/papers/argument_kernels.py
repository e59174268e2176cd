"""The kernels that Moschitti (EACL 2006) compares on arguments, and how well each of them does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from evaluation import by_sentence, f1, f1_counts

import treekernels as tk
from common import Row, say

Split = tuple[np.ndarray, np.ndarray]  # places of training and of test examples
Choosable = tk.Kernel | tuple[tk.Kernel, tk.Kernel]  # a kernel, or K1 and K2 of K1 + gamma K2
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
FACTORS = [1, 3, 7, 10, 30, 100]  # of the cost of errors on positive examples; the paper's
GAMMAS = [0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
SHARE = 1 / 3  # of the examples beside the validation part: what is learned from to choose j
DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
CHOICE = (
    "The cost factor j (how much more an error on an example of a class costs than one on another) "
    "and gamma of K1 + gamma K2 are chosen for each kernel by the accuracy on a validation part of "
    "the first training part: j with gamma 1 and machines that learn from a third of the rest, "
    "drawn at random, then gamma with all of the rest. Of equal ones the smaller is taken, and all "
    "splits have the same."
)
MACHINE = (
    "Machines are one-vs-all SVMs without a Gram matrix. C is SVM-light's default, as in the "
    "paper: 1 divided by the mean of K(x, x), which is 1 for each kernel alone and 1 / (1 + gamma) "
    "for a sum. The gap at which a machine stops is 0.02. Features are phrase type, path, "
    "predicate word, head word, governing category, position and voice; Poly is the polynomial "
    "kernel of degree 3 on them, written out as products of up to three features, which gives the "
    "same values."
)


class Setting(NamedTuple):
    """A kernel with what was chosen for it on a validation part, and its accuracy there."""

    kernel: tk.Kernel
    j: int
    gamma: float | None
    accuracy: float


class Tried(NamedTuple):
    """What kernels predict in each split, and what was chosen for them before."""

    predicted: dict[str, list[np.ndarray]]
    truth: list[np.ndarray]
    settings: dict[str, Setting]

    def accuracies(self, name: str) -> np.ndarray:
        """Return the accuracy in each split, in percent."""
        pairs = zip(self.predicted[name], self.truth, strict=True)
        return np.array([100 * float(np.mean(found == truth)) for found, truth in pairs])

    def f1s(self, name: str, label: str) -> np.ndarray:
        """Return the F1 of a class in each split, in percent."""
        pairs = zip(self.predicted[name], self.truth, strict=True)
        return np.array([100 * _f1(found == label, truth == label) for found, truth in pairs])


def predict(
    kernel: tk.Kernel, X: tk.Table, y: np.ndarray, split: Split, j: float = 1.0
) -> np.ndarray:
    """Train on one part, with errors on positive examples j times as dear; predict the other."""
    train, test = split
    weights = {label: j for label in np.unique(y[train]) if y.dtype != bool or label}
    machine = tk.TreeSVC(
        kernel,
        C="auto",
        tol=0.02,
        random_state=0,
        n_jobs=1,
        class_weight=weights if j != 1 else None,
    )
    result: np.ndarray = machine.fit(X[train], y[train]).predict(X[test])
    return result


def accuracy(kernel: tk.Kernel, X: tk.Table, y: np.ndarray, split: Split, j: float = 1.0) -> float:
    """Return the share of a test part that is predicted right, in percent."""
    return 100 * float(np.mean(predict(kernel, X, y, split, j) == y[split[1]]))


def validation(split: Split, sentences: Sequence[str], share: float) -> Split:
    """Return what is learned from and what is tested on to choose: two parts of a training part."""
    train = split[0]
    first, second = by_sentence([sentences[i] for i in train], [1 - share, share])
    return train[first], train[second]


def choose(kernel: Choosable, X: tk.Table, y: np.ndarray, split: Split) -> Setting:
    """Return a kernel, or a sum of two, with the cost factor and gamma that do best in a split.

    Which cost factor, a part of the training examples tells well enough; gamma depends on how many
    there are.
    """
    first, second = kernel if isinstance(kernel, tuple) else (kernel, None)
    plain = first if second is None else first + second
    drawn = np.random.default_rng(0).permutation(split[0])[: round(SHARE * len(split[0]))]
    some = np.sort(drawn), split[1]
    by_factor = {j: accuracy(plain, X, y, some, j) for j in FACTORS}
    j = max(by_factor, key=lambda factor: by_factor[factor])
    if second is None:
        return Setting(first, j, None, by_factor[j])
    sums = {gamma: first + gamma * second for gamma in GAMMAS}
    by_gamma = {gamma: accuracy(kernel, X, y, split, j) for gamma, kernel in sums.items()}
    gamma = max(by_gamma, key=lambda value: by_gamma[value])
    return Setting(sums[gamma], j, gamma, by_gamma[gamma])


def try_kernels(
    kernels: Mapping[str, Choosable],
    X: tk.Table,
    y: np.ndarray,
    splits: Sequence[Split],
    inner: Split,
) -> Tried:
    """Choose what every kernel needs on one split, and train and test it in all others."""
    predicted: dict[str, list[np.ndarray]] = {}
    settings: dict[str, Setting] = {}
    for name, kernel in kernels.items():
        chosen = settings[name] = choose(kernel, X, y, inner)
        predicted[name] = [predict(chosen.kernel, X, y, split, chosen.j) for split in splits]
        say(f"{name}: done")
    return Tried(predicted, [y[test] for _, test in splits], settings)


def decay_table(accuracies: Mapping[str, Mapping[float, Any]]) -> list[Row]:
    """Return what `decay_rows` has found as the means that the page shows."""
    return [
        {"kernel": name} | {f"{decay:g}": float(own[decay].mean()) for decay in DECAYS}
        for name, own in accuracies.items()
    ]


def decay_rows(
    X: tk.Table, y: np.ndarray, splits: Sequence[Split], tried: Tried
) -> dict[str, dict[float, Any]]:
    """Return the accuracies of ST and SST in each split for every decay, with j as chosen."""
    kinds = {"ST": tk.SubtreeKernel, "SST": tk.SubsetTreeKernel}
    found: dict[str, dict[float, Any]] = {name: {} for name in kinds}
    for name, kind in kinds.items():
        j = tried.settings[name].j
        for decay in DECAYS:
            scores = [accuracy(kind(decay, on="tree"), X, y, split, j) for split in splits]
            found[name][decay] = np.array(scores)
    return found


def score_rows(tried: Tried, published: Mapping[str, float]) -> list[Row]:
    """Return accuracy and F1 of each kernel, the mean of all splits, and what was chosen."""
    rows: list[Row] = []
    labels = sorted(set(np.concatenate(tried.truth)))
    for name, chosen in tried.settings.items():
        accuracies = tried.accuracies(name)
        row: Row = {"kernel": name, "accuracy": float(accuracies.mean())}
        row |= {"std": float(accuracies.std(ddof=1)) if len(accuracies) > 1 else None}
        row |= {"published": published.get(name), "j": chosen.j, "gamma": chosen.gamma}
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

"""Properties 2.1-2.6 of compositions, and Fig. 2 of Zanzotto and Dell'Arciprete (ICML 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np
from shared import plot  # first: it sets the path

import treekernels as tk
from common import Row, arguments, report, say

DIMENSION = 8192
SAMPLES = 100
COUNTS = [1, 2, 3, 5, 7, 10, 13, 16, 20]
WAYS = [(c, p) for c in ("sign", "product", "convolution") for p in ("fast", "random")]
NOTES = [
    f"d = {DIMENSION}, {SAMPLES} samples (20 with --quick), float64. Norm: of t, composed of so",
    "many labels' vectors from the right (property 2.4, Fig. 2a). Products are in units of",
    "1/sqrt(d): 1 is what independent unit vectors have. 2.5: a . t. 2.6: a<>t . b<>t and",
    "t<>a . t<>b, whose mean square is the variance of Fig. 2b times d. 2.1: a<>t . the same with",
    "the first and the last label exchanged; 2.2: a<>(b<>c) . (a<>b)<>c; 2.3: the largest",
    "deviation from bilinearity.",
]


def main() -> None:
    args = arguments(__doc__ or "")
    samples = 20 if args.quick else SAMPLES
    tables: dict[str, list[Row]] = {}
    for composition, permutations in WAYS:
        say(f"{composition}, {permutations}")
        tables[f"{composition}, {permutations} permutations"] = measure(
            composition, permutations, samples
        )
    report(__file__, args, tables, NOTES)
    plot(__file__, lambda figure: draw(figure, tables))


def measure(composition: str, permutations: str, samples: int) -> list[Row]:
    found: dict[str, dict[int, list[float]]] = {}

    def note(what: str, count: int, value: float) -> None:
        found.setdefault(what, {}).setdefault(count, []).append(value)

    for seed in range(samples):
        made = tk.DistributedTrees(
            DIMENSION,
            composition=composition,
            permutations=permutations,
            seed=seed,
            dtype="float64",
        )
        compose = made.compose
        a, b, c, *labels = (
            made.label_vector(f"label {number}") for number in range(3 + max(COUNTS))
        )
        unit = np.sqrt(DIMENSION)
        t, swapped = labels[0], a
        note("2.2", 1, unit * (compose(a, compose(b, c)) @ compose(compose(a, b), c)))
        note(
            "2.3", 1, float(np.abs(compose(a + 2 * b, c) - compose(a, c) - 2 * compose(b, c)).max())
        )
        for count in range(1, max(COUNTS) + 1):
            if count > 1:
                t, swapped = compose(labels[count - 1], t), compose(labels[count - 1], swapped)
            if count in COUNTS:
                note("norm", count, float(np.linalg.norm(t)))
                note("2.5", count, unit * (a @ t))
                note("2.6 first", count, unit * (compose(a, t) @ compose(b, t)))
                note("2.6 last", count, unit * (compose(t, a) @ compose(t, b)))
                note("2.1", count, unit * (compose(a, t) @ compose(labels[0], swapped)))
    rows: list[Row] = []
    for count in COUNTS:
        norms = np.array(found["norm"][count])
        row: Row = {"labels in t": count, "mean norm": float(norms.mean())}
        row["rms norm"] = float(np.sqrt((norms**2).mean()))
        for what in ("2.1", "2.5", "2.6 first", "2.6 last"):
            row[f"{what} rms"] = float(np.sqrt(np.mean(np.square(found[what][count]))))
        row["2.6 variance"] = float(np.var(found["2.6 first"][count]) / DIMENSION)
        if count == 1:
            row["2.2 rms"] = float(np.sqrt(np.mean(np.square(found["2.2"][1]))))
            row["2.3 largest"] = max(found["2.3"][1])
        rows.append(row)
    return rows


def draw(figure: Any, tables: dict[str, list[Row]]) -> None:
    norm, variance = figure.subplots(1, 2)
    for name, rows in tables.items():
        style = "-" if "fast" in name else "--"
        counts = [row["labels in t"] for row in rows]
        norm.plot(counts, [row["mean norm"] for row in rows], style, label=name)
        variance.plot(counts, [row["2.6 variance"] for row in rows], style, label=name)
    norm.set(xlabel="vectors composed", ylabel="average norm", title="Fig. 2a", ylim=(0, 1.2))
    variance.set(xlabel="vectors in common", title="Fig. 2b: variance of the dot product")
    variance.set_yscale("log")
    norm.legend(fontsize="small")


if __name__ == "__main__":
    main()

"""Properties 2.1-2.6 of compositions, and Fig. 2 of Zanzotto and Dell'Arciprete (ICML 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np
from shared import claim as paper_says  # it sets the path
from shared import finish, track

import treekernels as tk
from common import Row, arguments

DIMENSION = 8192
SAMPLES = 100
COUNTS = [1, 2, 3, 5, 7, 10, 13, 16, 20]
WAYS = [(c, p) for c in ("sign", "product", "convolution") for p in ("fast", "random")]
NOTES = [
    f"d = {DIMENSION}, {SAMPLES} samples (5 with --quick), float64. Norm: of t, composed of so",
    "many labels' vectors from the right (property 2.4, Fig. 2a). Products are in units of",
    "1/sqrt(d): 1 is what independent unit vectors have. 2.5: a . t. 2.6: a<>t . b<>t and",
    "t<>a . t<>b, whose mean square is the variance of Fig. 2b times d. 2.1: a<>t . the same with",
    "the first and the last label exchanged; 2.2: a<>(b<>c) . (a<>b)<>c; 2.3: the largest",
    "deviation from bilinearity.",
]


def main() -> None:
    args = arguments(__doc__ or "")
    samples = 5 if args.trees is not None else SAMPLES
    tables: dict[str, list[Row]] = {}
    for composition, permutations in track(WAYS, "compositions"):
        tables[f"{composition}, {permutations} permutations"] = measure(
            composition, permutations, samples
        )
    finish(
        __file__,
        args,
        what="Properties 2.1 to 2.6 and Fig. 2: norm and variance of compositions",
        data="Random vectors, as in the paper.",
        parameters={"dimension": DIMENSION, "samples": samples},
        tables=tables,
        claims=claims(tables),
        notes=NOTES,
        draw=lambda figure: draw(figure, tables),
    )


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
        row["2.5 mean"] = float(np.mean(found["2.5"][count]) / np.sqrt(DIMENSION))
        row["2.6 variance"] = float(np.var(found["2.6 first"][count]) / DIMENSION)
        if count == 1:
            row["2.2 rms"] = float(np.sqrt(np.mean(np.square(found["2.2"][1]))))
            row["2.3 largest"] = max(found["2.3"][1])
        rows.append(row)
    return rows


def claims(tables: dict[str, list[Row]]) -> list[Row]:
    product, convolution, sign = (
        tables[f"{name}, random permutations"] for name in ("product", "convolution", "sign")
    )
    most = max(COUNTS)
    similar = max(row["2.5 rms"] for rows in (product, convolution) for row in rows)
    similar = 100 * similar / np.sqrt(DIMENSION)
    off = {
        name: abs(rows[-1]["mean norm"] - 1) for name, rows in (("c", convolution), ("p", product))
    }
    grown = product[-1]["2.6 variance"] / product[0]["2.6 variance"]
    return [
        paper_says(
            f"Norm of {most} vectors composed: the convolution keeps it much better (its norm)",
            published=1.0,
            ours=convolution[-1]["mean norm"],
            holds=off["c"] < off["p"] / 2,
            why=f"The product's is {product[-1]['mean norm']:.2f}: elements are products of normal "
            "variables, whose distribution gets ever longer tails.",
        ),
        paper_says(
            "2.5: a vector and a composition of others are less than 1 % similar on average",
            published=1.0,
            ours=100 * max(abs(row["2.5 mean"]) for rows in (product, convolution) for row in rows),
            unit="%",
            holds=all(
                abs(row["2.5 mean"]) < 0.01 for rows in (product, convolution) for row in rows
            ),
            why=f"On average; the root mean square goes up to {similar:.1f} %.",
        ),
        paper_says(
            "2.6: the variance grows with the vectors in common, that of the product more "
            "(product to convolution, at most vectors)",
            ours=product[-1]["2.6 variance"] / convolution[-1]["2.6 variance"],
            unit="times",
            holds=product[-1]["2.6 variance"] > convolution[-1]["2.6 variance"],
            why=f"From one vector to {most} that of the product grows {grown:,.0f} times.",
        ),
        paper_says(
            "Beyond the paper: the same variance with signs, to that of the convolution",
            ours=sign[-1]["2.6 variance"] / convolution[-1]["2.6 variance"],
            unit="times",
            why="Products of signs are signs: every norm is exact, and the price is that of the "
            "product.",
        ),
    ]


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

"""Table 2 of Zanzotto and Dell'Arciprete (ICML 2012): do dot products rank as the kernel does?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from shared import (  # first: it sets the path
    PAIRS,
    corpus,
    dimension_for,
    dot_products,
    embedding,
    exact,
    finish,
    random_pairs,
    rho,
    track,
)
from shared import claim as paper_says

from common import Row, arguments, say, target

DECAYS = [0.2, 0.4, 0.6, 0.8, 1.0]
PAPER = {
    "qc": {"product": [0.993, 0.980, 0.908, 0.644, 0.316]}
    | {"convolution": [0.994, 0.989, 0.880, 0.377, 0.107]},
    "rte": {"product": [0.997, 0.990, 0.890, 0.469, 0.169]}
    | {"convolution": [0.998, 0.961, 0.350, 0.039, 0.000]},
}
AIM = {0.2: 0.99, 0.4: 0.99, 0.6: 0.99, 0.8: 0.95}
NOTES = [
    f"Spearman's rho of kernel values (not normalised) and dot products of {PAIRS:,} random pairs",
    "of different trees; d = 8192, float32. 'as in the paper': random permutations, one vector a",
    "label. qc: 5,452 questions; rte: texts and hypotheses of the three development sets (those of",
    "the paper had other parses). The convolution as in the paper takes long: some 300 trees.",
    "'Holds' is within 0.03 of the published value below decay 0.6, and within 0.2 from there on.",
]
WAYS: dict[str, dict[str, Any]] = {
    "product, as in the paper": {"composition": "product", "permutations": "random"}
    | {"heads": "shared"},
    "convolution, as in the paper": {"composition": "convolution", "permutations": "random"}
    | {"heads": "shared"},
    "convolution": {"composition": "convolution"},
    "sign": {},
    "sign, min_df 2, links of 3": {"min_df": 2, "link_length": 3},
    "sign, min_df 5, links of 3": {"min_df": 5, "link_length": 3},
    "sign, min_df 10, links of 3": {"min_df": 10, "link_length": 3},
    "sign, min_df 20, links of 3": {"min_df": 20, "link_length": 3},
}


def main() -> None:
    args = arguments(__doc__ or "")
    tables = {name: table_2(args.data, name, args.trees) for name in PAPER}
    finish(
        __file__,
        args,
        what="Table 2: Spearman's rho of dot products and kernel values by decay",
        data="The paper's questions, and texts and hypotheses of RTE-1 to 3, all parsed anew.",
        parameters={"dimension": dimension_for(args.trees), "pairs": PAIRS, "seed": 0},
        tables=tables,
        claims=claims(tables),
        notes=NOTES,
        draw=lambda figure: draw(figure, tables),
        height=5,
    )


def table_2(data: Path, name: str, limit: int | None) -> list[Row]:
    forest, dimension = corpus(data, name, limit), dimension_for(limit)
    i, j = random_pairs(len(forest), len(forest), PAIRS, same=True)
    rows: dict[str, Row] = {}
    for composition, published in PAPER[name].items():
        title = f"{composition}, published"
        rows[title] = {"vectors": title, **dict(zip(map(str, DECAYS), published, strict=True))}
    for decay in track(DECAYS, name):
        say(f"{name}: decay {decay}")
        values = exact(decay)(forest)[i, j]
        for title, more in WAYS.items():
            if title.startswith("convolution, as in"):
                # A Fourier transform a node takes long: the trees of some pairs will do.
                some = forest[np.unique(np.concatenate([i[:150], j[:150]]))]
                a, b = random_pairs(len(some), len(some), PAIRS, same=True)
                vectors = embedding(decay, dimension, **more).fit_transform(some)
                result = rho(exact(decay)(some)[a, b], dot_products(vectors[a], vectors[b]))
            else:
                vectors = embedding(decay, dimension, **more).fit_transform(forest)
                result = rho(values, dot_products(vectors[i], vectors[j]))
            rows.setdefault(title, {"vectors": title})[str(decay)] = result
    best = max(
        (row for title, row in rows.items() if "min_df" in title),
        key=lambda row: min(row[str(decay)] - aim for decay, aim in AIM.items()),
    )
    margin = min(best[str(decay)] - aim for decay, aim in AIM.items())
    best.update(target(margin, "over 0.99 0.99 0.99 0.95", at_least=0.0))
    return list(rows.values())


def claims(tables: dict[str, list[Row]]) -> list[Row]:
    made: list[Row] = []
    for name, rows in tables.items():
        of = {row["vectors"]: row for row in rows}
        for composition, published in PAPER[name].items():
            ours = of[f"{composition}, as in the paper"]
            for decay, value in zip(DECAYS, published, strict=True):
                found = ours[str(decay)]
                made.append(
                    paper_says(
                        f"{name}, {composition}, decay {decay}",
                        published=value,
                        ours=found,
                        holds=abs(found - value) < (0.03 if decay < 0.6 else 0.2),
                        why=WHY if decay >= 0.6 else "",
                    )
                )
        best = max((row for row in rows if "target" in row), key=lambda row: row["0.8"])
        for decay in (0.6, 0.8, 1.0):
            made.append(
                paper_says(
                    f"Beyond the paper: {name}, {best['vectors']}, decay {decay}",
                    ours=best[str(decay)],
                    why="Fragments that only one tree has are left out of its vector.",
                )
            )
    return made


WHY = (
    "At large decays a few trees with very large norms decide, and those are other trees here: "
    "other pairs, and other parses."
)


def draw(figure: Any, tables: dict[str, list[Row]]) -> None:
    for place, (name, rows) in zip(figure.subplots(1, 2), tables.items(), strict=True):
        for row in rows:
            style = ":" if "published" in row["vectors"] else "-"
            values = [row[str(decay)] for decay in DECAYS]
            place.plot(DECAYS, values, style, label=row["vectors"])
        place.set(xlabel="decay", ylabel="Spearman's rho", title=name)
    place.legend(fontsize="x-small")


if __name__ == "__main__":
    main()

"""Section 6 of Da San Martino et al. (AAAI 2019): four tree kernels, and their compact scores."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from propbank import boundary_rows  # first: it sets the path
from shared import claim as paper_says
from shared import corpus, exponent, finish, mark_numbers, track, trees_of_size
from timing import Stopwatch
from verdicts import MARGINS, Verdict, exactly, greater, not_greater

import treekernels as tk
from common import Row, arguments, pairs, say

KINDS: dict[str, Any] = {
    "subtrees": tk.SubtreeKernel,
    "subset trees": tk.SubsetTreeKernel,
    "partial trees": tk.PartialTreeKernel,
    "elastic trees": tk.ElasticTreeKernel,
}
DEMANDING = ("partial trees", "elastic trees")
SIZES = [20, 40, 60, 80, 100, 120]
SAMPLES = 5
TREES = 40  # of a size in each sample
MODEL = 2000  # trees in a model
SCORED = 100  # trees that are scored by it
CLOSE = 1e-6  # of the largest score: how far two ways to the same score may be apart
NOTES = [
    f"Cost: {SAMPLES} samples of {TREES} trees of about equal size, all pairs of each, one thread,",
    "each pair by itself (algorithm='ftk'), not normalised, default parameters. Scores: each of",
    f"{SAMPLES} samples has {MODEL:,} trees with random weights 1 and -1 as a model, and {SCORED}",
    "others that are scored: by a WeightedForest, which compares a tree with what the model keeps,",
    "and by the kernel values with all trees of the model, each by itself. Both make the same sum.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=3, quick=400)
    watch = Stopwatch(args.repeat)
    growth = cost_rows(args, watch)
    most = None if args.trees is None else 10 * args.trees
    texts = [row[2] for row in boundary_rows(args.data, "propbank", most)]
    scores = score_rows(texts, args.trees, watch)
    finish(
        __file__,
        args,
        what="Section 6: cost of four tree kernels, and scores by what their trees have in common",
        data="Sentences of the Penn Treebank sample by size, and candidates of "
        "`propbank.boundary`. The paper has experiments with subset trees alone; of the other "
        "kernels it says what is tested here.",
        parameters={"trees of a model": MODEL, "scored": SCORED, "samples": SAMPLES},
        tables={
            "One kernel value, us, mean of the samples": means(growth, "nodes"),
            "Scores, mean of the samples": means(scores, "kernel"),
        },
        claims=[*cost_claims(growth), *score_claims(scores)],
        notes=[*NOTES, watch.note()],
        draw=lambda figure: draw(figure, means(growth, "nodes"), means(scores, "kernel")),
    )


def kernel(name: str) -> tk.Kernel:
    """Return a kernel that compares each pair of trees by itself."""
    made: tk.Kernel = KINDS[name](normalize=False, algorithm="ftk", n_jobs=1)
    return made


def cost_rows(args: Any, watch: Stopwatch) -> list[Row]:
    """Time kernel values by size of trees."""
    forest = corpus(args.data, "treebank", args.trees)
    count = TREES if args.trees is None else 3
    rows: list[Row] = []
    for size in track(SIZES if args.trees is None else SIZES[:3], "tree sizes"):
        trees = trees_of_size(forest, size, size + max(8, size // 8), len(forest))
        for sample in range(SAMPLES if len(trees) >= count else 0):
            chosen = trees[np.random.default_rng(sample).permutation(len(trees))[:count]]
            calls = {name: partial(kernel(name), chosen) for name in KINDS}
            us = {n: 1e6 * s / pairs(len(chosen)) for n, s in watch.seconds(calls).items()}
            rows.append({"nodes": size, "sample": sample, **us})
    return rows


def score_rows(texts: list[str], limit: int | None, watch: Stopwatch) -> list[Row]:
    """Time and compare scores by a compact model, and by its trees one by one."""
    size, scored = (MODEL, SCORED) if limit is None else (100, 10)
    rows: list[Row] = []
    for sample in track(range(SAMPLES), "models"):
        rng = np.random.default_rng(sample)
        chosen = [texts[place] for place in rng.permutation(len(texts))[: size + scored]]
        kept, new = (tk.Forest.from_brackets(part) for part in (chosen[:size], chosen[size:]))
        weights = rng.choice([-1.0, 1.0], size)
        for name, kind in KINDS.items():
            model = tk.WeightedForest(kind(normalize=False), n_jobs=1)
            model.add(kept, weights)
            one_by_one = kernel(name)
            seconds = watch.seconds(
                {
                    "compact": partial(model.score, new),
                    "one by one": lambda k=one_by_one, a=new, b=kept: k(a, b),
                }
            )
            plain = one_by_one(new, kept) @ weights
            off = float(np.abs(model.score(new) - plain).max() / np.abs(plain).max())
            row: Row = {"kernel": name, "sample": sample, "nodes": int(kept.n_nodes)}
            row |= {"distinct subtrees": classes(kept, name), "weights": len(model)}
            row |= {f"{way}, us a tree": 1e6 * s / len(new) for way, s in seconds.items()}
            rows.append(row | {"scores differ by": off})
        say(f"sample {sample + 1}: {rows[-1]}")
    return rows


def classes(trees: tk.Forest, name: str) -> int:
    """Count the distinct subtrees; of words alone there are no subset trees."""
    if name != "subset trees":
        return int(trees.n_subtrees)
    words = {node.label for tree in trees for node in tree.preorder() if node.is_leaf}
    return int(trees.n_subtrees) - len(words)


def means(rows: list[Row], key: str) -> list[Row]:
    """Return the mean of the samples with equal keys."""
    made = []
    for value in dict.fromkeys(row[key] for row in rows):
        alike = [row for row in rows if row[key] == value]
        names = [name for name in alike[0] if name not in (key, "sample")]
        made.append({key: value} | {n: float(np.mean([r[n] for r in alike])) for n in names})
    return made


def cost_claims(rows: list[Row]) -> list[Row]:
    """Judge the order and the growth of the costs."""
    last = [row for row in rows if row["nodes"] == rows[-1]["nodes"]]
    sizes = sorted({row["nodes"] for row in rows})
    if len(sizes) < 2:
        return []

    def powers(name: str) -> list[float]:
        return [
            exponent(sizes, [row[name] for row in rows if row["sample"] == sample])
            for sample in range(SAMPLES)
        ]

    def at_most_quadratic(name: str) -> Verdict:
        return not_greater([power - 2 for power in powers(name)], MARGINS["exponent"])

    made = []
    for name in DEMANDING:
        ratios = np.array([row[name] / row["subset trees"] for row in last])
        made.append(
            paper_says(
                f"The kernel of {name} is more demanding than that of subset trees (trees of "
                f"{rows[-1]['nodes']} nodes)",
                ours=float(ratios.mean()),
                unit="times",
                holds=greater(list(np.log(ratios))),
            )
        )
    made += [
        paper_says(
            f"The kernel of {name} is at most quadratic in the nodes (exponent)",
            published=2.0,
            ours=float(np.mean(powers(name))),
            holds=at_most_quadratic(name),
        )
        for name in ("subset trees", *DEMANDING)
    ]
    return made


def score_claims(rows: list[Row]) -> list[Row]:
    """Judge that scores are exact, and what the compact ones cost."""
    by_kernel = {name: [row for row in rows if row["kernel"] == name] for name in KINDS}
    off = max(row["scores differ by"] for row in rows)
    gains = {
        name: np.array(
            [row["one by one, us a tree"] / row["compact, us a tree"] for row in of_kernel]
        )
        for name, of_kernel in by_kernel.items()
    }
    return [
        paper_says(
            "The score by equivalence classes is exact, for all four kernels (largest difference, "
            "as a share of the largest score)",
            published=0.0,
            ours=off,
            holds=exactly(off <= CLOSE),
            why=f"Up to rounding, {CLOSE:g}.",
        ),
        paper_says(
            "Proper subtrees can be class representatives: a model needs no more than a weight for "
            "each distinct one",
            holds=exactly(all(row["weights"] <= row["distinct subtrees"] for row in rows)),
            cells=[
                {"kernel": name, "nodes of its trees": of_kernel[0]["nodes"]}
                | {
                    "distinct subtrees": of_kernel[0]["distinct subtrees"],
                    "weights": of_kernel[0]["weights"],
                }
                for name, of_kernel in by_kernel.items()
            ],
            why="The first sample is shown. A word alone is no subset tree.",
        ),
        *(
            paper_says(
                f"{name.capitalize()}: the compact score is faster than kernel values one by one "
                f"({MODEL:,} trees)",
                ours=float(gains[name].mean()),
                unit="times",
                holds=greater(list(np.log(gains[name]))),
            )
            for name in KINDS
        ),
    ]


def draw(figure: Any, growth: list[Row], scores: list[Row]) -> None:
    lines, bars = figure.subplots(1, 2)
    nodes = [row["nodes"] for row in growth]
    for name in KINDS:
        lines.plot(nodes, [row[name] for row in growth], marker="o", ms=3, label=name)
    lines.set(xlabel="nodes of a tree", ylabel="us a value", yscale="log")
    mark_numbers(lines, nodes)
    lines.legend()
    places = np.arange(len(scores))
    for shift, way in enumerate(("one by one, us a tree", "compact, us a tree")):
        bars.bar(places + 0.4 * shift, [row[way] for row in scores], 0.4, label=way)
    bars.set_xticks(places + 0.2, [row["kernel"] for row in scores])
    bars.set(yscale="log", title=f"a score by a model of {MODEL:,} trees")
    bars.legend()


if __name__ == "__main__":
    main()

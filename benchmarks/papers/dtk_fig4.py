"""Fig. 4 of Zanzotto and Dell'Arciprete (ICML 2012): accuracy on entailment by decay."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import rte
from shared import claim as paper_says  # it sets the path
from shared import dimension_for, embedding, finish, track
from verdicts import MARGINS, Verdict, all_of, equal, greater
from ways import DECAYS, draw_by_decay, mean, squares

import treekernels as tk
from common import Row, arguments, say

COST = 1.0
SMALL = (0.2, 0.4)
KINDS = {
    "placeholders": ("anchored_text", "anchored_hypothesis"),
    "plain": ("text", "hypothesis"),
}
WAYS: dict[str, dict[str, Any]] = {
    "product": {"composition": "product", "heads": "shared"},
    "convolution": {"composition": "convolution", "heads": "shared"},
    "sign": {},
}
NOTES = [
    rte.DESIGN,
    "SVMs, C = 1, on the sum of the normalised kernels of texts and of hypotheses; d = 8192, and",
    "vectors drawn anew for each challenge. Trees with placeholders are those of the kernels that",
    "the paper cites; NP:1 and NP:2 are two labels. Lex: the product of the two pairs' shares of",
    "hypothesis words that are in the text. Product and convolution have the fast permutations.",
    "t-test: the paper's, of two samples, which may be the accuracies of the runs or all tested",
    "pairs, as the paper does not say which; bootstrap: paired, over all tested pairs. To the",
    "paper two kernels are similar if its test sees no difference; our rule asks for more, that",
    "they differ by no more than the margin.",
]
Found = dict[str, dict[float, list[np.ndarray]]]  # which pairs were right, by run


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=100)
    dimension = dimension_for(args.trees)
    result: dict[str, Found] = {kind: {} for kind in KINDS}
    for seed, (name, challenge) in enumerate(track(rte.challenges(args.data, args.trees), "RTE")):
        lexical = np.outer(*[tk.lexical_overlap(challenge.pairs)] * 2)
        for kind, columns in KINDS.items():
            sides = [challenge.pairs[column] for column in columns]
            for decay in DECAYS if args.trees is None and kind != "plain" else (*SMALL, 1.0):
                grams = {"TK": sum(tk.SubsetTreeKernel(decay, n_jobs=2)(s) for s in sides)}
                for way, more in WAYS.items():
                    made = embedding(decay, dimension, normalize=True, seed=seed, **more)
                    grams[way] = sum(squares(made.fit_transform(side)) for side in sides)
                for way, gram in grams.items():
                    for title, whole in ((way, gram), (f"{way} + Lex", gram + lexical)):
                        right = rte.tested(whole, challenge, COST)
                        result[kind].setdefault(title, {}).setdefault(decay, []).extend(right)
        say(f"{name} done")
    tables = {
        f"Accuracy, %, trees with {kind}" if kind != "plain" else "Accuracy, %, plain trees": [
            {"kernel": name} | {str(d): mean(rte.percent(runs)) for d, runs in by_decay.items()}
            for name, by_decay in some.items()
        ]
        for kind, some in result.items()
    }
    finish(
        __file__,
        args,
        what="Fig. 4: accuracy of entailment recognition by decay",
        data="RTE-1 to 3 and the development set of RTE-5, parsed and anchored anew; the paper has "
        "the test set of RTE-5, too. The kernels that the paper compares look at trees with "
        "placeholders; plain trees are put beside.",
        parameters={"dimension": dimension, "C": COST, "runs": 8, "seeds": "0 to 3, by challenge"},
        tables=tables | {"p of the difference from TK": tests(result)},
        claims=claims(result),
        notes=NOTES,
        draw=lambda figure: draw(figure, tables),
        height=8,
    )


def base(name: str) -> str:
    """Return the exact kernel that a kernel is compared with."""
    return "TK + Lex" if name.endswith("+ Lex") else "TK"


TESTS: dict[str, Callable[..., float]] = {
    "t-test of runs": rte.papers_test,
    "t-test of pairs": partial(rte.papers_test, of_pairs=True),
    "bootstrap": rte.bootstrap,
}


def tests(found: dict[str, Found]) -> list[Row]:
    """Return p of each test, kernel and decay."""
    return [
        {"trees": kind, "kernel": name, "test": title}
        | {str(d): test(runs, some[base(name)][d]) for d, runs in by_decay.items()}
        for kind, some in found.items()
        for name, by_decay in some.items()
        if name != base(name)
        for title, test in TESTS.items()
    ]


def claims(found: dict[str, Found]) -> list[Row]:
    """Judge what the paper says of trees with placeholders, and put plain trees beside."""
    made: list[Row] = []
    for kind, some in found.items():
        trees = "trees with placeholders" if kind == "placeholders" else "plain trees"
        for way in ("product", "convolution"):
            made.append(similar(some, way, SMALL, trees))
            made.append(similar(some, f"{way} + Lex", list(some["TK"]), trees))
        gained = rte.gains(some["product"][0.4], some["TK"][0.4])
        p = rte.papers_test(some["product"][0.4], some["TK"][0.4])
        told = f"The paper has p < 0.1 by its t-test; here that test gives p = {p:.2g}."
        made.append(
            judged(
                "At decay 0.4 DTK by product is better than TK",
                trees,
                gained,
                greater(gained),
                told,
            )
        )
        made.append(best_decay(some, trees))
        gained = rte.gains(some["TK + Lex"][0.4], some["TK"][0.4])
        told = f"{greater(gained).test}. The paper draws it, and says nothing of it."
        made.append(judged("Beside it: what Lex adds to TK, decay 0.4", trees, gained, None, told))
    of = {kind: {d: rte.percent(runs) for d, runs in found[kind]["TK"].items()} for kind in KINDS}
    gained = list(of["placeholders"][0.4] - of["plain"][0.4])
    spans = {
        kind: f"{min(map(mean, some.values())):.1f} to {max(map(mean, some.values())):.1f} %"
        for kind, some in of.items()
    }
    told = (
        f"{greater(gained).test}. By decay TK has {spans['placeholders']} with placeholders, and "
        f"{spans['plain']} without."
    )
    title = "Beside it: what placeholders add to TK"
    return [*made, judged(title, "decay 0.4", gained, None, told)]


def similar(some: Found, name: str, decays: Sequence[float], trees: str) -> Row:
    """Judge that a distributed kernel is as good as the exact one."""
    other = some[base(name)]
    gained = {d: rte.gains(some[name][d], other[d]) for d in decays}
    least = {
        title: rte.least({d: test(some[name][d], other[d]) for d in decays})
        for title, test in TESTS.items()
    }
    where = "at any decay" if len(decays) > 2 else "up to decay 0.4"
    return judged(
        f"DTK by {name} is statistically similar to {base(name)} {where}",
        trees,
        [value for values in gained.values() for value in values],
        all_of([equal(values, MARGINS["points"], "points") for values in gained.values()]),
        f"Least p by the paper's own t-test, of runs: {least['t-test of runs']}; of pairs: "
        f"{least['t-test of pairs']}; by the bootstrap: {least['bootstrap']}.",
    )


def judged(says: str, trees: str, gained: list[float], verdict: Verdict | None, why: str) -> Row:
    """Put a gain in points beside what the paper says; plain trees are not the paper's."""
    if trees == "plain trees" and verdict is not None:
        verdict, why = None, f"{verdict.test}. {why}"
    says = f"{says} ({trees})"
    return paper_says(says, ours=mean(gained), unit="points", holds=verdict, why=why)


def best_decay(some: Found, trees: str) -> Row:
    """Compare the best decay up to 0.4 with the best one above."""
    runs = {d: rte.percent(right) for d, right in some["TK"].items()}
    small, large = (
        max((d for d in runs if (d <= 0.4) == is_small), key=lambda d: runs[d].mean())
        for is_small in (True, False)
    )
    gained = list(runs[small] - runs[large])
    told = f"{small} against {large}, the best of either kind."
    return judged("TK is best for decays up to 0.4", trees, gained, greater(gained), told)


def draw(figure: Any, tables: dict[str, list[Row]]) -> None:
    places = figure.subplots(2, 2, sharex=True, sharey=True)
    for row, (title, rows) in zip(places, tables.items(), strict=True):
        for place, lexical in zip(row, (False, True), strict=True):
            some = [row for row in rows if row["kernel"].endswith("+ Lex") == lexical]
            draw_by_decay(place, some, "accuracy, %")
            place.set_title(title.split(", ")[-1])


if __name__ == "__main__":
    main()

"""How many constraints there are: C, C* and N(c) of Zanzotto and Dell'Arciprete (EMNLP 2009)."""

from __future__ import annotations

from itertools import combinations
from math import perm
from typing import Any

import numpy as np
from shared import claim as paper_says  # it sets the path
from shared import exponent, finish, track
from verdicts import MARGINS, all_of, exactly, greater, not_greater

import treekernels as tk
from common import Row, arguments

SAMPLES = 5
COMPARISONS = 3000  # of each sample
MUCH = 10.0  # times: what "much smaller" is taken to be
MOST_SUBSETS = 10  # alternative constraints, of which all subsets are gone through
# Fig. 3; "milk" has the tag that the text gives it, without which there is no (2, 5).
FIGURE_3 = (
    (
        "(S (NP (NNS Farmers)) (VP (VB feed) (NP:1 (NNS:1 cows)) "
        "(NP:3 (NN:2 animal) (NNS:3 extracts))))",
        "(S (NP:1 (NNS:1 Cows)) (VP (VB eat) (NP:3 (NN:2 animal) (NNS:3 extracts))))",
    ),
    (
        "(S:2 (NP:1 (NNS:1 Pediatricians)) (VP:2 (VB:2 suggest) (S (NP (NNS women)) (VP (TO to) "
        "(VP (VB feed) (NP:3 (NNS:3 newborns)) (NP:4 (NN:5 breast) (NNS:4 milk)))))))",
        "(S:2 (NP:1 (NNS:1 Pediatricians)) (VP:2 (VB:2 suggest) (SBAR (IN that) "
        "(S (NP:3 (NNS:3 newborns)) (VP (VB eat) (NP:4 (NN:5 breast) (NNS:4 milk)))))))",
    ),
)
FIGURE_5 = (
    (
        "(A:1 (B:1 (B:1 b) (B:2 b)) (C:1 (C:1 c) (C:2 c)))",
        "(I:1 (M:1 (M:2 m) (M:1 m)) (N:1 (N:2 n) (N:1 n)))",
    ),
    (
        "(A:1 (B:1 (B:1 b) (B:2 b)) (C:1 (C:1 c) (C:3 c)))",
        "(I:1 (M:1 (M:3 m) (M:1 m)) (N:1 (N:2 n) (N:1 n)))",
    ),
)
OF_FIGURE_3 = {((1, 1),), ((1, 3), (2, 5), (3, 4))}
OF_FIGURE_5 = {((1, 1), (2, 2)), ((1, 1), (2, 3))}
NOTES = [
    f"RTE-2, its 1,600 pairs by fifths, {COMPARISONS:,} comparisons of two pairs of a fifth, drawn",
    "at random. F: all one-to-one correspondences of the placeholders of two pairs, n! / (n - m)!",
    "of them. C: alternative constraints, the largest that a common rule asks for, in its text and",
    "its hypothesis together. C*: these, all their intersections, and the empty one. What is said",
    "of averages is said of the means of all comparisons, and 'much smaller' is taken to be by a",
    f"factor of {MUCH:g}. N(c) is counted by going through all subsets of C, where C has between 1",
    f"and {MOST_SUBSETS} constraints.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=200, repeat=1)
    parts = [
        tk.read(args.data / f"rte2.{part}.anchored.tsv.gz", format="anchored-pairs")
        for part in ("dev", "test")
    ]
    examples = tk.Pairs.concatenate(parts)[: args.trees]
    count = COMPARISONS if args.trees is None else 40
    samples = [
        compare(examples[number::SAMPLES], count, number)
        for number in track(range(SAMPLES), "samples")
    ]
    by_size = size_rows(np.concatenate([sample["sizes"] for sample in samples]))
    finish(
        __file__,
        args,
        what="Section 4: how many alternative constraints there are, and how many intersections",
        data="RTE-2, the paper's data; parsed and anchored anew. The examples of its figures.",
        parameters={"pairs": len(examples), "comparisons": SAMPLES * count},
        tables={"Comparisons by the number of their alternative constraints": by_size},
        claims=[*example_claims(), *claims(samples)],
        notes=NOTES,
        draw=lambda figure: draw(figure, by_size),
        width=7,
    )


def compare(examples: tk.Pairs, count: int, seed: int) -> dict[str, Any]:
    """Return |F|, |C| and |C*| of comparisons, and how many N(c) are as counted one by one."""
    placeholders = examples.n_placeholders
    kernel = tk.TripartiteKernel()
    sizes, counted, agree = [], 0, 0
    for i, j in np.random.default_rng(seed).integers(0, len(examples), (count, 2)).tolist():
        constraints = kernel.constraints(examples[i], examples[j])
        alternatives = [set(c.placeholders) for c in constraints if c.is_alternative]
        n, m = sorted((int(placeholders[i]), int(placeholders[j])))
        sizes.append(
            (perm(m, n), len(alternatives), len({c.placeholders for c in constraints} | {()}))
        )
        if 0 < len(alternatives) <= MOST_SUBSETS:
            factors = multiplicities(alternatives)
            counted += len(constraints)
            agree += sum(factors.get(c.placeholders, 0) == c.multiplicity for c in constraints)
    return {"sizes": np.array(sizes, float), "counted": counted, "agree": agree}


def multiplicities(alternatives: list[set[tuple[int, int]]]) -> dict[Any, int]:
    """Return N(c) as equation (8) has it: the signs of all subsets of C whose intersection is c.

    Examples
    --------
    >>> multiplicities([{(1, 5)}, {(2, 5)}])
    {((1, 5),): 1, ((2, 5),): 1, (): -1}
    """
    factors: dict[Any, int] = {}
    for size in range(1, len(alternatives) + 1):
        for chosen in combinations(alternatives, size):
            common = tuple(sorted(set.intersection(*chosen)))
            factors[common] = factors.get(common, 0) + (-1) ** (size - 1)
    return factors


def size_rows(sizes: np.ndarray) -> list[Row]:
    """Return means by |C|."""
    rows = []
    for number in sorted(set(sizes[:, 1].tolist())):
        like = sizes[sizes[:, 1] == number]
        row: Row = {"|C|": int(number), "comparisons": len(like)}
        row |= {"|C*|": float(like[:, 2].mean()), "|C*|, largest": int(like[:, 2].max())}
        row |= {"|C| squared": number**2, "2 to the |C|": 2.0**number}
        rows.append(row | {"|F|": float(like[:, 0].mean())})
    return rows


def example_claims() -> list[Row]:
    """Look at the constraints of the paper's figures."""
    kernel = tk.TripartiteKernel()
    third, fifth = (
        {c.placeholders for c in kernel.constraints(*pairs) if c.is_alternative}
        for pairs in (FIGURE_3, FIGURE_5)
    )
    shown = "; ".join(sorted(", ".join(map(str, constraint)) for constraint in third))
    return [
        paper_says(
            "Fig. 3: C consists of (1, 1), and of (1, 3), (2, 5), (3, 4)",
            holds=exactly(third == OF_FIGURE_3),
            why=f"Ours: {shown}; also two, of {perm(5, 3)} correspondences. A rule may ask for "
            "(1, 1) in its text and for (2, 5), (3, 4) in its hypothesis. It is common to both "
            "pairs by the paper's definition, but C as made there, from texts and hypotheses each "
            "alone, has nothing that covers it.",
        ),
        paper_says(
            "Fig. 5: c1 and c2 are alternative constraints",
            holds=exactly(fifth >= OF_FIGURE_5),
            why=f"Of {len(fifth)}: the paper looks at fragments with the roots alone, here.",
        ),
    ]


def claims(samples: list[dict[str, Any]]) -> list[Row]:
    """Judge what the paper says of the sizes of the sets on average."""

    def means(values: Any) -> np.ndarray:
        return np.array([float(np.mean(values(*sample["sizes"].T))) for sample in samples])

    possible = means(lambda f, c, s: f) / means(lambda f, c, s: c)
    subsets = means(lambda f, c, s: 2**c) / means(lambda f, c, s: s)
    if any(len(set(sample["sizes"][:, 1].tolist()) - {0}) < 2 for sample in samples):
        return []
    squares = means(lambda f, c, s: c**2) / means(lambda f, c, s: s)
    powers = [power(sample["sizes"]) for sample in samples]
    every = np.concatenate([sample["sizes"] for sample in samples])
    counted = sum(sample["counted"] for sample in samples)
    agree = sum(sample["agree"] for sample in samples)
    typical = np.median(every, axis=0)
    return [
        paper_says(
            "|C| is much smaller than |F| (mean |F| to mean |C|)",
            ours=float(np.mean(possible)),
            unit="times",
            holds=greater(list(np.log(possible / MUCH))),
            why=f"The median comparison has {typical[1]:.0f} of {typical[0]:.0f}.",
        ),
        paper_says(
            "C* is much smaller than the set of all subsets of C (mean 2^|C| to mean |C*|)",
            ours=float(np.mean(subsets)),
            unit="times",
            holds=greater(list(np.log(subsets / MUCH))),
            why=f"The few comparisons with many constraints decide; the most is "
            f"{every[:, 1].max():.0f}. The median comparison has {typical[2]:.0f} of "
            f"{2 ** typical[1]:.0f}.",
        ),
        paper_says(
            "C* is found in O(|C|²) on average (mean |C|² to mean |C*|, and the power of |C| with "
            "which |C*| grows is at most 2)",
            ours=float(np.mean(squares)),
            unit="times",
            holds=all_of(
                [
                    greater(list(np.log(squares))),
                    not_greater([p - 2 for p in powers], MARGINS["exponent"]),
                ]
            ),
            why=f"The power is {np.mean(powers):.2f}. C* has the empty constraint besides.",
        ),
        paper_says(
            "N(c) is 1 less the N of all larger constraints (equation 9), and counts what equation "
            f"8 counts ({counted:,} constraints)",
            published=100.0,
            ours=100 * agree / counted,
            unit="%",
            holds=exactly(agree == counted),
        ),
    ]


def power(sizes: np.ndarray) -> float:
    """Return the power of |C| with which the mean of |C*| grows."""
    numbers = sorted(set(sizes[:, 1].tolist()) - {0})
    return exponent(numbers, [float(sizes[sizes[:, 1] == n, 2].mean()) for n in numbers])


def draw(figure: Any, rows: list[Row]) -> None:
    place = figure.subplots()
    rows = [row for row in rows if row["|C|"]]
    numbers = [row["|C|"] for row in rows]
    for name, style in (("2 to the |C|", "--"), ("|C| squared", ":"), ("|C*|", "o-")):
        place.plot(numbers, [row[name] for row in rows], style, ms=3, label=name)
    place.set(xlabel="alternative constraints |C|", yscale="log", ylim=(0.8, 1e4), xlim=(0.5, None))
    place.legend()


if __name__ == "__main__":
    main()

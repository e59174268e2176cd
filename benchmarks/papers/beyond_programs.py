"""Beyond the papers: programs that solve the same problem, and programs that were copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from contests import AUTO, Contest, programs, some_of
from shared import claim as judged
from shared import finish, track
from sklearn.metrics import roc_auc_score

import treekernels as tk
from bench_code_search import Tokens, json_lines, ranking
from common import Row, arguments, say
from treekernels.kernels.automatic import kernel_for

FIFTHS = 5
KERNELS: dict[str, tk.Kernel] = {
    "subset trees": tk.SubsetTreeKernel(),
    "subset trees, idf": tk.SubsetTreeKernel(weights="idf", counts="log"),
    "subpaths, idf": tk.SubpathKernel(max_length=4, counts="binary", weights="idf"),
    "pq-grams, idf": tk.PQGramKernel(counts="binary", weights="idf"),
    "features": tk.TreeFeaturesKernel(),
    "features, idf": tk.TreeFeaturesKernel(weights="idf"),
}
OTHERS = "features, idf of other programs"
TOKENS = "tokens, tf-idf"
# MAP@R on the test set of POJ-104, which is not at hand: other problems, 500 programs of each.
PUBLISHED = {"Aroma, nothing learned": 55.1, "CodeBERT, trained on problems 1 to 64": 82.7}
NOTES = [
    "Ranking: for each program, the others of its problem are to come first (MAP@R, percent). No",
    f"kernel sees a label. Tests are paired over {FIFTHS} parts with every {FIFTHS}th program,",
    "which share no program; the table has all programs at once. Frequencies (idf) are those of",
    f"the programs that are ranked, but for '{OTHERS}', which has them of the training",
    "part of POJ-104: 3,840 programs for other problems. Copies: pairs of programs from contests",
    "are ranked by similarity (area under the ROC curve, percent), with frequencies of all their",
    "programs; the parts are fifths of the pairs. 'auto' is what kernel='auto' takes for programs",
    "where nothing is learned; that rule was made by looking at these corpora among others. Names",
    "that a program declares are hidden.",
]
Scores = dict[str, list[float]]  # of a kernel: in each fifth, and of everything


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=120)
    poj = programs(chosen(args, "poj104.valid"), "cpp")
    known, _ = programs(chosen(args, "poj104.train"), "cpp")
    gcj = programs(chosen(args, "gcj.java"), "java")
    say(f"{len(known):,} + {len(poj[0]):,} + {len(gcj[0]):,} programs read")
    weights = tk.InverseDocumentFrequency.learned_from(known)
    scores = {
        "POJ-104": ranked(poj, KERNELS | {OTHERS: tk.TreeFeaturesKernel(weights=weights)}),
        "Google Code Jam": ranked(gcj, KERNELS),
        "ConPlag": copies(chosen(args, "conplag.java")),
    }
    rows = [
        {"kernel": name}
        | {task: by_kernel[name][-1] for task, by_kernel in scores.items() if name in by_kernel}
        for name in dict.fromkeys(name for by_kernel in scores.values() for name in by_kernel)
    ]
    contests = {
        task: Contest({name: np.array(values[:-1]) for name, values in by_kernel.items()})
        for task, by_kernel in scores.items()
    }
    finish(
        __file__,
        args,
        what="Programs: POJ-104, Google Code Jam and ConPlag",
        data="POJ-104 (the validation part of CodeXGLUE, 1,600 programs in C and C++ for 16 "
        "problems, and frequencies of its training part), 1,665 programs in Java for 12 problems "
        "of Google Code Jam, and the 911 pairs of ConPlag.",
        parameters={"names": "hidden", "parts": FIFTHS},
        tables={"MAP@R and area under the ROC curve, %, all at once": rows},
        claims=claims(contests, scores["POJ-104"]),
        notes=NOTES,
        draw=lambda figure: draw(figure, rows),
        width=8,
    )


def chosen(args: Any, name: str) -> list[Any]:
    """Return the lines of a file in random order, so that ties do not favour neighbours."""
    return some_of(json_lines(args.data / f"{name}.jsonl.gz"), args.trees)


def in_parts(count: int, score: Callable[[np.ndarray], float]) -> list[float]:
    """Return the score of each fifth and of everything, in percent."""
    places = np.arange(count)
    parts = [places[first::FIFTHS] for first in range(FIFTHS)]
    return [100 * score(part) for part in [*parts, places]]


def ranked(corpus: tuple[tk.Forest, np.ndarray], kernels: dict[str, tk.Kernel]) -> Scores:
    """Return MAP@R by kernel, in each fifth and of all programs."""
    trees, problems = corpus
    scores: Scores = {}
    for name, kernel in track((kernels | {AUTO: kernel_for(trees, "code")}).items(), "kernels"):

        def score(part: np.ndarray, kernel: tk.Kernel = kernel) -> float:
            chosen = trees[part]
            return ranking(kernel.fitted_on(chosen)(chosen), problems[part])[0]

        scores[name] = in_parts(len(trees), score)
        say(f"{name}: {scores[name][-1]:.1f} %")
    return scores


def copies(pairs: list[Any]) -> Scores:
    """Return the area under the ROC curve by kernel, in each fifth and of all pairs."""
    copied = np.array([pair["plagiarized"] for pair in pairs])
    sources = [pair[side] for pair in pairs for side in ("source_1", "source_2")]
    trees, _ = programs([{"source": source, "problem": 0} for source in sources], "java")
    tokens = Tokens()
    tokens.fit(sources)
    similarities = {
        name: pair_values(kernel.fitted_on(trees), trees)
        for name, kernel in (KERNELS | {AUTO: kernel_for(trees, "code")}).items()
    }
    similarities[TOKENS] = tokens.pairs(sources[::2], sources[1::2])
    return {
        name: in_parts(len(pairs), lambda p, v=values: float(roc_auc_score(copied[p], v[p])))
        for name, values in similarities.items()
    }


def pair_values(kernel: tk.Kernel, trees: tk.Forest) -> np.ndarray:
    """Return the similarity of each tree at an even place with the next."""
    places = range(0, len(trees), 2)
    return np.array([kernel(trees[i : i + 1], trees[i + 1 : i + 2])[0, 0] for i in places])


def claims(contests: dict[str, Contest], poj: Scores) -> list[Row]:
    """Judge kernels on each task, and put published figures on POJ-104 beside."""
    alike = {
        task: result._replace(scores=without(result.scores, OTHERS))
        for task, result in contests.items()
    }
    made = [result.automatic(task) for task, result in alike.items()]
    made += [
        result.better(
            f"{task}: frequencies help features (idf against none)", "features, idf", "features"
        )
        for task, result in contests.items()
    ]
    made += [
        result.better(f"{task}: features are better than subset trees", "features", "subset trees")
        for task, result in contests.items()
    ]
    made.append(
        contests["POJ-104"].better(
            "POJ-104: frequencies of other programs are better than those of the ranked ones",
            OTHERS,
            "features, idf",
        )
    )
    made.append(
        contests["ConPlag"].better(
            "ConPlag: trees are better than tokens (features, idf)", "features, idf", TOKENS
        )
    )
    made += [
        judged(
            f"Beside it: MAP@R on POJ-104 of {name}",
            published=published,
            ours=poj[OTHERS][-1],
            unit="%",
            why=f"Ours is {OTHERS}, on other problems (65 to 80) with a fifth as many programs.",
        )
        for name, published in PUBLISHED.items()
    ]
    return made


def without(scores: dict[str, np.ndarray], name: str) -> dict[str, np.ndarray]:
    """Return the scores of all kernels but one, which knows more than the others."""
    return {kernel: result for kernel, result in scores.items() if kernel != name}


def draw(figure: Any, rows: list[Row]) -> None:
    place = figure.subplots()
    tasks = [name for name in rows[0] if name != "kernel"]
    for shift, task in enumerate(tasks):
        shown = [row for row in rows if task in row]
        heights = [-rows.index(row) - 0.25 * shift for row in shown]
        place.barh(heights, [row[task] for row in shown], 0.25, label=task)
    place.set_yticks([-number - 0.25 for number in range(len(rows))], [r["kernel"] for r in rows])
    place.set(xlabel="MAP@R, or area under the ROC curve, %")
    place.legend(loc="upper left", bbox_to_anchor=(1, 1))


if __name__ == "__main__":
    main()

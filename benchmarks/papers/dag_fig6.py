"""Fig. 5 and 6 of Da San Martino et al. (AAAI 2019): time and F1 of the voted DAG perceptron."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from evaluation import by_sentence, f1, f1_counts, paired_bootstrap, verdict
from propbank import load_boundary  # it sets the path
from shared import claim as paper_says
from shared import finish, track

import treekernels as tk
from common import Row, arguments, say
from stream import combined, polynomial, sizes_up_to, stream, tree_kernel

SHARES = [0.8, 0.1, 0.1]  # of the sentences: training, validation, test
CHOICES = [(decay, gamma) for decay in (0.4, 0.6) for gamma in (0.3, 0.6, 0.9)]
CHOSEN_ON = 25_000  # examples, for decay and gamma of the combination
MOST_POLY = 100_000  # examples, where a kernel compares with all support examples
COSTS = [1.0, 10.0, 100.0]
# F1 by millions of examples, and hours for all of them (4,079,510).
PUBLISHED_F1 = {"Tk": {1: 0.805, 2: 0.814, 4: 0.822}, "Poly3": {4: 0.818}, "Tk+Poly3": {4: 0.831}}
PUBLISHED_SECONDS = {"Poly3": 129_163.98, "Tk": 51_235.9, "Tk+Poly3": 178_826.19}
PUBLISHED_SVM_MINUTES = 10_705  # for a million examples
NOTES = [
    "Sentences are split 80/10/10 at random (seed 0). Perceptrons see the training examples once,",
    "in one random order; decay and gamma of Tk+Poly3, and C of the SVM, are chosen on the",
    f"validation part after {CHOSEN_ON:,} examples. SVM: SST, decay 0.4, without a Gram matrix.",
    f"Poly3 and Tk+Poly3 stop at {MOST_POLY:,} examples. F1 of boundaries in the test part; p:",
    "paired bootstrap over sentences. Times are of the processor.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=3000)
    X, y, sentences = load_boundary(args.data, args.trees)
    train, validation, test = by_sentence(sentences, SHARES)
    order = np.random.default_rng(0).permutation(train)
    parts = {"train": (X[order], y[order])}
    parts |= {"validation": (X[validation], y[validation]), "test": (X[test], y[test])}
    decay, gamma, choices = choose(parts)
    cost, costs = choose_cost(parts)
    kernels = {"Tk": tree_kernel(0.4), "Poly3": polynomial(), "Tk+Poly3": combined(decay, gamma)}
    rows: list[Row] = []
    predicted: dict[tuple[str, int], np.ndarray] = {}
    for name in track(kernels, "perceptrons"):
        sizes = sizes_up_to(len(order), None if name == "Tk" else MOST_POLY)

        def look(learner: tk.TreePerceptron, name: str = name) -> Row:
            predicted[name, learner.t_] = found = learner.predict(parts["test"][0])
            return {"F1": f1_of(found, parts["test"][1])}

        rows += [
            {"learner": name, **row}
            for row in stream(kernels[name], *parts["train"], sizes, look=look)
        ]
        say(f"{name}: {rows[-1]}")
    for size in track(sizes_up_to(len(order)), "SVM"):
        learner, seconds = machine(parts, size, cost)
        predicted["SVM Tk", size] = found = learner.predict(parts["test"][0])
        score = f1_of(found, parts["test"][1])
        rows.append({"learner": "SVM Tk", "examples": size, "seconds": seconds, "F1": score})
        say(f"SVM: {rows[-1]}")
    where = [sentences[i] for i in test]
    finish(
        __file__,
        args,
        what="Fig. 5 and 6: time and F1 of the voted DAG perceptron, and of an SVM",
        data="`propbank.boundary` (363,764 candidates of the Penn Treebank sample) stands in for "
        "the 4,463,066 of the whole Penn Treebank. The paper's numerical features are not given; "
        "Poly3 here sees the seven features of Gildea and Jurafsky.",
        parameters={"decay": 0.4, "C": cost, "training": len(train), "validation": len(validation)}
        | {"test": len(test), "Tk+Poly3": f"decay {decay}, gamma {gamma}"},
        tables={"Time and F1": rows, "Tk+Poly3 on the validation part": choices}
        | {"SVM on the validation part": costs},
        claims=claims(rows, predicted, parts["test"][1], where),
        notes=NOTES,
        draw=lambda figure: draw(figure, rows),
    )


def f1_of(predicted: np.ndarray, truth: np.ndarray) -> float:
    return float(f1(f1_counts(predicted, truth).sum(0)))


def choose(parts: dict[str, Any]) -> tuple[float, float, list[Row]]:
    """Return decay and gamma of the combination that are best on the validation part."""
    X, y = parts["train"]
    count = min(CHOSEN_ON, len(y))
    rows: list[Row] = []
    for decay, gamma in track(CHOICES, "decay and gamma"):
        learner = tk.TreePerceptron(
            combined(decay, gamma), average="vote", epochs=1, shuffle=False, n_jobs=2
        )
        learner.fit(X[np.arange(count)], y[:count])
        found = learner.predict(parts["validation"][0])
        rows.append({"decay": decay, "gamma": gamma, "F1": f1_of(found, parts["validation"][1])})
    best = max(rows, key=lambda row: row["F1"])
    return best["decay"], best["gamma"], rows


def choose_cost(parts: dict[str, Any]) -> tuple[float, list[Row]]:
    """Return the C that is best on the validation part."""
    X, truth = parts["validation"]
    count = min(CHOSEN_ON, len(parts["train"][1]))
    rows: list[Row] = []
    for cost in COSTS:
        learner, _ = machine(parts, count, cost)
        rows.append({"C": cost, "F1": f1_of(learner.predict(X), truth)})
    return max(rows, key=lambda row: row["F1"])["C"], rows


def machine(parts: dict[str, Any], size: int, cost: float) -> tuple[tk.TreeSVC, float]:
    """Train a support vector machine on the first examples, and say how long it took."""
    X, y = parts["train"]
    learner = tk.TreeSVC(tree_kernel(0.4), C=cost, random_state=0, n_jobs=2)
    part = X[np.arange(size)]
    start = time.process_time()
    learner.fit(part, y[:size])
    return learner, time.process_time() - start


def claims(
    rows: list[Row],
    predicted: dict[tuple[str, int], np.ndarray],
    truth: np.ndarray,
    sentences: list[str],
) -> list[Row]:
    def sizes(name: str) -> list[int]:
        return sorted(row["examples"] for row in rows if row["learner"] == name)

    def at(name: str, size: int) -> Row:
        return next(r for r in rows if (r["learner"], r["examples"]) == (name, size))

    def compare(a: tuple[str, int], b: tuple[str, int]) -> dict[str, float]:
        one, two = (f1_counts(predicted[key], truth) for key in (a, b))
        return paired_bootstrap(one, two, sentences, f1)

    made: list[Row] = []
    for name in ("Tk", "Poly3", "Tk+Poly3"):
        last = at(name, sizes(name)[-1])
        rate, published = last["seconds"] / last["examples"], PUBLISHED_SECONDS[name] / 4_079_510
        made.append(
            paper_says(
                f"F1 of {name} with all training examples",
                published=PUBLISHED_F1[name][4],
                ours=last["F1"],
                why=f"With {last['examples']:,} examples instead of 4 million.",
            )
        )
        made.append(
            paper_says(
                f"Training time of {name} (milliseconds an example)",
                published=1e3 * published,
                ours=1e3 * rate,
                unit="ms",
                why="Other machine, and a smaller model, as there are fewer examples.",
            )
        )
    common = min(sizes("Poly3")[-1], sizes("Tk+Poly3")[-1])
    better = compare(("Tk+Poly3", common), ("Tk", common))
    most = compare(("Tk+Poly3", common), ("Poly3", common))
    first, last = sizes("Tk")[-2:] if len(sizes("Tk")) > 1 else sizes("Tk") * 2
    grows = compare(("Tk", last), ("Tk", first))
    half = max([size for size in sizes("SVM Tk") if 2 * size <= last], default=last)
    beside = compare(("Tk", last), ("SVM Tk", half))
    svm = compare(("SVM Tk", last), ("Tk", last))
    time_of = {name: at(name, common)["seconds"] for name in ("Tk", "Poly3", "Tk+Poly3")}
    whole = at("SVM Tk", last)
    return [
        *made,
        paper_says(
            f"The combination is better than Tk ({common:,} examples)",
            published=PUBLISHED_F1["Tk+Poly3"][4] - PUBLISHED_F1["Tk"][4],
            ours=better["difference"],
            holds=verdict(better),
            why=f"p = {better['p']:.2g}.",
        ),
        paper_says(
            f"and than Poly3 ({common:,} examples)",
            published=PUBLISHED_F1["Tk+Poly3"][4] - PUBLISHED_F1["Poly3"][4],
            ours=most["difference"],
            holds=verdict(most),
            why=f"p = {most['p']:.2g}.",
        ),
        paper_says(
            f"F1 of Tk grows with the examples (from {first:,} to {last:,})",
            published=PUBLISHED_F1["Tk"][4] - PUBLISHED_F1["Tk"][2],
            ours=grows["difference"],
            holds=verdict(grows),
            why=f"p = {grows['p']:.2g}.",
        ),
        paper_says(
            "Tk takes least time, the combination most",
            holds=time_of["Tk"] < time_of["Poly3"] < time_of["Tk+Poly3"],
            why=", ".join(f"{name} {value:.1f} s" for name, value in time_of.items())
            + f" for {common:,} examples.",
        ),
        paper_says(
            "The SVM is better than the perceptron on as many examples",
            ours=svm["difference"],
            holds=verdict(svm),
            why=f"At {last:,} examples; p = {svm['p']:.2g}.",
        ),
        paper_says(
            "Twice as many examples make the perceptron better than the SVM "
            f"({last:,} against {half:,})",
            ours=beside["difference"],
            holds=verdict(beside),
            why=f"p = {beside['p']:.2g}. One pass over so few more examples does not make up for "
            "many passes.",
        ),
        paper_says(
            "Beyond the paper: the SVM without a Gram matrix on all examples (milliseconds each; "
            "the paper's SVM had a million)",
            published=60e3 * PUBLISHED_SVM_MINUTES / 1e6,
            ours=1e3 * whole["seconds"] / whole["examples"],
            unit="ms",
            why="What made the paper prefer perceptrons, the cost of SVMs, is gone.",
        ),
    ]


def draw(figure: Any, rows: list[Row]) -> None:
    seconds, score = figure.subplots(1, 2)
    for name in dict.fromkeys(row["learner"] for row in rows):
        some = [row for row in rows if row["learner"] == name]
        examples = [row["examples"] for row in some]
        style = "k--" if "SVM" in name else "-"
        seconds.plot(examples, [r["seconds"] for r in some], style, marker="o", ms=3, label=name)
        score.plot(examples, [r["F1"] for r in some], style, marker="o", ms=3, label=name)
    seconds.set(xlabel="examples", ylabel="seconds", title="Fig. 5", xscale="log", yscale="log")
    score.set(xlabel="examples", ylabel="F1", title="Fig. 6", xscale="log")
    seconds.legend()


if __name__ == "__main__":
    main()

"""How long one call takes for one pair of trees: what is there beside the kernel itself."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import treekernels as tk
from common import FILES, Row, arguments, load_texts, report, say, target

NOTES = [
    "Two treebank trees of about average size, normalised subset-tree kernel, one thread.",
    "A time is the least of some thousand short runs of a few calls each.",
    "short: the shortest of the sentences, for which what is there beside the work counts most.",
    "large DAG: the two trees are slices of a forest of the whole file.",
    "stream: a perceptron (average=None) that has learned from 300 by partial_fit.",
    "machine: a TreeSVC that has learned from all, of the size of its model.",
]
CALLS = 5  # of a run: few, so that some runs are left alone by the rest of the machine


def main() -> None:
    args = arguments(__doc__ or "", repeat=1000)
    if args.quick:
        args.repeat = min(args.repeat, 100)
    texts = load_texts(args.data / FILES["treebank"], args.trees)
    large = tk.Forest.from_brackets(texts)
    one, two = pair_of_average_size(large)
    both = large[[one, two]]
    small = tk.Forest.from_brackets([texts[one], texts[two]])
    tiny = tk.Forest.from_brackets(sorted(texts, key=len)[:2])
    apart = [tk.Forest.from_brackets([texts[number]]) for number in (one, two)]
    kernel = tk.SubsetTreeKernel()
    learner = tk.TreePerceptron(kernel, average=None)
    learner.partial_fit(large[:300], np.arange(len(large[:300])) % 2, classes=[0, 1])
    classes = [text.count("(PP") > 2 for text in texts]
    machine = tk.TreeSVC(kernel, C=1, random_state=0).fit(large, classes)
    shortest = min(texts, key=len)
    calls: dict[str, tuple[Callable[[], object], float | None]] = {
        "kernel(f, g), one DAG": (lambda f=small[:1], g=small[1:]: kernel(f, g), 20.0),
        "kernel(f, g), two DAGs": (lambda: kernel(*apart), 40.0),
        "kernel(f, g), short": (lambda f=tiny[:1], g=tiny[1:]: kernel(f, g), 10.0),
        "kernel(f, g), one large DAG": (lambda f=both[:1], g=both[1:]: kernel(f, g), None),
        "kernel([text], [text])": (lambda: kernel([texts[one]], [texts[two]]), None),
        "kernel.diag(f)": (lambda f=small[:1]: kernel.diag(f), 20.0),
        "stream.predict(f)": (lambda f=small[:1]: learner.predict(f), None),
        "machine.predict(f)": (lambda f=small[:1]: machine.predict(f), None),
        "machine.predict([short])": (lambda: machine.predict([shortest]), 60.0),
    }
    rows: list[Row] = []
    for name, (call, most) in calls.items():
        say(name)
        us = least_microseconds(call, args.repeat)
        rows.append({"call": name, "us": us} | (target(us, "us", at_most=most) if most else {}))
    sizes = " and ".join(str(size) for size in both.sizes)
    notes = [*NOTES, f"The machine's model has {machine.n_model_nodes_:,} subtrees."]
    report(__file__, args, {f"One call, trees of {sizes} nodes": rows}, notes)


def pair_of_average_size(forest: tk.Forest) -> tuple[int, int]:
    """Return the first two different trees that are within a tenth of the mean size."""
    mean = forest.sizes.mean()
    near = np.flatnonzero(np.abs(forest.sizes - mean) <= mean / 10)
    first = int(near[0])
    return first, next(int(number) for number in near if forest[int(number)] != forest[first])


def least_microseconds(call: Callable[[], object], repeat: int) -> float:
    """Return the least time of a call."""
    least = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        least = min(least, time.perf_counter() - start)
    return 1e6 * least / CALLS


if __name__ == "__main__":
    main()

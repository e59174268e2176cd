"""Learning with partial and elastic trees on the weighted forest: growth with the examples."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import FILES, Row, arguments, in_fresh_process, load_rows, report, say, target

KERNELS: dict[str, Callable[[], tk.Kernel]] = {
    "partial": tk.PartialTreeKernel,
    "elastic": tk.ElasticTreeKernel,
}
SIZES = {"TreeSVC": (10_000, 20_000, 40_000, 100_000), "TreePerceptron": (50_000, 100_000, 200_000)}
# Seconds and MB by learner and examples; None for all of them.
TARGETS: dict[str, dict[int | None, tuple[float, float]]] = {
    "TreeSVC": {40_000: (60.0, 1_500.0), 100_000: (600.0, 2_000.0)},
    "TreePerceptron": {None: (250.0, 1_500.0)},
}
ALLOWANCE = {"partial": 1.0, "elastic": 2.0}  # of time
NOTES = [
    "propbank.boundary, shuffled with seed 0; C 1 and one epoch, all else as it is by default; one",
    "thread, and a fresh process each. CPU seconds of fit, without the forest; the peak is that of",
    "the process, with it. The exponent is the power of the number of examples that fits the times",
    "best. A single tree is scored twenty times, after a first time that prepares the model.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=2_000, repeat=1)
    growth: list[Row] = []
    exponents: list[Row] = []
    for kernel in KERNELS:
        for learner in SIZES:
            found = measure_growth(kernel, learner, args.data, args.trees)
            growth += found
            if len(found) > 1:
                exponents.append({"kernel": kernel, "learner": learner, "exponent": fit(found)})
    tables = {"Learning": growth, "Growth of the time": exponents}
    report(__file__, args, {name: rows for name, rows in tables.items() if rows}, NOTES)


def measure_growth(kernel: str, learner: str, data: Path, limit: int | None) -> list[Row]:
    """Learn from more and more examples."""
    sizes: list[int | None] = [size for size in SIZES[learner] if limit is None or size < limit]
    if limit is not None:
        sizes = [limit // 4, limit // 2, limit]
    elif learner == "TreePerceptron":
        sizes.append(None)
    rows: list[Row] = []
    for size in sizes:
        say(f"{kernel}: {learner}, {'all' if size is None else format(size, ',')} examples")
        row = in_fresh_process(learn, kernel, learner, data, size)
        say(f"  {row['seconds']:.1f} s, {row['peak MB']:,.0f} MB")
        if size in TARGETS[learner]:
            seconds, megabytes = TARGETS[learner][size]
            row |= target(row["seconds"], "s", at_most=seconds * ALLOWANCE[kernel])
            if row["peak MB"] > megabytes:
                row["met"] = "MISSED"
            row["target"] += f", {megabytes:,.0f} MB"
        rows.append(row)
    return rows


def learn(kernel: str, learner: str, data: Path, size: int | None) -> Row:
    """Fit one learner, and score single trees with it."""
    lines = load_rows(data / FILES["propbank"])
    chosen = [lines[i] for i in np.random.default_rng(0).permutation(len(lines))[:size]]
    forest = tk.Forest.from_brackets([line[-1] for line in chosen])
    labels = np.array([line[0] for line in chosen])
    machine: Any = {
        "TreeSVC": lambda: tk.TreeSVC(KERNELS[kernel](), C=1.0, solver="forest", random_state=0),
        "TreePerceptron": lambda: tk.TreePerceptron(KERNELS[kernel](), epochs=1, random_state=0),
    }[learner]()
    del lines
    start = time.process_time()
    machine.fit(forest, labels)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "kernel": kernel,
        "learner": learner,
        "examples": len(forest),
        "model size": int(machine.n_model_nodes_),
        "seconds": seconds,
        "peak MB": peak,
        "a single tree, ms": single_tree_ms(machine, [line[-1] for line in chosen[:21]]),
    }


def single_tree_ms(machine: Any, texts: list[str]) -> float:
    """Score one tree after the other, each a forest of its own."""
    first, *others = [tk.Forest.from_brackets([text]) for text in texts]
    machine.decision_function(first)
    start = time.process_time()
    for tree in others:
        machine.decision_function(tree)
    return 1e3 * (time.process_time() - start) / len(others)


def fit(rows: list[Row]) -> float:
    """Return the exponent of the number of examples."""
    examples = np.log([row["examples"] for row in rows])
    seconds = np.log([row["seconds"] for row in rows])
    return float(np.polyfit(examples, seconds, 1)[0])


if __name__ == "__main__":
    main()

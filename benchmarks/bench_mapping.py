"""Learning with a mapping kernel: time, calls of the local kernel, and what the model keeps."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, report, say, target

NOTES = [
    "Made up examples of 12 parts each, of which there are 30 in all, and noisy labels.",
    "Processor time of fit and of prediction of all examples together, on one thread.",
    "calls: of the local kernel, a Python function, of which there are 465 pairs in all.",
]
PARTS = 30
EXAMPLES = 3000


def main() -> None:
    args = arguments(__doc__ or "")
    X, y = examples(min(EXAMPLES, args.trees or EXAMPLES))
    learners: dict[str, Any] = {
        "TreePerceptron, last": (tk.TreePerceptron, {"average": None}),
        "TreePerceptron, mean": (tk.TreePerceptron, {"average": "mean"}),
        "TreePerceptron, vote": (tk.TreePerceptron, {}),
        "TreeSVC, Gram matrix": (tk.TreeSVC, {"solver": "forest"}),
        "TreeSVC, features": (tk.TreeSVC, {"solver": "forest", "cache_size": 1}),
    }
    rows: list[Row] = []
    for name, (class_, options) in learners.items():
        say(name)
        calls = 0

        def closeness(p: int, q: int) -> float:
            nonlocal calls
            calls += 1
            return 1.0 / (1 + abs(p - q))

        kernel = tk.MappingKernel(list, closeness, normalize=True)
        learner = class_(kernel, random_state=0, **options)
        begin = time.process_time()
        learner.fit(X, y).predict(X)
        seconds = time.process_time() - begin
        row: Row = {"learner": name, "seconds": seconds, "kept": learner.n_model_nodes_}
        rows.append(row | {"calls": calls} | target(calls, "calls", at_most=465))
    report(__file__, args, {f"{len(X):,} examples of {PARTS} different parts": rows}, NOTES)


def examples(count: int) -> tuple[list[list[int]], np.ndarray]:
    """Return examples, and labels that depend on their parts."""
    random = np.random.RandomState(0)
    weights = random.normal(size=PARTS)
    X = [random.randint(0, PARTS, 12).tolist() for _ in range(count)]
    y = [int(weights[x].sum() + random.normal() > 0) for x in X]
    return X, np.array(y)


if __name__ == "__main__":
    main()

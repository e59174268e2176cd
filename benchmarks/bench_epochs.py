"""How many epochs to begin with: scores of perceptrons and passive-aggressive learners by epochs.

The tasks, the folds and the scores are those of `bench_penalty.py`. The examples come in random
order, as they do by default, and the order is another one in each epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import treekernels as tk
from bench_penalty import Problem, problems
from common import Row, arguments, report, say

EPOCHS = (1, 2, 3, 5, 10)
LEARNERS: dict[str, Callable[..., Any]] = {
    "perceptron": tk.TreePerceptron,
    "passive-aggressive": tk.TreePassiveAggressive,
}


def measure(problem: Problem, name: str) -> Iterator[Row]:
    """Learn with each number of epochs on each fold."""
    for epochs in EPOCHS:
        scores, started = [], time.process_time()
        for train, test in problem.folds():
            learner = LEARNERS[name](epochs=epochs, random_state=0)
            learner.fit(problem.trees[train], problem.labels[train])
            scores.append(problem.score(problem.labels[test], learner.predict(problem.trees[test])))
        yield {
            "task": problem.name,
            "examples": len(problem.trees),
            "learner": name,
            "epochs": epochs,
            "score": float(np.mean(scores)),
            "between folds": float(np.std(scores)),
            "processor s": time.process_time() - started,
        }


def main() -> None:
    """Measure every task with both learners and print one table."""
    args = arguments(__doc__.splitlines()[0])
    rows = []
    for problem in problems(args):
        for name in LEARNERS:
            for row in measure(problem, name):
                say(f"{row['task']}, {name}, {row['epochs']} epochs: {row['score']:.4f}")
                rows.append(row)
    report(__file__, args, {"Score by the number of epochs, mean of the folds": rows})


if __name__ == "__main__":
    main()

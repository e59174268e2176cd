"""One perceptron epoch over a stream of generated trees, as many as seed 002's four million.

The trees are drawn from the productions of propbank.boundary, each child with the frequency that it
has there below its parent's production; labels come from the two classes' own grammars.
"""

from __future__ import annotations

import gzip
import resource
import time
from collections import Counter, defaultdict
from itertools import islice
from pathlib import Path

import numpy as np

import treekernels as tk
from common import Row, arguments, report, say

TREES = 4_079_510  # the training set of Da San Martino et al. (2019)
BATCH = 20_000
MOST_NODES = 700
PAPER_SECONDS = 51_235.9
NOTES = [
    "Trees are generated and interned batch by batch; seconds are those of partial_fit alone.",
    f"The paper took {PAPER_SECONDS:,.0f} s for as many trees (SST, decay 0.4), on its own data",
    "and machine.",
]


class Grammar:
    """Productions of trees with their frequencies, by label and parent's label."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], Counter[tuple[str, ...]]] = defaultdict(Counter)

    def learn(self, tree: tk.Tree) -> None:
        """Count the productions of a tree."""
        open_ = [("", tree)]
        while open_:
            parent, node = open_.pop()
            children = node.children
            self.counts[parent, node.label][tuple(child.label for child in children)] += 1
            open_ += [(node.label, child) for child in children if child.children]

    def finish(self) -> None:
        """Get ready to generate."""
        self.choices = {}
        for key, counts in self.counts.items():
            weights = np.array(list(counts.values()), float)
            self.choices[key] = (list(counts), np.cumsum(weights / weights.sum()))
        roots = Counter({key[1]: sum(c.values()) for key, c in self.counts.items() if not key[0]})
        weights = np.array(list(roots.values()), float)
        self.roots = (list(roots), np.cumsum(weights / weights.sum()))

    def tree(self, random: np.random.Generator) -> str:
        """Generate a tree as text, at most MOST_NODES nodes."""
        for _ in range(100):
            text = self._attempt(random)
            if text:
                return text
        raise RuntimeError("the grammar makes trees that are too large")

    def _attempt(self, random: np.random.Generator) -> str:
        labels, bounds = self.roots
        parts: list[str] = []
        open_: list[tuple[str, str] | None] = [
            ("", labels[np.searchsorted(bounds, random.random())])
        ]
        nodes = 0
        draws = random.random(MOST_NODES + 1)
        while open_:
            node = open_.pop()
            if node is None:
                parts.append(")")
                continue
            nodes += 1
            if nodes > MOST_NODES:
                return ""
            if node not in self.choices:
                parts.append(f" {node[1]}")
                continue
            options, bounds = self.choices[node]
            chosen = options[min(np.searchsorted(bounds, draws[nodes]), len(options) - 1)]
            parts.append(f"({node[1]}" if not parts else f" ({node[1]}")
            open_.append(None)
            open_ += [(node[1], child) for child in reversed(chosen)]
        return "".join(parts)


def main() -> None:
    args = arguments(__doc__ or "", quick=40_000, repeat=1)
    total = args.trees or TREES
    grammars = learned(args.data / "propbank.boundary.tsv.gz", min(total, 100_000))
    report(__file__, args, {"A stream of generated trees": stream(grammars, total)}, NOTES)


def learned(path: Path, limit: int) -> list[Grammar]:
    """Learn the grammar of each class from the first trees of the file."""
    say(f"the productions of {limit:,} trees")
    grammars = [Grammar(), Grammar()]
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in islice(lines, limit)]
    forest = tk.Forest.from_brackets([row[-1] for row in rows])
    for row, tree in zip(rows, forest, strict=True):
        grammars[row[0] == "+1"].learn(tree)
    for grammar in grammars:
        grammar.finish()
    return grammars


def stream(grammars: list[Grammar], total: int) -> list[Row]:
    """Generate, learn, and note time and memory at each doubling."""
    random = np.random.default_rng(0)
    learner = tk.TreePerceptron("sst", average="mean")
    seconds = 0.0
    seen = nodes = 0
    rows: list[Row] = []
    next_note = max(BATCH, total // 32)
    while seen < total:
        labels = (random.random(min(BATCH, total - seen)) < 0.07).astype(int)
        forest = tk.Forest.from_brackets([grammars[label].tree(random) for label in labels])
        nodes += forest.n_nodes
        start = time.perf_counter()
        learner.partial_fit(forest, labels, classes=[0, 1])
        seconds += time.perf_counter() - start
        seen += len(labels)
        if seen >= next_note or seen == total:
            next_note *= 2
            say(f"{seen:,} trees, {seconds:.1f} s")
            rows.append(
                {
                    "trees": seen,
                    "nodes": nodes,
                    "seconds": seconds,
                    "trees a second": seen / seconds,
                    "mistakes, %": 100 * learner.loss_ / seen,
                    "updates": learner.n_updates_,
                    "model nodes": learner.n_model_nodes_,
                    "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
                }
            )
    return rows


if __name__ == "__main__":
    main()

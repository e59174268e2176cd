"""Exact gradients of Gram matrices: their time beside that of the values and of differences.

A gradient by differences takes two more matrices for each parameter. Trees are questions and
sentences of the Penn Treebank; a decay for each of the ten most frequent labels is one of the sets
of parameters.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import treekernels as tk
from common import Row, arguments, best_seconds, load_texts, report, say

OWN_DECAYS = 10
LABEL = re.compile(r"\(([^\s()]+)")
NOTES = [
    "Processor seconds on one thread, normalised values. 'differences' is what two more matrices",
    "for each parameter would take, with about half of the digits.",
]


def kernels(forest: tk.Forest) -> dict[str, Any]:
    """Return what is measured, by name."""
    labels = Counter(LABEL.findall(" ".join(forest[:200].to_brackets())))
    frequent = [label for label, _ in labels.most_common(OWN_DECAYS)]
    own = {**dict.fromkeys(frequent, 0.4), None: 0.4}
    tuned = {"decay_bounds": (1e-3, 1.0), "cut_weight_bounds": (1e-3, 1.0)}
    return {
        "subtrees, decay": tk.SubtreeKernel(0.4),
        "subset trees, decay": tk.SubsetTreeKernel(0.4),
        "subset trees, decay and cut": tk.SubsetTreeKernel(0.4, cut_weight=0.5, **tuned),
        "subset trees, decays by label": tk.SubsetTreeKernel(own),
        "partial trees, both decays": tk.PartialTreeKernel(0.4, 0.4),
        "a weighted sum": 1.0 * tk.SubsetTreeKernel(0.4) + 1.0 * tk.PartialTreeKernel(0.4, 0.4),
    }


def rows_of(name: str, forest: tk.Forest, repeat: int) -> Iterator[Row]:
    """Measure each kernel on some trees."""
    for what, kernel in kernels(forest).items():
        calls = {
            "matrix": partial(kernel, forest),
            "with gradient": partial(kernel, forest, eval_gradient=True),
        }
        seconds = best_seconds(calls, repeat, time.process_time)
        parameters = len(kernel.theta)
        differences = (1 + 2 * parameters) * seconds["matrix"]
        times = seconds["with gradient"] / seconds["matrix"]
        row: Row = {"trees": f"{name}, {len(forest):,}", "kernel": what, "parameters": parameters}
        row |= seconds | {"times a matrix": times, "differences": differences}
        say("  ".join(map(str, row.values())))
        yield row


def main() -> None:
    """Measure all, and print one table."""
    args = arguments((__doc__ or "").splitlines()[0], repeat=3, quick=60)
    tables = []
    for name, count in (("qc.train.tsv.gz", 2000), ("treebank.trees.gz", 1000)):
        texts = load_texts(args.data / name, args.trees or count)
        tables += rows_of(name.partition(".")[0], tk.Forest(texts), args.repeat)
    report(__file__, args, {"Gram matrices with their gradients, s": tables}, NOTES)


if __name__ == "__main__":
    main()

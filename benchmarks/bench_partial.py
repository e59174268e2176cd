"""Gram matrices of the partial-tree (PTK) and elastic kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import treekernels as tk
from common import (
    EXISTING,
    EXISTING_NAME,
    FILES,
    Row,
    arguments,
    best_seconds,
    faster,
    load_texts,
    pairs,
    report,
    sample_indices,
    say,
    touched,
)

KERNELS: dict[str, Callable[..., tk.Kernel]] = {
    "PTK": partial(tk.PartialTreeKernel, decay=0.4, vertical_decay=0.4),
    "elastic": tk.ElasticTreeKernel,
}
NOTES = [
    "Pairs are unordered, those of a tree with itself included; values are normalised.",
    "Trees for ftk are drawn at random with seed 0, from those corpus computes.",
    "Each matrix was allocated and touched beforehand and passed by out= (float64). What a kernel",
    "prepares is in its time, building the forest is not. The existing program has no elastic",
    "kernel; its PTK stands in.",
]


def main() -> None:
    args = arguments(__doc__ or "")
    rows: list[Row] = []
    for data in EXISTING["PTK"]:
        say(f"{data}: reading")
        forest = tk.Forest.from_brackets(load_texts(args.data / FILES[data], args.trees))
        out = touched(len(forest))
        for name in KERNELS:
            say(f"{data}: {name} of {len(forest):,} trees")
            rows += measure(data, name, forest, out, args.repeat)
    report(__file__, args, {"Gram matrices": rows}, NOTES)


def measure(data: str, name: str, forest: tk.Forest, out: np.ndarray, repeat: int) -> list[Row]:
    """Time one kernel on one corpus, after a check that the algorithms agree."""
    make = KERNELS[name]
    sample = sample_indices(len(forest), 300)
    ftk_out = touched(len(sample))
    calls = {
        "ftk": partial(make(algorithm="ftk"), forest[sample], out=ftk_out),
        "corpus": partial(make(), forest, out=out, n_jobs=1),
        "corpus, 2 threads": partial(make(), forest, out=out, n_jobs=2),
    }
    if name != "PTK":
        del calls["corpus, 2 threads"]
    seconds = best_seconds(calls, repeat)
    np.testing.assert_allclose(out[np.ix_(sample, sample)], ftk_out, rtol=1e-9, atol=1e-12)
    sizes = {call: len(sample) if call == "ftk" else len(forest) for call in calls}
    us = {call: 1e6 * seconds[call] / pairs(sizes[call]) for call in calls}

    def row(algorithm: str, against: str, other: float, at_least: float | None = None) -> Row:
        columns = {"data": data, "kernel": name, "algorithm": algorithm}
        return faster(columns, sizes[algorithm], us[algorithm], against, other, at_least)

    existing = EXISTING["PTK"][data]
    rows = [
        row("ftk", f"PTK of {EXISTING_NAME}", existing),
        row("corpus", f"PTK of {EXISTING_NAME}", existing, 10.0),
        row("corpus", "ftk", us["ftk"]),
    ]
    if "corpus, 2 threads" in us:
        rows.append(row("corpus, 2 threads", "corpus", us["corpus"]))
    return rows


if __name__ == "__main__":
    main()

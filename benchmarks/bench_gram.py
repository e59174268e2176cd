"""Gram matrices of the subtree (ST) and subset-tree (SST) kernels, by algorithm and threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256

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
    fewest,
    load_texts,
    pairs,
    report,
    sample_indices,
    say,
    target,
    touched,
)

KERNELS: dict[str, Callable[..., tk.Kernel]] = {
    "SST": partial(tk.SubsetTreeKernel, decay=0.4),
    "ST": partial(tk.SubtreeKernel, decay=1.0),
}
CORPUS_OVER_FTK = {"treebank": 15.0, "qc.train": 10.0, "propbank": 20.0}
SAMPLES = {"qtk": 100, "ftk": 500}
LIMITS = {"propbank": 20_000}
DTYPES = {"propbank": np.float32}  # 1.6 GB; twice that would not fit a small machine
NOTES = [
    "Pairs are unordered, those of a tree with itself included; values are normalised.",
    "Trees for ftk and qtk are drawn at random with seed 0, from those corpus computes.",
    "Each matrix was allocated and touched beforehand and passed by out=, float64 but for",
    "propbank (float32). What a kernel prepares is in its time, building the forest is not.",
    "SHA-256 of two blocks, by turns with the rest, shows what two threads can gain at all at that",
    "time: next to no memory, nothing to wait for. On a shared machine that is less than 2.",
]
HASHED = "SHA-256, 2 threads"
BLOCK = bytes(8 << 20)


def main() -> None:
    args = arguments(__doc__ or "")
    rows: list[Row] = []
    for data, file in FILES.items():
        say(f"{data}: reading")
        texts = load_texts(args.data / file, fewest(args.trees, LIMITS.get(data)))
        rows += measure(data, tk.Forest.from_brackets(texts), args.repeat)
    report(__file__, args, {"Gram matrices": rows}, NOTES)


def measure(data: str, forest: tk.Forest, repeat: int) -> list[Row]:
    """Time all algorithms of both kernels on one corpus."""
    out = touched(len(forest), DTYPES.get(data, np.float64))
    rows: list[Row] = []
    subset: dict[str, float] = {}
    for name in KERNELS:
        say(f"{data}: {name} of {len(forest):,} trees")
        us, sizes = microseconds(name, forest, out, repeat)
        subset = subset or us
        rows += compared(data, name, us, sizes, subset["corpus"])
    return rows


def microseconds(
    name: str, forest: tk.Forest, out: np.ndarray, repeat: int
) -> tuple[dict[str, float], dict[str, int]]:
    """Return the time a pair of each algorithm, and on how many trees; check that they agree."""
    samples = {algorithm: sample_indices(len(forest), size) for algorithm, size in SAMPLES.items()}
    outs = {algorithm: touched(len(sample)) for algorithm, sample in samples.items()}
    make = KERNELS[name]
    calls = {
        algorithm: partial(make(algorithm=algorithm), forest[sample], out=outs[algorithm])
        for algorithm, sample in samples.items()
    }
    calls |= {
        "corpus": partial(make(), forest, out=out, n_jobs=1),
        "corpus, 2 threads": partial(make(), forest, out=out, n_jobs=2),
        "SHA-256": partial(hash_blocks, threads=1),
        HASHED: partial(hash_blocks, threads=2),
    }
    seconds = best_seconds(calls, repeat)
    for algorithm, sample in samples.items():
        values = out[np.ix_(sample, sample)]
        np.testing.assert_allclose(values, outs[algorithm], rtol=1e-5, atol=1e-7)
    sizes = {call: len(samples.get(call, forest)) for call in calls}
    return {call: 1e6 * seconds[call] / pairs(sizes[call]) for call in calls}, sizes


def hash_blocks(threads: int) -> None:
    """Hash two blocks, by one thread or each by its own."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(sha256, [BLOCK] * 2))


def compared(
    data: str, kernel: str, us: dict[str, float], sizes: dict[str, int], subset_corpus: float
) -> list[Row]:
    """Put the times of one kernel on one corpus beside those they are to be compared with."""

    def row(algorithm: str, against: str, other: float, at_least: float | None = None) -> Row:
        columns = {"data": data, "kernel": kernel, "algorithm": algorithm}
        return faster(columns, sizes[algorithm], us[algorithm], against, other, at_least)

    rows = [row("qtk", "ftk", us["ftk"]), row("ftk", "qtk", us["qtk"])]
    existing = EXISTING.get(kernel, {}).get(data)
    if existing is not None:
        rows.append(row("ftk", EXISTING_NAME, existing))
        if data == "treebank":
            rows[-1] |= target(us["ftk"], "us", at_most=0.7)
    if kernel == "SST":
        rows.append(row("corpus", "ftk", us["ftk"], CORPUS_OVER_FTK[data]))
    else:
        rows.append(row("corpus", "ftk", us["ftk"]))
        rows.append(row("corpus", "SST corpus", subset_corpus, 1.0))
    if existing is not None:
        rows.append(row("corpus", EXISTING_NAME, existing) | {"target": "aim 50"})
    rows.append(row("corpus, 2 threads", "corpus", us["corpus"], 1.8))
    rows.append(
        {"data": data, "kernel": kernel, "algorithm": HASHED, "against": "SHA-256"}
        | {"ratio": us["SHA-256"] / us[HASHED]}
    )
    return rows


if __name__ == "__main__":
    main()

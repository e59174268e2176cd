"""Gram matrices of sentence pairs: time a pair, against the paper's algorithm, at the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, best_seconds, pairs, report, say, target, touched
from treekernels import _native
from treekernels.kernels import tripartite
from treekernels.kernels.base.matrices import KernelMatrix, Run

# A form that users have no need of.
ANEW: Any = "inclusion-exclusion, K_S anew"
tripartite._ALGORITHMS[ANEW] = _native.PairsAlgorithm.inclusion_exclusion_anew

NOTES = [
    "RTE-2 dev x dev: pairs are unordered, those of an example with itself included; values are",
    "normalised, and what a kernel prepares is in its time. By placeholders: half of the examples",
    "against the other half, without what is prepared, which for so few takes longer than they do.",
    "inclusion-exclusion is the formula of the paper, with the matching nodes of two trees found",
    "once for all constraints; in the form called K_S anew each K_S is computed on its own, as the",
    "formula reads. Times are processor time, added up over threads; one thread and two are",
    "compared by the clock.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=150)
    data = {
        name: tk.read(args.data / f"{name}.anchored.tsv.gz", format="anchored-pairs")[: args.trees]
        for name in ("rte2.dev", "rte1.test")
    }
    tables = {
        "RTE-2 dev x dev": whole(data["rte2.dev"], args.repeat),
        "RTE-2 dev, by the placeholders of the two pairs": by_placeholders(
            data["rte2.dev"], args.repeat
        ),
        "Many placeholders": many(data["rte1.test"]),
    }
    report(__file__, args, tables, NOTES)


def whole(examples: tk.Pairs, repeat: int) -> list[Row]:
    """Time the whole matrix, by algorithm and threads; check that the algorithms agree."""
    say(f"the matrix of {len(examples):,} pairs")
    names = ("auto", "auto, 2 threads", "inclusion-exclusion", ANEW)
    outs = {name: touched(len(examples)) for name in names}
    kernel = tk.TripartiteKernel()
    calls = {
        "auto": partial(kernel, examples, out=outs["auto"], n_jobs=1),
        "auto, 2 threads": partial(kernel, examples, out=outs["auto, 2 threads"], n_jobs=2),
        "inclusion-exclusion": partial(
            tk.TripartiteKernel(algorithm="inclusion-exclusion"),
            examples,
            out=outs["inclusion-exclusion"],
        ),
        ANEW: partial(tk.TripartiteKernel(algorithm=ANEW), examples, out=outs[ANEW]),
    }
    wall = best_seconds(calls, repeat)
    seconds = processor_seconds(calls, repeat)
    for other in ("inclusion-exclusion", ANEW):
        np.testing.assert_allclose(outs["auto"], outs[other], rtol=1e-9)
    assert np.array_equal(outs["auto"], outs["auto, 2 threads"])
    us = {name: 1e6 * value / pairs(len(examples)) for name, value in seconds.items()}
    row = partial(lambda name, **more: {"algorithm": name, "us a pair": us[name], **more})
    return [
        row("auto", **target(us["auto"], "us", at_most=1000.0)),
        row("auto", against="inclusion-exclusion", ratio=us["inclusion-exclusion"] / us["auto"])
        | target(us["inclusion-exclusion"] / us["auto"], at_least=10.0),
        row("auto", against=ANEW, ratio=us[ANEW] / us["auto"]),
        row("auto, 2 threads", against="auto", ratio=wall["auto"] / wall["auto, 2 threads"])
        | target(wall["auto"] / wall["auto, 2 threads"], at_least=1.8),
        row("inclusion-exclusion"),
        row(ANEW),
    ]


def by_placeholders(examples: tk.Pairs, repeat: int) -> list[Row]:
    """Time both algorithms on pairs with few and with many placeholders."""
    counts = examples.n_placeholders
    rows: list[Row] = []
    for low, high in ((0, 2), (3, 4), (5, 6), (7, 99)):
        chosen = examples[(counts >= low) & (counts <= high)]
        if len(chosen) < 10:
            continue
        say(f"{len(chosen)} pairs with {low} to {high} placeholders")
        half = len(chosen) // 2
        calls = {}
        for algorithm in ("auto", "inclusion-exclusion"):
            kernel = tk.TripartiteKernel(algorithm=algorithm, normalize=False)
            calls[algorithm] = partial(fill, kernel.prepare(chosen[:half], chosen[half:]))
        seconds = processor_seconds(calls, repeat)
        us = {name: 1e6 * s / (half * (len(chosen) - half)) for name, s in seconds.items()}
        rows.append(
            {
                "placeholders": f"{low} to {high}" if high < 99 else f"{low} and more",
                "examples": len(chosen),
                "auto, us": us["auto"],
                "inclusion-exclusion, us": us["inclusion-exclusion"],
                "ratio": us["inclusion-exclusion"] / us["auto"],
            }
        )
    return rows


def processor_seconds(calls: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """Time calls by turns in processor time, which a busy machine disturbs less; best of each."""
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.process_time()
            call()
            best[name] = min(best[name], time.process_time() - start)
    return best


def fill(matrix: KernelMatrix) -> np.ndarray:
    """Compute a matrix that is ready."""
    out = np.empty(matrix.shape)
    matrix.fill(out, Run())
    return out


def many(examples: tk.Pairs) -> list[Row]:
    """Time single comparisons of pairs with twenty and more placeholders."""
    say("pairs with many placeholders")
    most = np.argsort(-examples.n_placeholders)[:3]
    cases = {
        f"an RTE-1 pair with {examples.n_placeholders[i]}, with itself": (examples[[i]],) * 2
        for i in most
    }
    for count in (12, 16, 20):
        names = list(range(count))
        moved = names[1:] + names[:1]
        cases[f"made up: {count} on each side, all contradicting"] = (
            tk.Pairs([star(names)], [star(names)]),
            tk.Pairs([star(names)], [star(moved)]),
        )
    cases["made up: 40 on each side, all contradicting"] = (
        tk.Pairs([star(range(40))], [star(range(40))]),
        tk.Pairs([star(range(40))], [star([*range(1, 40), 0])]),
    )
    rows: list[Row] = []
    for name, (X, Y) in cases.items():
        start = time.perf_counter()
        try:
            what = f"{fill(tk.TripartiteKernel(normalize=False).prepare(X, Y))[0, 0]:.6g}"
        except tk.KernelMemoryError:
            what = "KernelMemoryError"
        rows.append({"case": name, "K": what, "ms": 1e3 * (time.perf_counter() - start)})
    return rows


def star(numbers: range | list[int]) -> str:
    """Any subset of the children makes a fragment: a table of 2 ** children constraints."""
    return "(R " + " ".join(f"(N{i} (X:{n} x{i}))" for i, n in enumerate(numbers)) + ")"


if __name__ == "__main__":
    main()

"""What the scripts on papers share: the folder above on the path, corpora, claims, plots."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from scipy.stats import spearmanr
from verdicts import Verdict

import treekernels as tk
from common import Row, load_texts, report

PAIRS = 5000
Item = TypeVar("Item")
PAPERS = {
    "ftk": "Moschitti, *Making tree kernels practical for natural language learning*, EACL 2006",
    "dtk": "Zanzotto and Dell'Arciprete, *Distributed tree kernels*, ICML 2012",
    "dag": "Da San Martino, Sperduti, Aiolli and Moschitti, *Efficient online learning for mapping "
    "kernels on linguistic structures*, AAAI 2019",
    "pairs": "Zanzotto and Dell'Arciprete, *Efficient kernels for sentence pair classification*, "
    "EMNLP 2009",
    "beyond": "Beyond the papers",
}


def track(items: Iterable[Item], title: str) -> Iterator[Item]:
    """Go through items with a bar on standard error that tells how long it will take."""
    from rich.console import Console
    from rich.progress import track as bar

    yield from bar(list(items), title, console=Console(stderr=True), transient=True)


def claim(
    says: str,
    *,
    published: float | None = None,
    ours: float | None = None,
    unit: str = "",
    holds: Verdict | bool | None = None,
    why: str = "",
    cells: Sequence[Row] = (),
) -> Row:
    """Put what a paper says beside what was found.

    Parameters
    ----------
    says : str
        What the paper says, in its sense.
    published, ours : float, optional
        The paper's figure, and ours.
    holds : Verdict, optional
        Whether what the paper says is so here, by the rule in verdicts.py; None for what is only
        put beside. Whatever was judged without the rule is open.
    why : str
        Why it is so, or why it is not.
    cells : sequence of dict
        Of a table, which counts as one statement: what each cell is, and how far it is off.
    """
    difference = None if published is None or ours is None else ours - published
    result = {"published": published, "ours": ours, "difference": difference, "unit": unit}
    verdict = holds if isinstance(holds, Verdict) else Verdict("open", "not tested by the rule")
    if holds is None:
        verdict = Verdict(None, "")
    judged = {"holds": verdict.holds, "test": verdict.test}
    return {"says": says, **result, **judged, "why": why, "cells": list(cells)}


def cell(where: str, published: float, values: Sequence[float], verdict: Verdict) -> Row:
    """Say how far one cell of a published table is off, from one value for each seed or fold."""
    ours = float(np.mean(values))
    judged = {True: "yes", False: "no", "open": "open", None: ""}[verdict.holds]
    return {"cell": where, "paper": published, "ours": ours, "off by": ours - published} | {
        "within the margin": judged
    }


def finish(
    script: str,
    args: argparse.Namespace,
    *,
    what: str,
    data: str,
    tables: Mapping[str, Sequence[Row]],
    claims: Sequence[Row],
    parameters: Mapping[str, Any],
    notes: Sequence[str] = (),
    draw: Callable[[Any], Any],
    width: float = 10,
    height: float = 4,
) -> None:
    """Print what was found, and write it to results/<script>.json with a plot beside.

    Parameters
    ----------
    what : str
        Which table or figure of the paper this is.
    data : str
        Which data were used, and for which of the paper's they stand in.
    tables, claims, parameters, notes
        For the page on papers; see `claim`.
    draw : callable
        Draws into a figure of matplotlib.
    """
    name = Path(script).stem
    more = {
        "paper": PAPERS[name.split("_")[0]],
        "what": what,
        "data": data,
        "parameters": dict(parameters),
        "claims": list(claims),
        "plot": plot(args.results / f"{name}.png", draw, width, height),
    }
    report(script, args, tables, notes, more)
    for row in claims:
        told = {True: "holds", False: "DOES NOT HOLD", None: "beside", "open": "open"}[row["holds"]]
        print(f"{told}: {row['says']}")


def dimension_for(limit: int | None) -> int:
    """Return the dimension of the paper, or a smaller one for a slice."""
    return 8192 if limit is None else 512


def exact(decay: float) -> tk.SubsetTreeKernel:
    """Return the kernel that is estimated."""
    return tk.SubsetTreeKernel(decay, normalize=False, n_jobs=2)


def embedding(decay: float, dimension: int = 8192, **more: Any) -> tk.DistributedTrees:
    """Return distributed trees for a decay."""
    return tk.DistributedTrees(dimension, decay, n_jobs=2, **more)


def rho(values: np.ndarray, estimates: np.ndarray) -> float:
    """Return Spearman's rank correlation, 0 for estimates that are all the same."""
    if np.ptp(values) == 0 or np.ptp(estimates) == 0:
        return 0.0
    return float(spearmanr(values, estimates).statistic)


def corpus(data: Path, name: str, limit: int | None = None) -> tk.Forest:
    """Return the trees of qc, treebank or rte (texts and hypotheses of the development sets)."""
    files = {
        "qc": ["qc.train.tsv.gz"],
        "treebank": ["treebank.trees.gz"],
        "rte": [f"rte{number}.dev.tsv.gz" for number in (1, 2, 3)],
    }
    texts = [text for file in files[name] for text in load_texts(data / file)]
    return tk.Forest.from_brackets(texts[:limit])


def random_pairs(
    rows: int, columns: int, count: int, *, same: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs, always the same ones; of different trees if both sides are the same forest."""
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, rows, count), rng.integers(0, columns, count)
    keep = (i != j) | (not same)
    return i[keep], j[keep]


def dot_products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the dot product of each row of one with that of the other, in double precision."""
    return np.array([np.dot(x, y) for x, y in zip(a, b, strict=True)], dtype=np.float64)


def plot(path: Path, draw: Callable[[Any], Any], width: float, height: float) -> str | None:
    """Draw into a file and give its name, if matplotlib is there."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: matplotlib is missing (pip install 'treekernels[bench]')")
        return None
    figure = pyplot.figure(figsize=(width, height), layout="constrained")
    draw(figure)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return path.name


def mark_numbers(place: Any, numbers: Sequence[float]) -> None:
    """Write plain numbers below a logarithmic axis, where powers of ten would run together."""
    place.set_xscale("log")
    place.set_xticks(numbers, [f"{number:,}" for number in numbers])
    place.minorticks_off()


def trees_of_size(forest: tk.Forest, low: int, high: int, most: int) -> tk.Forest:
    """Return the first trees that have at least `low` nodes and fewer than `high`."""
    sizes = forest.sizes.astype(int)
    return forest[np.flatnonzero((sizes >= low) & (sizes < high))[:most]]


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the power of the size with which a time grows: the slope between logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])

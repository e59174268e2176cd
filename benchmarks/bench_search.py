"""Search: time of a query, of building an index and of all near-copies; memory; what is missed."""

from __future__ import annotations

import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, load_texts, memory_now, report, sample_indices, say, target

QUERIES = 100
NEIGHBOURS = 10
THRESHOLD = 0.9
BOUNDARY = ("propbank", "ewt", "masc")
FUNCTIONS, FUNCTIONS_COMPARED = 100_000, 20_000
FUNCTION_NODES = (90, 110)
APPROXIMATED = 20_000
PARTS = ("questions", "boundary", "all-boundary", "functions", "approximate")
SUBSETS = tk.SubsetTreeKernel()
WEIGHTED = tk.SubsetTreeKernel(weights="idf", counts="log")
NOTES = [
    "SubsetTreeKernel() with decay 0.4, normalised, one thread; weighted: with weights='idf' and",
    "counts='log', learned from the trees of the index. A query: the 10 trees most alike,",
    "for one tree at a time; median and mean of 100 trees drawn at random, which were read into a",
    "forest of their own before. They are trees of the index, so that each finds itself first.",
    "Building: add() of a forest that is there, in nodes of all trees (not of distinct ones).",
    "Memory: growth of the resident set while the index is built, with what building leaves behind",
    "and the worker's of one query, against that of the forest while it was read. Near-copies: all",
    "pairs of at least 0.9, in processor time.",
    "Functions: those of the standard library and of the packages that are installed, with names.",
    "Approximate: 100 candidates by vectors (faiss, HNSW32); recall is the share of the exact 10",
    "that are found, or of others that are just as similar.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, parts=PARTS)
    rows: list[Row] = []
    copies: list[Row] = []
    missed: list[Row] = []
    files = [args.data / f"{name}.boundary.tsv.gz" for name in BOUNDARY]
    if "questions" in args.only:
        questions = forest_of([args.data / "qc.train.tsv.gz"], args.trees)
        rows += query_rows("questions", *questions, at_most=0.2)
    if "boundary" in args.only:
        some = forest_of(files[:1], args.trees)
        rows += query_rows("boundary, propbank", *some, at_most=15)
        copies += copy_rows("boundary, propbank", some[0], 15)
    if "all-boundary" in args.only:
        rows += query_rows("boundary, all", *forest_of(files, args.trees), at_most=100)
    if "functions" in args.only:
        functions = functions_of(args.trees or FUNCTIONS)
        sizes = functions[0].sizes
        usual = np.flatnonzero((sizes >= FUNCTION_NODES[0]) & (sizes <= FUNCTION_NODES[1]))
        rows += query_rows("functions", *functions, at_most=20, among=usual)
        rows += query_rows(
            "functions, weighted", *functions, at_most=20, among=usual, kernel=WEIGHTED
        )
        compared = functions[0][:FUNCTIONS_COMPARED]
        copies += copy_rows("functions", compared, 10)
        copies += copy_rows("functions, weighted", compared, 10, WEIGHTED)
    if "approximate" in args.only:
        missed += approximate_rows(functions_of(args.trees or APPROXIMATED)[0])
    tables = {"queries": rows, "near-copies": copies, "approximate": missed}
    report(__file__, args, {name: table for name, table in tables.items() if table}, NOTES)


def forest_of(files: Sequence[Path], limit: int | None) -> tuple[tk.Forest, int]:
    """Return the trees of some files, and the memory that they take."""
    say(f"reading {', '.join(file.name for file in files)}")
    texts = [text for file in files for text in load_texts(file, limit)]
    before = memory_now()
    forest = tk.Forest.from_brackets(texts)
    return forest, memory_now() - before


def functions_of(limit: int) -> tuple[tk.Forest, int]:
    """Return Python functions of this machine, and the memory that they take."""
    say("reading functions")
    paths = sysconfig.get_paths()
    forest = tk.Forest()
    before = memory_now()
    for folder in (paths["purelib"], paths["stdlib"]):
        for path in sorted(Path(folder).rglob("*.py")):
            if folder == paths["stdlib"] and "site-packages" in path.parts:
                continue
            try:
                found = tk.read(path, each="function")
            except tk.ParseError:
                continue
            forest.extend(found["tree"] if isinstance(found, tk.Table) else found)
            if len(forest) >= limit:
                return forest[:limit], memory_now() - before
    return forest, memory_now() - before


def query_rows(
    name: str,
    forest: tk.Forest,
    memory: int,
    at_most: float,
    among: Any = None,
    kernel: tk.Kernel = SUBSETS,
) -> list[Row]:
    """Measure one index: building, memory, a query, and saving and opening."""
    say(f"{name}: building")
    nodes = int(forest.n_nodes)
    tk.TreeIndex(kernel).add(forest[:1])  # so that nothing has to be imported later
    before, start = memory_now(), time.perf_counter()
    index = tk.TreeIndex(kernel)
    index.add(forest)
    building = time.perf_counter() - start
    chosen = sample_indices(len(forest) if among is None else len(among), QUERIES)
    chosen = chosen if among is None else among[chosen]
    queries = tk.Forest.from_brackets(forest[chosen].to_brackets())
    index.search(queries[:1], NEIGHBOURS)
    grown = memory_now() - before
    times = []
    for number in range(len(queries)):
        query = queries[number : number + 1]
        start = time.perf_counter()
        index.search(query, NEIGHBOURS)
        times.append(1e3 * (time.perf_counter() - start))
    with tempfile.TemporaryDirectory() as folder:
        index.save(f"{folder}/index.tki")
        start = time.perf_counter()
        tk.TreeIndex.load(f"{folder}/index.tki")
        opening = 1e3 * (time.perf_counter() - start)
    common = {"trees": len(forest), "nodes": nodes}
    median, mean = float(np.median(times)), float(np.mean(times))
    share = grown / max(1, memory)
    return [
        {"data": name, **common, "what": "query, median ms", "measured": median}
        | target(median, "ms", at_most=at_most),
        {"data": name, **common, "what": "query, mean ms", "measured": mean}
        | target(mean, "ms", at_most=at_most),
        {"data": name, **common, "what": "building, million nodes/s"}
        | {"measured": nodes / building / 1e6}
        | target(nodes / building / 1e6, at_least=2),
        {"data": name, **common, "what": "memory of the index / forest", "measured": share}
        | target(share, at_most=3),
        {"data": name, **common, "what": "bytes of the index / tree"}
        | {"measured": index.nbytes / len(forest)},
        {"data": name, **common, "what": "opening, ms", "measured": opening},
    ]


def approximate_rows(forest: tk.Forest) -> list[Row]:
    """Measure approximate searches beside exact ones, of functions that are not in the index."""
    say("approximate search")
    held = sample_indices(len(forest), QUERIES)
    rest = np.setdiff1d(np.arange(len(forest)), held)
    rows: list[Row] = []
    kernels = {"sst(0.2)": tk.SubsetTreeKernel(0.2), "sst weighted": WEIGHTED}
    for name, kernel in {**kernels, "ptk": tk.PartialTreeKernel()}.items():
        index = tk.TreeIndex(kernel)
        index.add(forest[rest])
        start = time.perf_counter()
        near = tk.ApproximateSearch(index)
        near.search(forest[held[:1]], NEIGHBOURS)
        building = time.perf_counter() - start
        start = time.perf_counter()
        found = near.search(forest[held], NEIGHBOURS)
        approximate = time.perf_counter() - start
        start = time.perf_counter()
        exact = index.search(forest[held], NEIGHBOURS)
        exactly = time.perf_counter() - start
        right = [
            float(np.mean(one.similarities >= other.similarities[-1] * (1 - 1e-9)))
            for one, other in zip(found, exact, strict=True)
        ]
        best = [
            float(one.similarities[0] >= other.similarities[0] * (1 - 1e-9))
            for one, other in zip(found, exact, strict=True)
        ]
        rows.append(
            {"kernel": name, "trees": len(rest), "recall of 10": float(np.mean(right))}
            | {"finds the best": float(np.mean(best)), "ms a query": 1e3 * approximate / len(held)}
            | {"exact, ms a query": 1e3 * exactly / len(held), "vectors, s": building}
        )
    return rows


def copy_rows(
    name: str, forest: tk.Forest, at_most: float, kernel: tk.Kernel = SUBSETS
) -> list[Row]:
    """Measure how long it takes to find all near-copies, in processor time."""
    say(f"{name}: all near-copies")
    index = tk.TreeIndex(kernel)
    index.add(forest)
    start = time.process_time()
    found = index.duplicates(THRESHOLD)
    seconds = time.process_time() - start
    measured = {"data": name, "trees": len(forest), "pairs": len(found), "seconds": seconds}
    return [measured | target(seconds, "s", at_most=at_most)]


if __name__ == "__main__":
    main()

"""Weights of features for programs: frequencies of other programs, and what their classes teach.

Weights are learned on the train part of POJ-104, problems 1 to 64, and programs for the problems
65 to 80 are searched (MAP@R). "classes": `LearnedWeights`. Beside it stand ways that were tried and
not kept: the log-odds that two programs with the feature solve the same problem, and the ratio of
its variances between and within classes, shrunk towards that of equally frequent features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import treekernels as tk
from bench_code_search import json_lines, ranking
from bench_search_kernels import expansions
from common import Row, arguments, report, sample_indices, say, target
from treekernels.readers import from_code

NOTES = [
    "Names: which names are leaves when programs are read. MAP@R of TreeFeaturesKernel().",
    "expand=20: TreeIndex.search with the neighbours of both programs.",
    "log-odds, variances: each as the weight of a feature alone, and times idf squared.",
]
SHRINKAGE = 10.0


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=300, parts=("kernels", "rejected"))
    rows: list[Row] = []
    rejected: list[Row] = []
    for names in ("all", "foreign", "none"):
        say(f"names {names}")
        known, classes = programs(args.data / "poj104.train.jsonl.gz", names, args.trees)
        trees, labels = programs(args.data / "poj104.valid.jsonl.gz", names, args.trees)
        if "kernels" in args.only:
            rows += kernel_rows(names, known, classes, trees, labels)
        if "rejected" in args.only:
            rejected.append({"names": names} | other_ways(known, classes, trees, labels))
    tables = {"MAP@R": rows, "Ways that were tried": rejected}
    report(__file__, args, {title: table for title, table in tables.items() if table}, NOTES)


def programs(file: Any, names: Any, limit: int | None) -> tuple[tk.Forest, np.ndarray]:
    lines = json_lines(file)
    lines = [lines[row] for row in sample_indices(len(lines), limit or len(lines))]
    sources = [line["source"].replace("\0", " ") for line in lines]
    trees = [from_code(source, "cpp", errors=True, names=names) for source in sources]
    return tk.Forest(trees, source="code"), np.array([line["problem"] for line in lines])


def kernel_rows(names: str, known: Any, classes: Any, trees: Any, labels: Any) -> list[Row]:
    frequencies = tk.InverseDocumentFrequency.learned_from(known)
    weights: dict[str, Any] = {
        "none": None,
        "idf of the programs": "idf",
        "idf of other problems": frequencies,
        **{
            f"classes, sharpness {power:g}": tk.LearnedWeights(sharpness=power).fit(known, classes)
            for power in (1.0, 1.5, 2.0)
        },
    }
    rows: list[Row] = []
    for title, chosen in weights.items():
        kernel = tk.TreeFeaturesKernel(weights=chosen).fitted_on(trees)
        row: Row = {"names": names, "weights": title, "MAP@R": ranking(kernel(trees), labels)[0]}
        if title == "classes, sharpness 1.5":
            row["expand=20"] = expansions(kernel, trees, labels)["20"]
            row |= target(row["expand=20"], at_least=0.80)
        elif title == "idf of other problems":
            row |= target(row["MAP@R"], at_least=0.72)
        rows.append(row)
    return rows


def other_ways(known: Any, classes: Any, trees: Any, labels: Any) -> Row:
    """Return the scores of ways to learn weights that are not in the library."""
    index = tk.TreeIndex(tk.TreeFeaturesKernel())
    index.add(known)
    index.add(trees)
    arrays = index._store.native.arrays()
    shape = len(arrays["offsets"]) - 1, len(arrays["kinds"])
    parts = np.ones(len(arrays["features"])), arrays["features"].astype(np.int64)
    vectors = csr_matrix((*parts, arrays["offsets"].astype(np.int64)), shape=shape)
    vectors = vectors[arrays["columns"]]
    first, rest = vectors[: len(known)], vectors[len(known) :]
    numbers = np.unique(classes, return_inverse=True)[1]
    count = len(known)
    members = csr_matrix((np.ones(count), (numbers, np.arange(count))))
    sizes, in_class = np.bincount(numbers), (members @ first).tocsc()
    trees_with = np.asarray(first.sum(axis=0)).ravel()
    idf = (1 + np.log((1 + count) / (1 + trees_with))) / (1 + np.log(1 + count))
    idf[trees_with < 2] = 1.0
    kinds = arrays["kinds"].astype(int)
    level = np.where(trees_with > 0, np.floor(np.log2(np.maximum(trees_with, 1))), 0).astype(int)
    group = kinds * 32 + level
    squares = np.asarray(in_class.multiply(in_class).sum(axis=0)).ravel()

    same, pairs = (squares - trees_with) / 2, trees_with * (trees_with - 1) / 2
    all_same, all_pairs = (sizes * (sizes - 1) / 2).sum(), count * (count - 1) / 2
    usual = (np.bincount(group, same) + all_same / all_pairs) / (np.bincount(group, pairs) + 1)
    odds = (same + SHRINKAGE * usual[group]) / (pairs + SHRINKAGE)
    log_odds = np.log(odds / (1 - odds)) - np.log(all_same / (all_pairs - all_same))

    shares = in_class.multiply(1 / sizes[:, np.newaxis]).tocsc()
    share, mean_square = (
        trees_with / count,
        np.asarray(shares.multiply(shares).mean(axis=0)).ravel(),
    )
    whole = np.maximum(share * (1 - share), 1e-12)
    between = np.clip((mean_square - share**2) / whole - 1 / sizes.mean(), 0, 1)
    weighed = np.bincount(group, between * trees_with)
    usual = weighed / np.maximum(np.bincount(group, trees_with), 1)
    ratio = (between * trees_with + SHRINKAGE * usual[group]) / (trees_with + SHRINKAGE)
    ratio[trees_with < 2] = 1.0  # what no class has seen

    known_weights = arrays["weights"]
    found: Row = {}
    for title, weights in {"log-odds": np.maximum(log_odds, 0.0), "variances": ratio}.items():
        for name, factor in (("", 1.0), (", idf", idf**2)):
            scaled = rest.multiply(np.sqrt(known_weights * weights * factor)[np.newaxis]).tocsr()
            norms = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
            values = (scaled @ scaled.T).toarray() / np.maximum(np.outer(norms, norms), 1e-300)
            found[title + name] = ranking(values, labels)[0]
    return found


if __name__ == "__main__":
    main()

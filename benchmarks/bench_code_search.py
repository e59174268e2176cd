"""Finding programs that do the same, and pairs that were copied: trees beside tokens and tools.

`gcj`: for each program, the others of its problem (MAP@R, and whether the nearest one is right).
`conplag`: pairs of programs, some of them plagiarised (area under the ROC curve). What there is to
choose is chosen on half of the problems of `gcj` and on the train part of `conplag`, where idf is
counted as well, and reported on the rest. jscpd and Dolos are tried where Node has them:
see `code_tools.py`.
"""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import roc_auc_score

import treekernels as tk
from code_tools import TOOLS, missing_tools
from common import Row, arguments, report, say, target
from treekernels.readers import from_code

NOTES = [
    "tune: the problems of odd numbers, and the train part of conplag; rest: all others.",
    "all: the programs of all twelve problems among each other, beside which nothing was chosen.",
    "names: which names are leaves; literals are hidden but in the first two rows of trees.",
]


class Trees:
    """A tree kernel on the syntax trees of sources."""

    def __init__(self, kernel: tk.Kernel, **options: Any) -> None:
        self.kernel, self.options = kernel, options
        self.known: dict[str, Any] = {}

    def forest(self, sources: list[str]) -> tk.Forest:
        for source in sources:
            if source not in self.known:
                self.known[source] = from_code(source, "java", errors=True, **self.options)
        return tk.Forest([self.known[source] for source in sources])

    def fit(self, sources: list[str]) -> None:
        self.fitted = self.kernel.fitted_on(self.forest(sources))

    def matrix(self, sources: list[str]) -> np.ndarray:
        matrix: np.ndarray = self.fitted(self.forest(sources))
        return matrix

    def pairs(self, ones: list[str], others: list[str]) -> np.ndarray:
        a, b = self.forest(ones), self.forest(others)
        return np.array([self.fitted(a[i : i + 1], b[i : i + 1])[0, 0] for i in range(len(a))])


class Tokens:
    """Cosines of tf-idf of tokens."""

    def fit(self, sources: list[str]) -> None:
        self.vectors = TfidfVectorizer(
            token_pattern=r"\w+|[^\w\s]", lowercase=False, sublinear_tf=True
        ).fit(sources)

    def matrix(self, sources: list[str]) -> np.ndarray:
        rows = self.vectors.transform(sources)
        return (rows @ rows.T).toarray()

    def pairs(self, ones: list[str], others: list[str]) -> np.ndarray:
        a, b = self.vectors.transform(ones), self.vectors.transform(others)
        return np.asarray(a.multiply(b).sum(axis=1)).ravel()


def ranking(values: np.ndarray, problems: np.ndarray) -> tuple[float, float]:
    """Return MAP@R, and the share of programs whose nearest one is of the same problem."""
    values = values.copy()
    np.fill_diagonal(values, -np.inf)
    precisions, nearest = [], []
    for row, problem in zip(values, problems, strict=True):
        relevant = int((problems == problem).sum()) - 1
        if relevant == 0:
            continue
        found = problems[np.argsort(-row, kind="stable")[:relevant]] == problem
        at_each = found * np.cumsum(found) / np.arange(1, relevant + 1)
        precisions.append(at_each.sum() / relevant)
        nearest.append(found[0])
    return float(np.mean(precisions)), float(np.mean(nearest))


class Data:
    """Both sets, each in two parts."""

    def __init__(self, folder: Path, limit: int | None) -> None:
        programs = _some(json_lines(folder / "gcj.java.jsonl.gz"), limit)
        # They come problem by problem, and ties must not favour neighbours.
        np.random.default_rng(0).shuffle(programs)
        self.sources = [_clean(program["source"]) for program in programs]
        self.problems = np.array([program["problem"] for program in programs])
        self.pairs = _some(json_lines(folder / "conplag.java.jsonl.gz"), limit)
        self.copied = np.array([pair["plagiarized"] for pair in self.pairs])
        self.tuning = np.array([pair["part"] == "train" for pair in self.pairs])
        self.ones = [_clean(pair["source_1"]) for pair in self.pairs]
        self.others = [_clean(pair["source_2"]) for pair in self.pairs]

    def measure(self, method: Any, *, tune_only: bool = False) -> Row:
        """Return the scores of a method that learns from the parts that are tuned on."""
        odd = self.problems % 2 == 1
        method.fit(_chosen(self.sources, odd))
        tuned = method.matrix(_chosen(self.sources, odd))
        row: Row = {"gcj tune": ranking(tuned, self.problems[odd])[0]}
        if not tune_only:
            rest = ranking(method.matrix(_chosen(self.sources, ~odd)), self.problems[~odd])
            every = ranking(method.matrix(self.sources), self.problems)
            row |= {"gcj rest": rest[0], "nearest": rest[1], "gcj all": every[0]}
        method.fit(_chosen(self.ones, self.tuning) + _chosen(self.others, self.tuning))
        for name, part in (("conplag tune", self.tuning), ("conplag rest", ~self.tuning)):
            if name == "conplag tune" or not tune_only:
                values = method.pairs(_chosen(self.ones, part), _chosen(self.others, part))
                row[name] = float(roc_auc_score(self.copied[part], values))
        return row


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=200)
    data = Data(args.data, args.trees)
    plain: dict[str, Any] = {
        "tf-idf of tokens": Tokens(),
        "sst as it comes": Trees(tk.SubsetTreeKernel()),
        "sst, decay 0.1": Trees(tk.SubsetTreeKernel(0.1)),
    }
    rows: list[Row] = []
    for name, method in plain.items():
        say(name)
        rows.append({"method": name, **data.measure(method)})
    best = choose(data)
    scores = data.measure(best[1])
    rows.append({"method": f"chosen: {best[0]}", **scores})
    missing = missing_tools()
    for name, tool in TOOLS.items():
        if name not in missing:
            say(name)
            rows.append({"method": name, **data.measure(tool())})
    wanted = [
        {"set": "gcj, MAP@R on the rest", "value": scores["gcj rest"]}
        | target(scores["gcj rest"], at_least=0.50),
        {"set": "conplag, AUC on the rest", "value": scores["conplag rest"]}
        | target(scores["conplag rest"], at_least=0.88),
    ]
    notes = [*NOTES, *missing.values()]
    report(__file__, args, {"Methods": rows, "What is aimed at": wanted}, notes)


def choose(data: Data) -> tuple[str, Trees]:
    """Return the setting that does best on the parts that are tuned on."""
    tried: list[tuple[float, str, Trees]] = []
    for names, counts in product(("none", "foreign"), ("linear", "log")):
        kernel = tk.SubsetTreeKernel(weights="idf", counts=counts)
        method = Trees(kernel, names=names, literals=False)
        name = f"sst(weights=idf, counts={counts}), names={names}"
        say(name)
        row = data.measure(method, tune_only=True)
        say(f"    {row}")
        tried.append((row["gcj tune"] + row["conplag tune"], name, method))
    return max(tried, key=lambda one: one[0])[1:]


def json_lines(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _some(items: list[Any], limit: int | None) -> list[Any]:
    """Return about so many, spread over all."""
    return items if limit is None else items[:: max(1, len(items) // limit)]


def _clean(source: str) -> str:
    return source.replace("\0", " ")


def _chosen(items: list[str], mask: np.ndarray) -> list[str]:
    return [item for item, chosen in zip(items, mask.tolist(), strict=True) if chosen]


if __name__ == "__main__":
    main()

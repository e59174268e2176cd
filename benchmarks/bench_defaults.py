"""What a person gets who names no option, on one kind of trees after the other.

`poj104`: for each program, those of the same problem (MAP@R), as `tk.read` and `tk.TreeIndex` come,
with frequencies of other programs, with weights learned from them, and with neighbours of
neighbours. `gcj`: the same among all twelve problems. `conplag`: pairs of programs, some of which
are copies (area under the ROC curve). `authors`: whose program is it? For want of programs with
authors, parts of modules of Python's standard library are to find their modules. `pages`: clusters
of pages beside those by Jaccard indices of their tag-and-class paths (adjusted Rand index).
`inex`: classes of XML documents, in five folds. Other tasks are in `bench_auto.py`, and courses of
programs in `bench_submissions.py`.
"""

from __future__ import annotations

import ast
import sysconfig
import textwrap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import treekernels as tk
from bench_auto import load
from bench_code_search import ranking
from bench_search_kernels import expansions
from common import Row, arguments, report, sample_indices, say, target
from made_pages import MAKES, pages_of_templates, path_similarities
from treekernels.readers import from_html_string, from_python_source

NOTES = [
    "Programs are read with their names, pages with their texts, as tk.read comes.",
    "met: what is aimed at on test parts that are kept elsewhere, held against what is at hand.",
    "authors: three quarters of the pieces of each module are learned from, the rest is asked.",
    "pages: ten templates, average linkage, two draws of each make.",
]
PARTS = ("poj104", "gcj", "conplag", "authors", "pages", "inex")
PIECES = 8  # of each module


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=200, parts=PARTS)
    warnings.simplefilter("ignore", tk.SmallValuesWarning)
    measures = dict(zip(PARTS, (poj104, gcj, conplag, authors, pages, inex), strict=True))
    tables = {name: measures[name](args.data, args.trees) for name in args.only}
    report(__file__, args, tables, NOTES)


def programs(data: Path, name: str, language: str, limit: int | None) -> tuple[tk.Forest, Any]:
    """Return programs as they are read, and the problems that they solve."""
    table = tk.read(data / f"{name}.jsonl.gz", language=language)
    rows = sample_indices(len(table), limit or len(table))
    return table["source"][rows], table["problem"][rows]


def found(kernel: Any, trees: tk.Forest, problems: Any) -> float:
    """Return the MAP@R of an index."""
    index = tk.TreeIndex(kernel)
    index.add(trees)
    return ranking(index.kernel(trees), problems)[0]


def poj104(data: Path, limit: int | None) -> list[Row]:
    known, classes = programs(data, "poj104.train", "cpp", limit)
    trees, problems = programs(data, "poj104.valid", "cpp", limit)
    frequencies = tk.TreeFeaturesKernel(weights=tk.InverseDocumentFrequency.learned_from(known))
    learned = tk.TreeFeaturesKernel(weights=tk.LearnedWeights().fit(known, classes))
    of_others, by_classes = (found(kernel, trees, problems) for kernel in (frequencies, learned))
    expanded = {name: expansions(kernel, trees, problems)["20"]
                for name, kernel in (("idf", frequencies), ("learned", learned))}  # fmt: skip
    return [
        {"weights": "those of the programs", "MAP@R": found("auto", trees, problems)},
        {"weights": "frequencies of others", "MAP@R": of_others, "expand=20": expanded["idf"]}
        | target(of_others, at_least=0.72),
        {"weights": "learned from others", "MAP@R": by_classes, "expand=20": expanded["learned"]}
        | target(max(by_classes, *expanded.values()), at_least=0.80),
    ]


def gcj(data: Path, limit: int | None) -> list[Row]:
    score = found("auto", *programs(data, "gcj.java", "java", limit))
    return [{"MAP@R, all problems": score} | target(score, at_least=0.50)]


def conplag(data: Path, limit: int | None) -> list[Row]:
    """Rank the pairs by an index of all programs."""
    table = tk.read(data / "conplag.java.jsonl.gz", language="java")
    table = table[sample_indices(len(table), limit or len(table))]
    index = tk.TreeIndex()
    index.add(tk.Forest.concatenate([table["source_1"], table["source_2"]]))
    sides = [[table[side][row : row + 1] for row in range(len(table))]
             for side in ("source_1", "source_2")]  # fmt: skip
    values = np.array([index.kernel(*pair)[0, 0] for pair in zip(*sides, strict=True)])
    copied, parts = (np.asarray(table[name]) for name in ("plagiarized", "part"))
    rows: list[Row] = []
    for part in ("train", "validation", "test"):
        score = float(roc_auc_score(copied[parts == part], values[parts == part]))
        rows.append({"part": part, "AUC": score} | target(score, at_least=0.92))
    return rows


def authors(data: Path, limit: int | None) -> list[Row]:
    """Learn whose a piece is from three quarters of the pieces."""
    del data
    texts, modules = pieces(limit)
    trees = tk.Forest([from_python_source(text) for text in texts], source="code")
    train, test = next(StratifiedKFold(4, shuffle=True, random_state=0).split(modules, modules))
    ngrams = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), sublinear_tf=True)
    characters = make_pipeline(ngrams, LinearSVC())
    characters.fit([texts[row] for row in train], modules[train])
    right = characters.score([texts[row] for row in test], modules[test])
    rows: list[Row] = [{"method": "n-grams of characters", "accuracy": right}]
    for kernel in ("sst", "sst(weights=idf, counts=log)", "auto"):
        say(kernel)
        learner = tk.TreeSVC(kernel, random_state=0).fit(trees[train], modules[train])
        name = f"chosen: {learner.selection_.expression}" if kernel == "auto" else kernel
        rows.append({"method": name, "accuracy": learner.score(trees[test], modules[test])})
    rows[-1] |= target(rows[-1]["accuracy"], at_least=0.955)
    return rows


def pieces(limit: int | None) -> tuple[list[str], Any]:
    """Return every eighth statement or method of large modules of Python, and the modules."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    texts: list[str] = []
    modules: list[str] = []
    for path in sorted([*folder.glob("*.py"), *folder.glob("[a-z]*/*.py")]):
        if {"site-packages", "test", "idlelib", "lib2to3", "encodings"} & set(path.parts):
            continue
        source = path.read_text(encoding="utf-8", errors="replace")
        lines = source.splitlines()
        units: list[ast.stmt] = []
        for statement in ast.parse(source).body if len(lines) >= 400 else []:
            is_large = isinstance(statement, ast.ClassDef) and len(statement.body) > 3
            units += statement.body if is_large else [statement]  # type: ignore[attr-defined]
        if len(units) < 2 * PIECES:
            continue
        written = ["\n".join(lines[unit.lineno - 1 : unit.end_lineno]) for unit in units]
        whole = ["\n".join(map(textwrap.dedent, written[k::PIECES])) for k in range(PIECES)]
        if all(_is_python(text) for text in whole):
            texts += whole
            modules += [path.relative_to(folder).as_posix()] * PIECES
        if limit is not None and len(texts) >= limit:
            break
    return texts, np.array(modules)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def pages(data: Path, limit: int | None) -> list[Row]:
    del data
    rows: list[Row] = []
    for name, make in MAKES.items():
        for seed in range(2):
            texts, templates = pages_of_templates(make, min(limit or 200, 200), seed=seed)
            clustering = AgglomerativeClustering(10, linkage="average")
            trees = tk.Forest([from_html_string(text) for text in texts], source="pages")
            clusters = tk.as_precomputed(clustering).fit(trees)
            paths = clustering.set_params(metric="precomputed")
            jaccard = paths.fit_predict(1 - path_similarities(texts))
            score = float(adjusted_rand_score(templates, clusters.labels_))
            beside = float(adjusted_rand_score(templates, jaccard))
            rows.append({"pages": name, "ARI": score, "of paths": beside}
                        | target(score, at_least=beside))  # fmt: skip
    return rows


def inex(data: Path, limit: int | None) -> list[Row]:
    rows: list[Row] = []
    for name in ("inex05", "inex06"):
        trees, labels, _ = load(data / f"{name}.train.tsv.gz")
        chosen = sample_indices(len(trees), limit or len(trees))
        trees, labels = trees[chosen], labels[chosen]
        folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(labels, labels))
        for kernel in ("auto", "sst", "sst(leaf_weight=1)", "features", "ptk"):
            say(f"{name}, {kernel}")
            wrong = [
                1 - tk.TreeSVC(kernel, random_state=0)
                .fit(trees[train], labels[train])
                .score(trees[test], labels[test])
                for train, test in folds
            ]  # fmt: skip
            rows.append({"documents": name, "kernel": kernel, "error": float(np.mean(wrong))})
    return rows


if __name__ == "__main__":
    main()

"""Which kernel finds the right trees, corpus by corpus, and what ``kernel="auto"`` takes.

For each tree, the others of its class are to come first (MAP@R, and whether the nearest one is
right). No kernel sees a label. Weights are learned from the trees that are searched, as an index
learns them. The part "expansion" is ``TreeIndex.search(..., expand=)`` with the kernel of the rule.
Reading the programs takes the grammars of C++ and Java: tree-sitter-cpp and tree-sitter-java.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from bench_code_search import json_lines, ranking
from common import Row, arguments, load_rows, report, sample_indices, say, target
from large_trees import pages
from made_pages import MAKES, pages_of_templates
from treekernels.demo.functions import functions
from treekernels.kernels.automatic import kernel_for
from treekernels.readers import from_code, from_html_string

NOTES = [
    "At most 2,000 trees of each corpus, chosen at random, always the same ones.",
    "Programs: names that they declare are hidden (names='foreign'), syntax errors are passed by.",
    "by shape: what the rule takes if nobody says where the trees come from.",
    "off: how far what the rule takes is below the best, as a share of the best.",
]
MOST_TREES = 2000
KERNELS: dict[str, tk.Kernel] = {
    "sst": tk.SubsetTreeKernel(),
    "sst 0.1": tk.SubsetTreeKernel(0.1),
    "sst idf log": tk.SubsetTreeKernel(weights="idf", counts="log"),
    "st idf": tk.SubtreeKernel(weights="idf"),
    "subpath": tk.SubpathKernel(max_length=4),
    "subpath idf": tk.SubpathKernel(max_length=4, counts="binary", weights="idf"),
    "pqgram": tk.PQGramKernel(),
    "pqgram idf": tk.PQGramKernel(weights="idf"),
    "pqgram idf binary": tk.PQGramKernel(counts="binary", weights="idf"),
    "pqgram(1, 2) idf binary": tk.PQGramKernel(1, 2, counts="binary", weights="idf"),
    "features": tk.TreeFeaturesKernel(),
    "features idf": tk.TreeFeaturesKernel(weights="idf"),
}
ALLOWED = 0.1
EXPANSIONS = (5, 10, 20, 40)


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=200, parts=("kernels", "expansion"))
    scores: list[Row] = []
    nearest: list[Row] = []
    taken: list[Row] = []
    expanded: list[Row] = []
    for name, source, trees, labels in corpora(args.data, args.trees or MOST_TREES):
        if "kernels" in args.only:
            ranked = {}
            for title, kernel in KERNELS.items():
                say(f"{name}, {title}")
                ranked[title] = ranking(values_of(kernel, trees), labels)
            size = {"corpus": name, "trees": len(trees), "nodes": float(np.mean(trees.sizes))}
            scores.append(size | {title: pair[0] for title, pair in ranked.items()})
            nearest.append(size | {title: pair[1] for title, pair in ranked.items()})
            taken.append({"corpus": name} | taken_by_rule(source, trees, labels, ranked))
        if "expansion" in args.only:
            say(f"{name}, expansion")
            expanded.append({"corpus": name} | expansions(kernel_for(trees, source), trees, labels))
    if "expansion" in args.only:
        say("frequencies of other programs")
        expanded.append(other_frequencies(args.data, args.trees or MOST_TREES))
    tables = {
        "MAP@R": scores,
        "The nearest is right": nearest,
        "What the rule takes": taken,
        "MAP@R with expand": expanded,
    }
    report(__file__, args, {title: rows for title, rows in tables.items() if rows}, NOTES)


def taken_by_rule(
    source: str, trees: tk.Forest, labels: Any, ranked: dict[str, tuple[float, float]]
) -> Row:
    """Return the kernels of the rule, with and without the source, and how good they are."""
    best = max(score for score, _ in ranked.values())
    row: Row = {"best": best}
    for title, known in (("with source", source), ("by shape", None)):
        kernel = kernel_for(trees, known)
        score = ranking(values_of(kernel, trees), labels)[0]
        off = max(0.0, 1 - score / best)
        row |= {title: repr(kernel), f"{title}, score": score, f"{title}, off": off}
        row[f"{title}, met"] = target(off, at_most=ALLOWED)["met"]
    return row


def other_frequencies(data: Path, limit: int) -> Row:
    """Return the same for programs, with weights learned from programs for other problems."""
    known, _ = programs(data / "poj104.train.jsonl.gz", "cpp", limit)
    trees, labels = programs(data / "poj104.valid.jsonl.gz", "cpp", limit)
    weights = tk.InverseDocumentFrequency.learned_from(known)
    kernel = tk.TreeFeaturesKernel(weights=weights)
    return {"corpus": "poj104.valid, idf of poj104.train"} | expansions(kernel, trees, labels)


def expansions(kernel: tk.Kernel, trees: tk.Forest, labels: Any) -> Row:
    """Return the scores of an index that replaces similarities by means over neighbours."""
    index = tk.TreeIndex(kernel)
    index.add(trees)
    row: Row = {}
    for expand in (None, *EXPANSIONS):
        hits = index.search(trees, len(trees), expand=expand)
        values = np.zeros((len(trees), len(trees)))
        rows = np.repeat(np.arange(len(trees)), np.diff(hits.offsets.astype(np.int64)))
        values[rows, hits.items] = hits.similarities
        row["plain" if expand is None else str(expand)] = ranking(values, labels)[0]
    return row


def values_of(kernel: tk.Kernel, trees: tk.Forest) -> np.ndarray:
    """Return the Gram matrix, with weights of these trees."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tk.SmallValuesWarning)
        values: np.ndarray = kernel.fitted_on(trees)(trees)
    return values


def corpora(data: Path, limit: int) -> Iterator[tuple[str, str, tk.Forest, Any]]:
    """Yield names, sources, trees and labels."""

    def some(trees: tk.Forest, labels: Any) -> tuple[tk.Forest, Any]:
        # Taken at random, so that equal similarities do not favour neighbours in the file.
        rows = sample_indices(len(trees), limit)
        return trees[rows], np.asarray(labels)[rows]

    def table(file: str) -> tuple[tk.Forest, Any]:
        rows = load_rows(data / file)
        return tk.Forest.from_brackets([row[-1] for row in rows]), [row[0] for row in rows]

    poj, gcj = data / "poj104.valid.jsonl.gz", data / "gcj.java.jsonl.gz"
    yield "programs (poj104.valid)", "code", *programs(poj, "cpp", limit)
    yield "programs (gcj)", "code", *programs(gcj, "java", limit)
    yield "functions, by package", "code", *some(*functions())
    yield "pages, four templates", "pages", *some(*pages(400))
    yield "pages, twelve sites", "pages", *some(*sites(600))
    texts, templates = pages_of_templates(MAKES["few parts of their own"], 600)
    made = tk.Forest([from_html_string(text) for text in texts])
    yield "pages, ten templates", "pages", *some(made, templates)
    yield "documents (inex05.train)", "documents", *some(*table("inex05.train.tsv.gz"))
    yield "documents (inex06.train)", "documents", *some(*table("inex06.train.tsv.gz"))
    yield "questions (qc.train)", "sentences", *some(*table("qc.train.tsv.gz"))
    yield "arguments (propbank.args)", "sentences", *some(*table("propbank.args.tsv.gz"))


def programs(file: Path, language: str, limit: int) -> tuple[tk.Forest, Any]:
    """Return programs, and the problems that they solve."""
    lines = json_lines(file)
    lines = [lines[row] for row in sample_indices(len(lines), limit)]
    reading: dict[str, Any] = {"errors": True, "names": "foreign"}
    sources = [line["source"].replace("\0", " ") for line in lines]
    trees = tk.Forest([from_code(source, language, **reading) for source in sources])
    return trees, np.array([line["problem"] for line in lines])


def sites(count: int, templates: int = 12) -> tuple[tk.Forest, Any]:
    """Return pages of templates with the same tags, which differ in classes and arrangement.

    The templates share a frame, most classes and all words. A page repeats the card of its template
    as often as it likes, and now and then has one of another template.
    """
    rng = random.Random(0)
    words = [f"w{number}" for number in range(300)]
    classes = ["row", "col", "box", "item", "card", "wide", "note", "lead", "meta", "main"]

    def text() -> str:
        return " ".join(rng.choices(words, k=rng.randint(1, 5)))

    def card() -> list[tuple[str, str]]:
        parts = ["h2", "p", "span", "img", "a"]
        return [(rng.choice(parts), rng.choice(classes)) for _ in range(rng.randint(3, 6))]

    def shown(parts: list[tuple[str, str]], name: str) -> str:
        inner = "".join(f'<{tag} class="{style}">{text()}</{tag}>' for tag, style in parts)
        return f'<div class="{name}">{inner}</div>'

    designs = [(card(), rng.choice(classes), rng.choice(classes)) for _ in range(templates)]
    found, kinds = [], []
    for _ in range(count):
        kind = rng.randrange(templates)
        blocks = []
        for _ in range(rng.randint(2, 20)):
            parts, name, _ = designs[kind if rng.random() < 0.7 else rng.randrange(templates)]
            blocks.append(shown(parts, name))
        links = "".join(f"<li><a>{text()}</a></li>" for _ in range(rng.randint(3, 12)))
        body = (
            f'<ul class="menu">{links}</ul><div class="{designs[kind][2]}">{"".join(blocks)}</div>'
        )
        found.append(from_html_string(f"<html><body>{body}<p>{text()}</p></body></html>"))
        kinds.append(kind)
    return tk.Forest(found), np.array(kinds)


if __name__ == "__main__":
    main()

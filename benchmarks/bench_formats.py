"""Reading files of every format that is meant for large data: nodes a second, and memory."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import treekernels as tk
from common import (
    FILES,
    Row,
    arguments,
    best_seconds,
    in_fresh_process,
    memory_now,
    report,
    say,
    target,
)

WRITTEN = {
    "brackets": ".trees",
    "penn": ".mrg",
    "tsv": ".tsv",
    "csv": ".csv",
    "svmlight-tk": ".svmlight",
    "kelp": ".klp",
    "jsonl": ".jsonl",
}
PROGRAMS = {"poj104.train.jsonl.gz": "cpp", "gcj.java.jsonl.gz": "java"}
NOTES = [
    "Time is that of the processor, since a thread may uncompress. The trees of PropBank are",
    "written with their labels and, where a format has vectors, with three features each; then the",
    "same files are read. Documents are these trees as arrays of JSON, and sentences in CoNLL-U",
    "have their words, each of which depends on the one before. Programs are read from JSON Lines,",
    "by tree-sitter; memory is what a fresh process needs at most beyond its start.",
]


def main() -> None:
    args = arguments(__doc__ or "", quick=2_000)
    with tempfile.TemporaryDirectory() as folder:
        trees = tree_rows(args.data / FILES["propbank"], Path(folder), args.trees, args.repeat)
    programs = [
        program_row(args.data / name, language, args.repeat)
        for name, language in PROGRAMS.items()
        if args.trees is None
    ]
    tables = {"Trees in files": trees, "Programs": programs}
    report(__file__, args, {name: rows for name, rows in tables.items() if rows}, NOTES)


def tree_rows(path: Path, folder: Path, limit: int | None, repeat: int) -> list[Row]:
    """Write and read the same trees in each format."""
    table = tk.read(path)[: limit or None]
    forest = table["tree"]
    rows = []
    for format, extension in WRITTEN.items():
        say(f"reading {format}")
        data = forest if format in ("brackets", "penn") else with_vectors(table, format)
        file = folder / f"trees{extension}"
        tk.write(file, data)
        rows.append(row(format, file, forest.n_nodes, 8.0, partial(tk.read, file), repeat))
    say("reading conllu")
    file = folder / "trees.conllu"
    file.write_text("".join(map(as_sentence, forest[:100_000])))
    rows.append(row("conllu", file, tk.read(file).n_nodes, 8.0, partial(tk.read, file), repeat))
    for format in ("jsonl of documents", "json of documents"):
        say(f"reading {format}")
        documents = [json.dumps(as_document(tree)) for tree in forest[:100_000]]
        lines = "\n".join(documents) if "jsonl" in format else f"[{','.join(documents)}]"
        file = folder / ("documents.jsonl" if "jsonl" in format else "documents.json")
        file.write_text(lines)
        read = partial(tk.read, file, **({} if "jsonl" in format else {"each": "items"}))
        rows.append(row(format, file, read().n_nodes, 8.0, read, repeat))
    return rows


def with_vectors(table: tk.Table, format: str) -> tk.Table:
    """Return the labels and trees, with three features each where a format has vectors."""
    columns = {"label": table["label"], "tree": table["tree"]}
    if format in ("svmlight-tk", "kelp"):
        from scipy.sparse import csr_matrix

        count = len(table)
        numbers = [place * 7919 % 10_007 for place in range(3 * count)]
        starts = range(0, 3 * count + 1, 3)
        columns["vector"] = csr_matrix(([1.5] * (3 * count), numbers, starts), (count, 10_007))
    return tk.Table(columns)


def as_sentence(tree: tk.Tree) -> str:
    """Return the words of a tree as a sentence in which each depends on the one before."""
    words = [
        f"{place + 1}\t{word}\t_\tX\t_\t_\t{place}\tdep\t_\t_\n"
        for place, word in enumerate(tree.leaves())
    ]
    return "".join(words) + "\n"


def as_document(tree: tk.Tree) -> Any:
    """Return a tree as an array of its label and its children."""
    return [tree.label, *map(as_document, tree.children)] if tree.children else tree.label


def program_row(path: Path, language: str, repeat: int) -> Row:
    """Read programs."""
    say(f"reading {path.name}")
    read = partial(tk.read, path, language=language)
    nodes = read()["source"].n_nodes
    found = row("programs", path, nodes, 1.0, read, repeat)
    return found | {"MB": in_fresh_process(memory_of, path, language)}


def memory_of(path: Path, language: str) -> float:
    """Return how much memory reading needs at most, in a process that does nothing else."""
    before = memory_now()
    tk.read(path, language=language)
    return (memory_now("VmHWM") - before) / 1e6


def row(
    format: str, file: Path, nodes: int, at_least: float, read: Callable[[], Any], repeat: int
) -> Row:
    """Time one way of reading."""
    seconds = best_seconds({"read": read}, repeat, time.process_time)["read"]
    millions = nodes / seconds / 1e6
    return {
        "format": format,
        "file": file.name,
        "nodes": nodes,
        "seconds": seconds,
        "million nodes/s": millions,
        **target(millions, at_least=at_least),
    }


if __name__ == "__main__":
    main()

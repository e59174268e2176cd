"""Edit distances: beside apted, zss and edist; tables, programs, search, shapes; and kernels."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import alternatives
import treekernels as tk
from common import (
    Row,
    arguments,
    best_seconds,
    in_fresh_process,
    load_rows,
    load_texts,
    memory_now,
    report,
    say,
    target,
)

PARTS = ("agreement", "treebank", "tables", "programs", "within", "shapes", "neighbours")
NOTES = [
    "Processor time of one thread, for pairs of different trees, without reading. edist, apted and",
    "zss measure fewer pairs, and each tree with itself too.",
]


def main() -> None:
    args = arguments(__doc__ or "", parts=PARTS)
    measures: dict[str, Callable[[Any], list[Row]]] = {
        "agreement": agreement,
        "treebank": treebank,
        "tables": tables,
        "programs": programs,
        "within": within,
        "shapes": shapes,
        "neighbours": neighbours,
    }
    found = {}
    for part in args.only:
        say(part)
        found[part] = measures[part](args)
    report(__file__, args, found, NOTES)


OTHERS = {
    "edist": alternatives.edit_distance_edist,
    "apted": alternatives.edit_distance_apted,
    "zss": alternatives.edit_distance_zss,
}


def agreement(_: Any) -> list[Row]:
    """Random trees of some shapes, whose distances are those that other programs give."""
    generator = random.Random(0)

    def tree(nodes: int) -> Any:
        children = generator.choice((1, 2, 3, nodes))  # chains, binary, wider, and flat ones
        parts = [1] * min(children, nodes - 1)
        for _ in range(nodes - 1 - len(parts)):
            parts[generator.randrange(len(parts))] += 1
        return (generator.choice("ABC"), *[tree(part) for part in parts])

    forest = tk.Forest.from_trees([tree(generator.randrange(1, 40)) for _ in range(40)])
    ours = tk.EditDistance()(forest)
    rows = []
    for name, call in OTHERS.items():
        if find_spec(name) is None:
            continue
        matrix = call(forest)
        assert matrix is not None
        worst = float(np.abs(matrix() - ours).max())
        pairs = math.comb(len(forest) + 1, 2)
        rows.append(
            {"with": name, "pairs": pairs, "largest difference": worst, **target(worst, at_most=0)}
        )
    return rows


def treebank(args: Any) -> list[Row]:
    """Pairs of trees of the Penn Treebank."""
    texts = load_texts(args.data / "treebank.trees.gz", args.trees)
    order = np.random.default_rng(0).permutation(len(texts))
    chosen = [texts[place] for place in order[:500]]
    rows: list[Row] = []
    forest, few = tk.Forest.from_brackets(chosen), tk.Forest.from_brackets(chosen[:6])
    distance = tk.EditDistance()
    ours = best_seconds({"": lambda: distance(forest)}, args.repeat, time.process_time)[""]
    us = 1e6 * ours / math.comb(len(forest), 2)
    size = float(forest.sizes.mean())
    rows.append({"what": f"{size:.0f} nodes on average", "us a pair": us, **target(us, at_most=15)})
    expected = distance(few)
    for name, call in OTHERS.items():
        if find_spec(name) is None:
            continue
        matrix = call(few)
        assert matrix is not None
        start = time.process_time()
        values = matrix()
        seconds = time.process_time() - start
        np.testing.assert_allclose(values, expected)
        computed = math.comb(len(few) + 1, 2)
        rows.append({"what": name, "us a pair": 1e6 * seconds / computed})
    return rows


def table(generator: random.Random, rows: int, columns: int) -> str:
    """Return a table in HTML whose cells have some words."""

    def cell() -> str:
        return "".join(generator.choices("abcdefgh 0123456789", k=generator.randrange(4, 20)))

    row = "<tr>{}</tr>"
    cells = [[f"<td>{cell()}</td>" for _ in range(columns)] for _ in range(rows)]
    return f"<table><tbody>{''.join(row.format(''.join(line)) for line in cells)}</tbody></table>"


def tables(args: Any) -> list[Row]:
    """TEDS of two tables that have nothing in common but their shape."""
    generator = random.Random(0)
    a, b = table(generator, 40, 12), table(generator, 40, 12)
    seconds = best_seconds({"": lambda: tk.metrics.teds(a, b)}, args.repeat, time.process_time)[""]
    ms = 1e3 * seconds
    return [{"what": "40 x 12 cells, with reading", "ms a pair": ms, **target(ms, at_most=50)}]


def programs(args: Any) -> list[Row]:
    """Trees of programs of some 2,000 nodes."""
    import json

    lines = [json.loads(row[0]) for row in load_rows(args.data / "gcj.java.jsonl.gz", args.trees)]
    from treekernels.readers import from_code

    trees = tk.Forest.from_trees([from_code(line["source"], "java", errors=True) for line in lines])
    near = np.argsort(np.abs(trees.sizes.astype(float) - 2000))[:6]
    chosen = trees[near]
    seconds = best_seconds({"": lambda: tk.EditDistance()(chosen)}, args.repeat, time.process_time)[
        ""
    ] / math.comb(len(chosen), 2)
    what = f"{chosen.sizes.min()} to {chosen.sizes.max()} nodes"
    rows: list[Row] = [{"what": what, "s a pair": seconds, **target(seconds, at_most=2)}]
    # The same programs with some edits: most of such pairs are near each other.
    edited = tk.Forest.from_trees([_edited(tree, 8) for tree in chosen])
    for most in (None, 40, 10):
        call = {
            "": lambda most=most: tk.EditDistance()(chosen, edited, paired=True, max_distance=most)
        }
        seconds = best_seconds(call, args.repeat, time.process_time)[""] / len(chosen)
        rows.append({"what": f"with 8 edits, {most or 'any'} at most", "s a pair": seconds})
    return rows


def _edited(tree: Any, edits: int) -> Any:
    """Rename some leaves, spread over a tree."""
    leaves = len(tree.leaves())
    renamed = {place * leaves // edits for place in range(edits)}
    count = iter(range(leaves))

    def copy(node: Any) -> Any:
        if not node.children:
            return ("renamed" if next(count) in renamed else node.label,)
        return (node.label, *map(copy, node.children))

    return copy(tree)


def within(args: Any) -> list[Row]:
    """All functions of Python's own library within five edits of some of them."""
    forest = functions(20_000 if args.trees is None else args.trees)
    index = tk.DistanceIndex()
    index.add(forest)
    queries = forest[np.random.default_rng(0).choice(len(forest), 100, replace=False)]
    rows = []
    for count in (1, 100):
        call = {"": lambda count=count: index.within(queries[:count], 5)}
        ms = 1e3 * best_seconds(call, args.repeat, time.process_time)[""] / count
        what = f"{len(forest):,} functions of {forest.sizes.mean():.0f} nodes, {count} at a time"
        rows.append({"what": what, "ms a query": ms, **target(ms, at_most=50)})
    nearest = {"": lambda: index.search(queries[:20], 10)}
    ms = 1e3 * best_seconds(nearest, args.repeat, time.process_time)[""] / 20
    rows.append({"what": "the ten nearest", "ms a query": ms})
    return rows


def functions(most: int) -> tk.Forest:
    """Return functions of the standard library as trees."""
    import ast
    import sysconfig
    from pathlib import Path

    from treekernels.readers import from_ast

    found: list[Any] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        try:
            module = ast.parse(path.read_text())
        except (SyntaxError, ValueError):
            continue
        found += [from_ast(node) for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
        if len(found) >= most:
            break
    return tk.Forest.from_trees(found[:most])


def shapes(args: Any) -> list[Row]:
    """The best and the worst shapes: two trees of a shape with different labels."""
    rows = []
    for nodes in (250, 500, 1000, 2000):
        for name, make in SHAPES.items():
            forest = tk.Forest.from_trees([make(nodes, "AB"), make(nodes + 2, "BCD")])
            call = {"": lambda forest=forest: tk.EditDistance()(forest[:1], forest[1:])}
            seconds = best_seconds(call, 1, time.process_time)[""]
            grown = in_fresh_process(memory_of, name, nodes)
            ms = 1e3 * seconds
            row = {"shape": name, "nodes": nodes, "ms a pair": ms, "MB": grown}
            rows.append({**row, **target(ms, at_most=2000)} if nodes == 2000 else row)
    return rows


def memory_of(shape: str, nodes: int) -> float:
    """Return by how many megabytes a comparison makes a process larger at its highest."""
    make = SHAPES[shape]
    forest = tk.Forest.from_trees([make(nodes, "AB"), make(nodes + 2, "BCD")])
    tk.EditDistance()(["(A b)"])
    before = memory_now("VmHWM")
    tk.EditDistance()(forest[:1], forest[1:])
    return (memory_now("VmHWM") - before) / 1e6


def chain(nodes: int, labels: str) -> Any:
    tree: Any = (labels[0],)
    for level in range(1, nodes):
        tree = (labels[level * level % len(labels)], tree)
    return tree


def comb(nodes: int, labels: str, sides: str) -> Any:
    tree: Any = (labels[0],)
    for level in range(1, nodes // 2):
        tooth = (labels[level * level % len(labels)],)
        left = sides[level % len(sides)] == "l"
        tree = (labels[level % len(labels)], *((tooth, tree) if left else (tree, tooth)))
    return tree


def wide(nodes: int, labels: str) -> Any:
    return (labels[0], *[(labels[place * place % len(labels)],) for place in range(1, nodes)])


def full(nodes: int, labels: str) -> Any:
    trees = [(labels[place * place % len(labels)],) for place in range((nodes + 1) // 2)]
    while len(trees) > 1:
        trees = [
            (labels[len(trees) % len(labels)], *trees[i : i + 2]) for i in range(0, len(trees), 2)
        ]
    return trees[0]


SHAPES: dict[str, Callable[[int, str], Any]] = {
    "chain": chain,
    "wide": wide,
    "full": full,
    "comb to the left": lambda nodes, labels: comb(nodes, labels, "l"),
    "comb to the right": lambda nodes, labels: comb(nodes, labels, "r"),
    "zigzag": lambda nodes, labels: comb(nodes, labels, "lr"),
}


def neighbours(args: Any) -> list[Row]:
    """How often the nearest examples have the right class, by distance and by kernel."""
    rows = []
    for data, file in (("questions", "qc.train.tsv.gz"), ("INEX 2005", "inex05.train.tsv.gz")):
        rows_of_file = load_rows(args.data / file, None)
        examples = [(row[0], next(part for part in row if part[:1] == "(")) for row in rows_of_file]
        order = np.random.default_rng(0).permutation(len(examples))[:1500]
        labels = np.array([examples[place][0] for place in order])
        forest = tk.Forest.from_brackets([examples[place][1] for place in order])
        train, test = slice(0, 1000), slice(1000, 1500)
        ways: dict[str, Callable[[Any, Any], Any]] = {
            "edit distance": lambda X, Y: -tk.EditDistance()(X, Y),
            "edit distance, relative": lambda X, Y: tk.EditDistanceKernel()(X, Y),
            "subset trees": tk.SubsetTreeKernel(),
            "partial trees": tk.PartialTreeKernel(),
        }
        for name, way in ways.items():
            start = time.process_time()
            values = way(forest[test], forest[train])
            seconds = time.process_time() - start
            right = []
            for row, label in zip(values, labels[test], strict=True):
                names, votes = np.unique(
                    labels[train][np.argsort(-row, kind="stable")[:5]], return_counts=True
                )
                right.append(names[votes.argmax()] == label)
            rows.append({"data": data, "way": name, "right": np.mean(right), "seconds": seconds})
    return rows


if __name__ == "__main__":
    main()

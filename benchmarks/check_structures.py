"""Rebuild PropBank's minimal subtrees with `treekernels.structures`, and time it on whole files.

Three checks. (1) `propbank.args.marked`: marking and enclosing predicate and arguments must give
back every line. (2) `propbank.boundary` from `treebank.trees`: every verb with every node of its
sentence. The former was made from a later revision of the treebank, so that only trees can agree
whose sentence has the same words and whose part of the tree was not revised. (3) Times of all
operations on the 363,764 trees of `propbank.boundary`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

import numpy as np

import treekernels as tk
from common import Row, arguments, best_seconds, report, say
from treekernels import structures

Roots = Sequence[int]


def main() -> None:
    """Run the checks and print what they found."""
    args = arguments(__doc__.splitlines()[0])
    say("arguments, marked")
    tables = {"marked arguments": marked_arguments(args.data, args.trees)}
    say("boundaries from the treebank")
    tables["propbank.boundary from treebank.trees"] = boundaries(args.data, args.trees)
    say("times")
    tables["seconds for all of propbank.boundary"] = times(args.data, args.trees, args.repeat)
    notes = [
        "Sentences are shared when both files have the same words for them; the later revision "
        "splits hyphenated words. It also adds NML nodes and tags the preposition 'to' as IN; the "
        "second and third line undo that. Its other changes remain."
    ]
    report(__file__, args, tables, notes)


def marked_arguments(data: Path, limit: int | None) -> list[Row]:
    """Find predicate and arguments by the marks; enclose and mark them again."""
    names = ["label", "sentence", "tree"]
    plain = tk.read(data / "propbank.args.tsv.gz", columns=names)["tree"][:limit]
    marked = tk.read(data / "propbank.args.marked.tsv.gz", columns=names)["tree"][:limit]
    arguments_of, chosen = [], []
    for tree in marked:
        outline = structures.Outline(tree)
        nodes = [n for n, label in enumerate(outline.labels) if label.endswith("-B")]
        below = np.zeros(len(outline), bool)
        for node in nodes:
            below[node : outline.stops[node]] = True
        predicate = next(leaf for leaf in outline.leaves if not below[leaf])
        arguments_of.append(nodes)
        chosen.append([int(outline.parents[predicate]), *nodes])
    again = structures.enclosing(structures.mark(plain, arguments_of), chosen)
    return [{"trees": len(marked), "equal": agreeing(again, marked)}]


def agreeing(one: tk.Forest, two: tk.Forest) -> int:
    """Count the places where two forests have the same tree."""
    both = tk.Forest.concatenate([one, two])
    return int((both.roots[: len(one)] == both.roots[len(one) :]).sum())


def boundaries(data: Path, limit: int | None) -> list[Row]:
    """Compare, sentence by sentence, the trees of the file with those that can be rebuilt."""
    treebank = tk.read(data / "treebank.trees.gz")[:limit]
    table = tk.read(data / "propbank.boundary.tsv.gz", columns=["label", "sentence", "tree"])
    file = [list(group) for _, group in groupby(range(len(table)), table["sentence"].item)]
    words_there = [words(table["tree"], group) for group in file]
    words_here = [frozenset(tree.leaves()) for tree in treebank]
    pairs = aligned(words_there, words_here)
    rebuilt, whose = all_pairs(treebank, [here for _, here in pairs])
    rows = []
    for title, change in CHANGES.items():
        both = tk.Forest.concatenate([change(table["tree"]), change(rebuilt)]).roots
        mine = both[len(table) :]
        shared = sum(len(file[there]) for there, _ in pairs)
        counts = [
            common(both[file[there]].tolist(), mine[whose == place].tolist())
            for place, (there, _) in enumerate(pairs)
        ]
        whole = sum(
            count == len(file[there]) for count, (there, _) in zip(counts, pairs, strict=True)
        )
        rows.append(
            {
                "labels": title,
                "sentences": len(file),
                "shared": len(pairs),
                "rebuilt wholly": whole,
                "trees": len(table),
                "of shared sentences": shared,
                "rebuilt": sum(counts),
                "share": sum(counts) / shared,
            }
        )
    return rows


CHANGES: dict[str, Callable[[tk.Forest], tk.Forest]] = {
    "as they are": lambda forest: forest,
    "without NML": lambda forest: structures.splice_labels(forest, "NML"),
    "without NML, TO as IN": lambda forest: structures.map_labels(
        structures.splice_labels(forest, "NML"), {"TO": "IN"}
    ),
}


def words(forest: tk.Forest, places: Iterable[int]) -> frozenset[str]:
    """Return the words of a sentence from all of its trees."""
    found: set[str] = set()
    for root in set(forest.roots[list(places)].tolist()):
        found.update(tk.Tree(forest.dag, root).leaves())
    return frozenset(found)


def aligned(
    there: Sequence[frozenset[str]], here: Sequence[frozenset[str]]
) -> list[tuple[int, int]]:
    """Pair the sentences with the same words, in the order of both files."""
    blocks = SequenceMatcher(None, there, here, autojunk=False).get_matching_blocks()
    return [(a + step, b + step) for a, b, size in blocks for step in range(size)]


def all_pairs(forest: tk.Forest, trees: Sequence[int]) -> tuple[tk.Forest, np.ndarray]:
    """Enclose every verb with every constituent that is not above it; say which tree it was."""
    nodes, of, whose = [np.empty((0, 2), np.int64)], [], []
    for place, tree in enumerate(trees):
        outline = structures.Outline(forest[tree])
        numbers = np.arange(len(outline))
        inner = outline.stops > numbers + 1
        for verb in outline.preterminals:
            if not outline.labels[verb].startswith("VB"):
                continue
            above = (numbers <= verb) & (outline.stops > verb)
            candidates = np.flatnonzero(inner & ~above)
            nodes.append(np.column_stack([np.full(len(candidates), verb), candidates]))
            of.append(np.full(len(candidates), tree))
            whose.append(np.full(len(candidates), place))
    chosen = np.concatenate(nodes)
    return structures.enclosing(forest, chosen, of=np.concatenate(of)), np.concatenate(whose)


def common(one: Roots, two: Roots) -> int:
    """Count what two bags have in common."""
    return (Counter(one) & Counter(two)).total()


def times(data: Path, limit: int | None, repeat: int) -> list[Row]:
    """Time each operation on the whole forest."""
    names = ["label", "sentence", "tree"]
    forest = tk.read(data / "propbank.boundary.tsv.gz", columns=names)["tree"][:limit]
    roots = np.zeros((len(forest), 1), np.int64)
    calls: dict[str, Callable[[], object]] = {
        "lowercase_leaves": lambda: structures.lowercase_leaves(forest),
        "strip_function_tags": lambda: structures.strip_function_tags(forest),
        "strip_traces": lambda: structures.strip_traces(forest),
        "prune_depth(5)": lambda: structures.prune_depth(forest, 5),
        "splice_labels": lambda: structures.splice_labels(forest, "NML"),
        "binarize": lambda: structures.binarize(forest),
        "lexicalize": lambda: structures.lexicalize(forest),
        "mark": lambda: structures.mark(forest, roots),
        "enclosing": lambda: structures.enclosing(forest, roots),
    }
    best = best_seconds(calls, repeat)
    return [{"operation": name, "trees": len(forest), "s": best[name]} for name in calls]


if __name__ == "__main__":
    main()

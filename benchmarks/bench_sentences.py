"""What a parser is worth: classes of questions from trees of good parsers and poor ones, or none.

The words are the same each time. "words alone" puts them below one node. Link Grammar is measured
if its Python module, which Debian has as python3-link-grammar, can be imported; its words carry a
letter for their kind, which becomes the node above them. The cost of `tk.parse` itself is measured
with a parser that does nothing but look up trees.
"""

from __future__ import annotations

import importlib
import re
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, load_rows, report, say

KERNELS = ("sst(0.4)", "sst(0.4, leaf_weight=1)", "ptk(0.4)")
_TOKEN = re.compile(r"\([A-Z]+(?= )|\)|[^\s()]+")
_KIND = re.compile(r"(.+?)\.([a-z])[-a-z]*")


def words_of(tree: str) -> list[str]:
    """Return the words, brackets as what they are."""
    words = tk.Forest([tree])[0].leaves()
    return [word.replace("-LRB-", "(").replace("-RRB-", ")") for word in words]


def flat(words: Sequence[str]) -> Any:
    """Return a tree without any structure."""
    return ("S", *(("W", word) for word in words))


def link_grammar() -> Callable[[Sequence[str]], Any] | None:
    """Return a parser of constituents, if there is one."""
    try:
        linkgrammar: Any = importlib.import_module("linkgrammar")
    except ImportError:
        return None
    dictionary = linkgrammar.Dictionary("en")
    options = linkgrammar.ParseOptions(linkage_limit=100, max_parse_time=5, verbosity=0)

    def parse(words: Sequence[str]) -> Any:
        sentence = linkgrammar.Sentence(" ".join(words), dictionary, options)
        options.min_null_count = options.max_null_count = 0
        links = sentence.parse()
        if not len(links):  # without some of the words
            options.min_null_count, options.max_null_count = 1, len(sentence)
            links = linkgrammar.Sentence(" ".join(words), dictionary, options).parse()
        for one in links:
            return _with_kinds(str(one.constituent_tree())) or flat(words)
        return flat(words)

    return parse


def _with_kinds(text: str) -> Any:
    """Return a tree of Link Grammar with a node above each word, or None if it is not a tree."""
    parts = []
    for token in _TOKEN.findall(re.sub(r"\{!.*?\}", "", text)):
        if token == ")" or token.startswith("("):
            parts.append(token)
            continue
        word = token.strip("{}[]") or token
        kind = _KIND.fullmatch(word)
        parts.append(f"({kind[2].upper()} {kind[1]})" if kind else f"(W {word})")
    try:
        return tk.Forest([" ".join(parts)])[0]
    except ValueError:
        return None


def as_objects(trees: list[Any]) -> Any:
    """Return a forest of trees some of which are texts, tuples or trees."""
    return tk.Forest.concatenate([[tree] for tree in trees])


def accuracies(
    name: str, trees: list[Any], labels: list[str], test: list[Any], y: Any
) -> list[Row]:
    """Learn from training questions, and predict the others."""
    trees, test = as_objects(trees), as_objects(test)
    rows: list[Row] = []
    for kernel in KERNELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tk.SmallValuesWarning)
            machine = tk.TreeSVC(kernel, random_state=0).fit(trees, labels)
        accuracy = float(np.mean(machine.predict(test) == y))
        row = {"trees of": name, "kernel": kernel, "accuracy": accuracy}
        say(f"{name}, {kernel}: {row['accuracy']:.3f}")
        rows.append(row)
    return rows


def own_cost(trees: dict[str, str]) -> list[Row]:
    """Measure `tk.parse` with a parser that takes no time, without a cache and with one."""

    def look_up(text: str) -> str:
        return trees[text]

    look_up.cache_key = "look up"  # type: ignore[attr-defined]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, cache in (("no cache", None), ("written", folder), ("found", folder)):
            start = time.process_time()
            tk.parse(list(trees), look_up, cache=cache)
            taken = time.process_time() - start
            rows.append({"cache": name, "texts": len(trees), "us a text": 1e6 * taken / len(trees)})
    return rows


def main() -> None:
    """Measure the trees of each parser, and the cost of `tk.parse`."""
    args = arguments(__doc__.splitlines()[0])
    train, test = (
        [(row[0], row[2]) for row in load_rows(args.data / f"qc.{part}.tsv.gz", args.trees)]
        for part in ("train", "test")
    )
    labels, y = [label for label, _ in train], np.array([label for label, _ in test])
    made = [[tree for _, tree in part] for part in (train, test)]
    words = [[words_of(tree) for tree in part] for part in made]
    rows = accuracies("the Stanford parser", made[0], labels, made[1], y)
    bare = [[flat(sentence) for sentence in part] for part in words]
    rows += accuracies("no parser: words alone", bare[0], labels, bare[1], y)
    if (parse := link_grammar()) is not None:
        start = time.process_time()
        both = [[parse(sentence) for sentence in part] for part in words]
        taken = 1e3 * (time.process_time() - start) / (len(train) + len(test))
        say(f"Link Grammar: {taken:.1f} ms a question")
        rows += accuracies("Link Grammar", both[0], labels, both[1], y)
    texts = {" ".join(sentence): tree for sentence, tree in zip(words[0], made[0], strict=True)}
    tables = {"Accuracy on six classes of questions": rows, "tk.parse itself": own_cost(texts)}
    report(__file__, args, tables)


if __name__ == "__main__":
    main()

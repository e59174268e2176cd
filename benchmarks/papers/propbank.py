"""Arguments of predicates, as trees and as features, for the scripts on papers.

`propbank`, `ewt` and `masc` are parts of the public release of PropBank, `framenet` is FrameNet.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import shared  # noqa: F401  (first: it sets the path)
from codes import Monomials, boundary_codes, encode, one_hot
from features import marked_features, passives

import treekernels as tk
from common import load_rows

CANDIDATES = 40  # of a boundary file for each argument, more than there are: for slices


def load(
    data: Path, limit: int | None, corpus: str = "propbank"
) -> tuple[tk.Table, np.ndarray, list[str]]:
    """Return trees and features of arguments; their labels; their sentences.

    The features are 0/1 columns; their products of up to three are in a column of their own.
    Arguments of PropBank also have trees in which the node of the argument is marked.
    """
    rows = load_rows(data / f"{corpus}.args.tsv.gz", limit)
    sentences = [row[1] for row in rows]
    trees = tk.Forest.from_brackets([row[2] for row in rows])
    columns = {"tree": trees}
    if corpus == "framenet":
        codes = boundary_codes(trees, sentences, None)
    else:
        marked = load_rows(data / f"{corpus}.args.marked.tsv.gz", limit)
        columns["marked"] = tk.Forest.from_brackets([row[2] for row in marked])
        most = None if limit is None else CANDIDATES * limit
        known = passives(boundary_rows(data, corpus, most))
        codes = encode(marked_features(columns["marked"], sentences, known))
    products = Monomials(codes)(np.arange(len(codes)))
    table = tk.Table(columns | {"features": one_hot(codes), "products": products})
    return table, np.array([row[0] for row in rows]), sentences


def load_boundary(
    data: Path, limit: int | None, corpora: Sequence[str] = ("propbank",)
) -> tuple[tk.Forest, np.ndarray, np.ndarray, list[str]]:
    """Return trees of candidates, their features as numbers, whether they are arguments, sentences.

    A limit is one for each corpus.
    """
    texts: list[str] = []
    sentences: list[str] = []
    labels: list[bool] = []
    known: set[tuple[str, str]] = set()
    for corpus in corpora:
        rows = list(boundary_rows(data, corpus, limit))
        known |= passives(rows)
        labels += [row[0] == "+1" for row in rows]
        sentences += [row[1] for row in rows]
        texts += [row[2] for row in rows]
    trees = tk.Forest.from_brackets(texts)
    return trees, boundary_codes(trees, sentences, known), np.array(labels), sentences


def boundary_rows(data: Path, corpus: str, limit: int | None) -> Iterator[list[str]]:
    """Go through label, sentence and tree of all candidates of a corpus."""
    with gzip.open(data / f"{corpus}.boundary.tsv.gz", "rt", encoding="utf-8") as lines:
        for line in islice(lines, limit):
            yield line.rstrip("\n").split("\t")


def document(sentence: str) -> str:
    """Return the document of a sentence."""
    return sentence.rpartition(".")[0]

"""How much of the syntax of a reference a generated program has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal, overload

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.checks import choice
from treekernels.data.columns import looks_like_trees
from treekernels.data.forest import Forest, as_forest
from treekernels.data.tree_sets import TreeSets, as_tree_sets
from treekernels.errors import DataError
from treekernels.io.readers.code.treesitter import parse_code
from treekernels.io.reading.code.syntax_kinds import is_comment
from treekernels.io.reading.trees.tree_builder import Builder

__all__ = ["ast_match"]

_CHECK_AVERAGE = choice("corpus", None)


@overload
def ast_match(
    references: Any,
    candidates: Any,
    *,
    language: Any = None,
    clip: bool = True,
    average: Literal["corpus"] = "corpus",
) -> float: ...
@overload
def ast_match(
    references: Any, candidates: Any, *, language: Any = None, clip: bool = True, average: None
) -> Floats: ...
def ast_match(
    references: Any,
    candidates: Any,
    *,
    language: Any = None,
    clip: bool = True,
    average: Literal["corpus"] | None = "corpus",
) -> float | Floats:
    """Return the share of the references' subtrees that the candidates have, as in CodeBLEU.

    A subtree is a node with all that is below it; single leaves do not count.

    Parameters
    ----------
    references : sequence of trees or texts, or of sets of them
        For each candidate the right program, or several of them. The subtrees of all references of
        a candidate are counted, each reference on its own.
    candidates : sequence of trees or texts
        The generated programs.
    language : str or tree_sitter.Language, optional
        What the programs are written in, if they are given as texts, such as "java". Then names,
        literals, operators and comments do not count, as in CodeBLEU. Trees are compared as they
        are: hide what should not count when you read them.
    clip : bool, default=True
        Whether a subtree counts as often only as the candidate has it, as the paper says. The
        program that came with it does not look at how often.
    average : {"corpus", None}, default="corpus"
        Whether to return the share of all subtrees of the corpus, or one for each candidate.

    Returns
    -------
    float or array of shape (number of candidates,)
        Not a number where the references have nothing but single leaves.

    Examples
    --------
    >>> import treekernels as tk
    >>> right = "(def (args arg) (return (add name number)))"
    >>> generated = "(def (args arg) (set name (add name number)) (return name))"
    >>> tk.metrics.ast_match([right], [generated])  # it has the arguments and the sum
    0.5
    >>> right = "class A { int f() { return 1; } }"
    >>> generated = "class B { int g() { return 2 + 3; } }"
    >>> round(tk.metrics.ast_match([right], [generated], language="java"), 2)
    0.25
    """
    _CHECK_AVERAGE("average", average)
    if language is None:
        generated, right = as_forest(candidates), _reference_sets(references)
    else:
        generated = _structures(candidates, language)
        groups = [[text] if isinstance(text, str) else list(text) for text in references]
        every_text = [text for group in groups for text in group]
        sizes = np.cumsum([0, *map(len, groups)])
        right = TreeSets.from_offsets(_structures(every_text, language), sizes)
    if len(right) != len(generated):
        raise DataError(f"there are {len(right)} references, and {len(generated)} candidates")
    trees = _Subtrees(Forest.concatenate([right.trees, generated]))
    matched, total = np.zeros(len(generated)), np.zeros(len(generated))
    for place in range(len(generated)):
        counts = trees.counts(len(right.trees) + place)
        for reference in range(right.offsets[place], right.offsets[place + 1]):
            wanted = trees.counts(reference)
            total[place] += sum(wanted.values())
            if clip:
                matched[place] += sum(min(n, counts[node]) for node, n in wanted.items())
            else:
                matched[place] += sum(n for node, n in wanted.items() if node in counts)
    if average == "corpus":
        matched, total = matched.sum(keepdims=True), total.sum(keepdims=True)
    shares: Floats = np.full(len(total), np.nan)
    np.divide(matched, total, out=shares, where=total > 0)
    return float(shares[0]) if average == "corpus" else shares


def _reference_sets(references: Any) -> TreeSets:
    if isinstance(references, TreeSets):
        return references
    if isinstance(references, Forest) or looks_like_trees(references):
        trees = as_forest(references)
        return TreeSets.from_offsets(trees, np.arange(len(trees) + 1))
    return as_tree_sets(references)


def _structures(texts: Iterable[str], language: Any) -> Forest:
    """Return the kinds of nodes of programs; mistakes are among them, as nodes of their own.

    A node with only words or signs below it gets a leaf, since CodeBLEU does not count it as one.
    """
    builder = Builder()
    for number, text in enumerate(texts, start=1):
        pending = [parse_code(text.encode(), language, True, f"program {number}")]
        while pending:
            node = pending.pop()
            if node is None:
                builder.close()
                continue
            below = [child for child in node.named_children if not is_comment(child)]
            builder.open(f"MISSING {node.type}" if node.is_missing else node.type)
            if not below and node.children:
                builder.leaf("-TOKENS-")
            pending += [None, *reversed(below)]
    return builder.forest()


class _Subtrees:
    """How often the trees of a forest have each subtree, by its number in the DAG."""

    def __init__(self, forest: Forest) -> None:
        self.roots = forest.roots.tolist()
        arrays = _native.Subtrees.of(forest.dag)
        self.offsets = arrays.child_offsets.tolist()
        self.children = arrays.children.tolist()

    def counts(self, place: int) -> Counter[int]:
        """Return how often a tree has each of its subtrees that have children."""
        counts: Counter[int] = Counter()
        pending = [self.roots[place]]
        while pending:
            node = pending.pop()
            below = self.children[self.offsets[node] : self.offsets[node + 1]]
            if below:
                counts[node] += 1
                pending.extend(below)
        return counts

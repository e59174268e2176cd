"""anchor: links the words of texts and hypotheses, and extends the links to constituents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from treekernels import _native
from treekernels.data.forest import as_forest
from treekernels.data.pairs import Pairs
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParameterError
from treekernels.linguistics.heads import penn_head
from treekernels.linguistics.words import Lemma, Word, is_content, keys_of

__all__ = ["anchor"]

Match = Callable[[Word, Word], Any]
Head = Callable[[str, Sequence[str]], "int | None"]


def anchor(
    texts: Iterable[Any],
    hypotheses: Iterable[Any],
    match: Match | None = None,
    head: Head | None = None,
    *,
    lemma: Lemma | None = None,
) -> Pairs:
    """Return anchored pairs made from plain trees.

    Words that match are linked one to one, and numbered in the order of the hypothesis. If a word
    could be linked to several others, the one with more equal neighbours wins, and among those the
    first. A link becomes a placeholder on the pre-terminals of both words, and on all constituents
    that the words are heads of.

    Parameters
    ----------
    texts, hypotheses : sequences of trees
        Anything that `Forest` takes. A colon in a word becomes ``-COLON-``, and the tag ``:``
        becomes ``COLON``, so that a colon always begins a placeholder.
    match : callable, optional
        A function of a `Word` of the text and a `Word` of the hypothesis that says whether they may
        be linked. By default, words are linked if they are equal, except for upper and lower case,
        and are not function words.
    head : callable, optional
        A function of a label and the labels of the children that returns the position of the head
        among them, or None if there is none. By default it is
        `treekernels.linguistics.penn_head`, for labels of the Penn Treebank.
    lemma : callable, optional
        A function that returns the lemma of a `Word`, such as
        `treekernels.linguistics.english_lemma`, in place of `match`. Content words are then also
        linked if their lemmas are equal: *fed* with *feeding*.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import treekernels as tk
    >>> text = "(S (NP (NNS Farmers)) (VP (VBP feed) (NP (NNS cows))))"
    >>> hypothesis = "(S (NP (NNS Cows)) (VP (VBP eat)))"
    >>> pairs = tk.anchor([text], [hypothesis])
    >>> print(pairs[0].text)
    (S (NP (NNS Farmers)) (VP (VBP feed) (NP:1 (NNS:1 cows))))
    >>> print(pairs[0].hypothesis)
    (S (NP:1 (NNS:1 Cows)) (VP (VBP eat)))
    >>> stem = lambda word: word.form.lower().rstrip("s")
    >>> pairs = tk.anchor(["(NP (NN cow))"], ["(NP (NNS cows))"], lambda a, b: stem(a) == stem(b))
    >>> print(pairs[0].hypothesis)
    (NP:1 (NNS:1 cows))
    """
    first, second = as_forest(texts), as_forest(hypotheses)
    if match is not None and lemma is not None:
        raise ParameterError("match says already which words are linked; give match or lemma")
    if len(first) != len(second):
        raise DataError(f"there are {len(first)} texts, but {len(second)} hypotheses")
    finder = head or penn_head
    sides: list[tuple[list[str], list[int]]] = [([], []), ([], [])]
    for number, trees in enumerate(zip(first, second, strict=True), start=1):
        nodes = [
            _Nodes(tree, f"pair {number}, {side}") for tree, side in zip(trees, _SIDES, strict=True)
        ]
        links = _link_words(nodes[0].words, nodes[1].words, match, lemma)
        for side, (labels, arities) in enumerate(sides):
            placeholder_of_word = {link[side]: place for place, link in enumerate(links, start=1)}
            labels.extend(nodes[side].labels_with(placeholder_of_word, finder))
            arities.extend(map(len, nodes[side].children))
    dag = _native.Dag()
    roots = [dag.add_postorder(labels, np.array(arities, np.uint32)) for labels, arities in sides]
    return Pairs.from_roots(dag, *roots)


_SIDES = ("text", "hypothesis")


class _Nodes:
    """A tree as lists, children before parents."""

    def __init__(self, tree: Tree, where: str) -> None:
        self.where = where
        self.labels: list[str] = []
        self.children: list[list[int]] = []
        self.words: list[Word] = []
        self.preterminals: list[int] = []  # of the words
        stack: list[tuple[Tree, list[Tree], list[int]]] = [(tree, tree.children, [])]
        while stack:
            node, children, numbers = stack[-1]
            if len(numbers) < len(children):
                child = children[len(numbers)]
                stack.append((child, child.children, []))
                continue
            stack.pop()
            if stack:
                stack[-1][2].append(len(self.labels))
            if len(children) == 1 and not self.children[numbers[0]]:
                self.words.append(Word(self.labels[numbers[0]], node.label))
                self.preterminals.append(len(self.labels))
            self.labels.append(node.label)
            self.children.append(numbers)

    def labels_with(self, placeholder_of_word: dict[int, int], head: Head) -> list[str]:
        """Return the labels with the placeholders of anchored words and of what they head."""
        placeholders: list[int | None] = [None] * len(self.labels)
        for word, placeholder in placeholder_of_word.items():
            placeholders[self.preterminals[word]] = placeholder
        bases = [self._label_without_colon(node) for node in range(len(self.labels))]
        for node, children in enumerate(self.children):
            if placeholders[node] is None and any(placeholders[child] for child in children):
                place = head(self.labels[node], [self.labels[child] for child in children])
                if place is not None:
                    placeholders[node] = placeholders[children[place]]
        return [
            base if placeholder is None else f"{base}:{placeholder}"
            for base, placeholder in zip(bases, placeholders, strict=True)
        ]

    def _label_without_colon(self, node: int) -> str:
        label = self.labels[node]
        if ":" not in label:
            return label
        if not self.children[node]:
            return label.replace(":", "-COLON-")
        if re.fullmatch(r".+:[0-9]+", label, re.DOTALL):
            raise DataError(
                f"{self.where}: the label {label!r} carries a placeholder already; "
                "Pairs.plain takes them off"
            )
        return "COLON" if label == ":" else label


def _link_words(
    text: Sequence[Word], hypothesis: Sequence[Word], match: Match | None, lemma: Lemma | None
) -> list[tuple[int, int]]:
    """Return the links between words, in the order of the hypothesis."""
    candidates = (
        _candidates(text, hypothesis, lemma)
        if match is None
        else [
            (t, h)
            for h, word in enumerate(hypothesis)
            for t, other in enumerate(text)
            if match(other, word)
        ]
    )
    keys = [[keys_of(word, lemma) for word in words] for words in (text, hypothesis)]

    def neighbours(link: tuple[int, int]) -> int:
        near = ((link[0] + step, link[1] + step) for step in (-2, -1, 1, 2))
        return sum(
            0 <= t < len(text)
            and 0 <= h < len(hypothesis)
            and not keys[0][t].isdisjoint(keys[1][h])
            for t, h in near
        )

    links: dict[int, int] = {}
    linked_texts: set[int] = set()
    for t, h in sorted(candidates, key=lambda link: (-neighbours(link), link[1], link[0])):
        if h not in links and t not in linked_texts:
            links[h] = t
            linked_texts.add(t)
    return [(links[h], h) for h in sorted(links)]


def _candidates(
    text: Sequence[Word], hypothesis: Sequence[Word], lemma: Lemma | None
) -> list[tuple[int, int]]:
    """Return the pairs of content words that are the same."""
    places: dict[str, set[int]] = {}
    for t, word in enumerate(text):
        if is_content(word):
            for key in keys_of(word, lemma):
                places.setdefault(key, set()).add(t)
    return [
        (t, h)
        for h, word in enumerate(hypothesis)
        if is_content(word)
        for t in sorted(set().union(*(places.get(key, ()) for key in keys_of(word, lemma))))
    ]

"""WordVectors: words that match as far as their vectors point in the same direction."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

from treekernels.common.arrays import Floats, Places
from treekernels.common.checks import check_choice, check_number
from treekernels.kernels.similarity.labels import Classes, LazySimilarity, check_classes, class_by
from treekernels.kernels.similarity.vector_sources import Vector, vector_source

__all__ = ["WordVectors"]

_BLOCK = 1 << 22  # values that are compared at a time
_END_OF_WORD = re.compile(r"::[^,:]+,")


class WordVectors(LazySimilarity):
    r"""Word vectors as the similarity of labels, for the smoothed partial-tree kernel.

    Labels such as ``dog::n`` are words with their part of speech, as `tk.read` of dependency trees
    and `tk.structures.mark_words` write them. Two of them match if their vectors point in a similar
    direction and they have the same part of speech. All other labels match only themselves. Vectors
    are looked up when their words occur: the label as a whole, then what stands before ``::``, then
    that in lower case.

    Parameters
    ----------
    vectors : path, mapping, gensim KeyedVectors or array of shape (words, dimensions)
        A file of word2vec, GloVe or fastText, of text or binary; vectors by word; or a matrix, with
        its words in `words`. Files are not read as a whole.
    words : sequence of str, optional
        The words of the rows, if `vectors` is a matrix.
    threshold : float, default=0.4
        The cosine at which words begin to match. What is below is 0, so that few pairs are left.
    power : float, default=1.0
        Words with the cosine c match with :math:`((c - t) / (1 - t))^p`, where t is the threshold
        and p the power. With a larger power only words that are very similar match.
    classes : "words", callable, mapping or None, default="words"
        Only labels of the same class match, and those whose class is None match no others. "words"
        are those with ``::``; with None, every label that has a vector is a word.
    composition : {"sum", "product"}, default="sum"
        How a label of two words, such as ``nsubj<bark::v,dog::n>``, gets its vector from theirs:
        they are what the compositional kernel (CSPTK) compares, if the relation and both parts of
        speech are equal. Dependency trees have them in the shapes "CGRCT" and "CLCT".

    Notes
    -----
    Cosines are a valid kernel; what is left of them above a threshold need not be one. As values
    fall to 0 without a jump, little is lost in practice: ``kernel.check_similarity(trees)`` says
    how much it is for some trees. A larger power helps.

    Examples
    --------
    >>> import treekernels as tk
    >>> vectors = tk.WordVectors({"dog": [1, 0.2], "cat": [1, 0.3], "run": [0, 1]})
    >>> round(vectors.similarity("dog::n", "cat::n"), 3), vectors.similarity("dog::n", "run::n")
    (0.993, 0.0)
    >>> kernel = tk.PartialTreeKernel(similarity=vectors)
    >>> kernel(["(NP (N dog::n))"], ["(NP (N cat::n))", "(NP (N run::n))"]).round(2)
    array([[1.  , 0.61]])
    """

    def __init__(
        self,
        vectors: Any,
        words: Sequence[str] | None = None,
        *,
        threshold: float = 0.4,
        power: float = 1.0,
        classes: Classes = "words",
        composition: Literal["sum", "product"] = "sum",
    ) -> None:
        super().__init__()
        self.threshold = check_number("threshold", threshold, 0, 0.999)
        self.power = check_number("power", power, above=0)
        self.classes = check_classes(classes)
        check_choice("composition", composition, {"sum": None, "product": None})
        self.composition = composition
        self._source = vector_source(vectors, words)
        self._read: dict[str, Vector | None] = {}  # by word; None for those that have no vector

    @property
    def path(self) -> str | None:
        """The file that the vectors are in, if that and nothing else says what this is."""
        path: str | None = getattr(self._source, "path", None)
        return path if path is not None and self == WordVectors(path) else None

    def _forget(self) -> None:
        super()._forget()
        self._rows: dict[Hashable, list[Vector]] = {}

    def find(self, words: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of those words that have one, and keep them.

        A saved model knows the words that it has met. If it should know more, ask for them first.
        """
        words = list(words)
        with self._lock:
            new = [word for word in dict.fromkeys(words) if word not in self._read]
            if new:
                vectors = self._source.find(new)
                self._read.update({word: vectors.get(word) for word in new})
            known = {word: self._read[word] for word in words}
        return {word: vector for word, vector in known.items() if vector is not None}

    def similarity(self, a: str, b: str) -> float:
        """Return how well two labels match."""
        if a == b:
            return 1.0
        return next((value for _, _, value in self.pairs([a, b])), 0.0)

    def class_of(self, label: str) -> Hashable:
        composed = _compound(label)
        if composed is None:
            return class_by(self.classes, label)
        relation, head, dependent = composed
        both = class_by(self.classes, head), class_by(self.classes, dependent)
        return None if None in both else (relation, *both)

    def compare(self, labels: Sequence[str], new: Sequence[str]) -> tuple[Places, Places, Floats]:
        class_ = self.class_of(new[0])
        rows = self._rows.setdefault(class_, [])
        rows.extend(self._unit_vectors(new))
        every = np.stack(rows)
        begin = len(labels) - len(new)
        step = max(1, _BLOCK // len(labels))
        first, second, values = [], [], []
        for low in range(begin, len(labels), step):
            some = every[low : low + step]
            # A fast product finds candidates. Their exact cosines depend only on the two vectors.
            b, a = np.nonzero(some @ every[: low + len(some)].T >= self.threshold - 1e-3)
            b = b + low
            a, b = a[a < b], b[a < b]
            cosines = np.einsum("ij,ij->i", every[a].astype(np.float64), every[b], optimize=False)
            kept = cosines > self.threshold
            scaled = (cosines[kept] - self.threshold) / (1 - self.threshold)
            first.append(a[kept])
            second.append(b[kept])
            values.append(np.minimum(scaled, 1.0) ** self.power)
        return np.concatenate(first), np.concatenate(second), np.concatenate(values)

    def _unit_vectors(self, labels: Sequence[str]) -> list[Vector]:
        """Return vectors of length 1, or of length 0 for labels that have none."""
        parts = [_words_of(label) for label in labels]
        spellings = [spelling for words in parts for word in words for spelling in _spellings(word)]
        known = self.find(spellings)
        vectors = []
        for words in parts:
            vectors_of_words = [
                next((known[spelling] for spelling in _spellings(word) if spelling in known), None)
                for word in words
            ]
            vectors.append(
                self._composed([_unit(v) for v in vectors_of_words if v is not None], len(words))
            )
        return vectors

    def _composed(self, vectors: list[Vector], count: int) -> Vector:
        if len(vectors) < count:
            return np.zeros(self._source.dimensions, np.float32)
        if count == 1:
            return vectors[0]
        both = vectors[0] + vectors[1] if self.composition == "sum" else vectors[0] * vectors[1]
        return _unit(both)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return what a saved model keeps: the vectors of the words that have been met.

        None of it can be searched over: make several of these, and search over those.
        """
        if deep:
            return {}
        with self._lock:
            known = {word: vector for word, vector in self._read.items() if vector is not None}
        matrix = np.stack(list(known.values())) if known else np.zeros((0, 1), np.float32)
        return {
            "vectors": matrix,
            "words": list(known),
            "threshold": self.threshold,
            "power": self.power,
            "classes": self.classes,
            "composition": self.composition,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in super().__getstate__().items() if name != "_rows"}

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, WordVectors):
            return NotImplemented
        names = ("threshold", "power", "classes", "composition")
        if any(getattr(self, name) != getattr(other, name) for name in names):
            return False
        return bool(self._source == other._source)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"WordVectors({self._source!r}, threshold={self.threshold:g}, power={self.power:g})"


def _words_of(label: str) -> list[str]:
    composed = _compound(label)
    return [label] if composed is None else list(composed[1:])


def _compound(label: str) -> tuple[str, str, str] | None:
    """Return the relation and the two words of a label such as ``nsubj<bark::v,dog::n>``."""
    relation, _, words = label.partition("<")
    if not relation or ">" in relation or not words.endswith(">"):
        return None
    end = _END_OF_WORD.search(words, 1)
    if end is None:
        return None
    second = words[end.end() : -1]
    text, _, tag = second.rpartition("::")
    if not text or not tag or "," in tag or ":" in tag:
        return None
    return relation, words[: end.end() - 1], second


def _spellings(word: str) -> list[str]:
    """Return under what a word may be found in a vocabulary."""
    plain = word.rpartition("::")[0] or word
    return list(dict.fromkeys([word, plain, plain.lower()]))


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector.astype(np.float64)))
    return (vector / length).astype(np.float32) if length > 0 else vector

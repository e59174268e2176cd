"""What productions, labels and features weigh: inverse document frequencies, tables, decays.

A fragment weighs the product of what its productions weigh, so that the kernel stays a kernel.
Features that can be counted, such as paths, have a weight of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from treekernels import _native
from treekernels.common.arrays import Floats
from treekernels.common.checks import check_choice, check_decay, check_number
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.data.columns import forest_of
from treekernels.data.forest import Forest
from treekernels.errors import DataError, ParameterError
from treekernels.kernels.base.parameters import Parameters
from treekernels.kernels.weights.frequencies import Frequencies, default_features

__all__ = ["InverseDocumentFrequency"]

Key: TypeAlias = str | tuple[str, ...] | None
Weights: TypeAlias = "Literal['idf'] | InverseDocumentFrequency | Mapping[Key, float] | None"
Decay: TypeAlias = float | Mapping[str | None, float]
Kind: TypeAlias = Literal["productions", "labels", "features"]

_LARGEST = 1e50  # its square still leaves room for sums and products


@parameter_class
class InverseDocumentFrequency(Parameters):
    """Weights that are the larger the fewer trees a production occurs in.

    With N trees, of which n have a production, it weighs

        (1 + log((1 + N) / (1 + n))) / (1 + log(1 + N))

    which is 1 for what was never seen, and the smaller the more trees have it, but never 0. Both
    trees bring the weight, so that the decay of a production is ``decay * weight ** 2``: it adapts
    to the trees, and what nearly all of them have counts little however large they are.

    A table is plain data, and does not change: `fit` gives a new one. Those of several computers or
    days add up with ``+``.

    Parameters
    ----------
    of : {"productions", "labels", "features"}, default="productions"
        What is counted. Partial trees have weights of labels. Kernels whose features can be
        counted, such as `SubpathKernel` and `TreeFeaturesKernel`, have weights of features: of each
        feature that at least two of the trees have.
    unseen : float, default=1.0
        The weight of what no tree had in `fit`: as much as what is rarest, or more.
    documents : int, default=0
        How many trees were counted; 0 before `fit`.
    frequencies : dict, optional
        In how many of them each production occurs, by its labels as a tuple, the parent's first; or
        each label, by itself.

    Examples
    --------
    >>> import treekernels as tk
    >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A a) (B d))"]
    >>> table = tk.InverseDocumentFrequency().fit(trees)
    >>> table
    InverseDocumentFrequency(<5 productions of 3 trees>)
    >>> round(table.weight(("A", "a")), 3), round(table.weight(("B", "b")), 3)
    (0.419, 0.71)
    >>> plain, weighted = tk.SubsetTreeKernel(), tk.SubsetTreeKernel(weights=table)
    >>> plain(trees[:1], trees[1:2]).round(2), weighted(trees[:1], trees[1:2]).round(2)
    (array([[0.61]]), array([[0.4]]))
    """

    of: Kind = "productions"
    _: KW_ONLY
    unseen: float = 1.0
    documents: int = 0
    frequencies: Mapping[Any, int] | None = None

    @property
    def is_fitted(self) -> bool:
        """Whether trees were counted."""
        return self.documents > 0

    def fit(self, X: Any, on: Any = None) -> InverseDocumentFrequency:
        """Count the trees, and return a table that knows them; this one stays as it is.

        Parameters
        ----------
        X : trees
        on : str, optional
            The column of X that holds them, when X has columns.
        """
        if self.of == "features":
            raise ParameterError(
                "a kernel says which features there are: use kernel.fitted_on(trees), or "
                "InverseDocumentFrequency.learned_from(trees, kernel)"
            )
        return self.fitted_to(forest_of(X, on), None)

    @classmethod
    def learned_from(cls, X: Any, kernel: Any = None, on: Any = None) -> InverseDocumentFrequency:
        """Return the frequencies of some trees, to be used as the weights for others.

        Parameters
        ----------
        X : trees
        kernel : kernel, optional
            Whose weights these will be; by default a `TreeFeaturesKernel`. It says what is counted.
        on : str, optional
            The column of X that holds the trees, when X has columns.

        Examples
        --------
        >>> import treekernels as tk
        >>> trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(S (A a) (B d))"]
        >>> table = tk.InverseDocumentFrequency.learned_from(trees)
        >>> table
        InverseDocumentFrequency(<6 features of 3 trees>)
        >>> tk.TreeFeaturesKernel(weights=table)(["(S (A a) (B b))"], ["(S (A a))"]).round(2)
        array([[0.16]])
        """
        forest = forest_of(X, on)
        if kernel is None:
            return cls("features").fitted_to(forest, default_features())
        fitted = kernel.with_params(weights="idf").fitted_on(forest)
        table: InverseDocumentFrequency = fitted.weights
        return table

    def fitted_to(
        self, forest: Forest, features: _native.FeatureKernel | None
    ) -> InverseDocumentFrequency:
        """Return a table that knows some trees; their features, if it is one of features."""
        self.check()
        forest = forest[~forest.is_empty]
        if len(forest) == 0:
            raise DataError("there are no trees to learn weights from")
        if features is None:
            frequencies = Frequencies.of(forest, self.of == "labels")
        else:
            frequencies = Frequencies.of_features(forest, features)
        return type(self)(
            self.of, unseen=self.unseen, documents=len(forest), frequencies=frequencies
        )

    def weight(self, key: str | tuple[str, ...]) -> float:
        """Return the weight of a production, given by its labels, of a label, or of a feature."""
        trees = (self.frequencies or {}).get(key, 0)
        return self._weight(trees) if trees else float(self.unseen)

    def _weight(self, trees: float) -> float:
        documents = 1 + self.documents
        return (1 + math.log(documents / (1 + trees))) / (1 + math.log(documents))

    def of_counts(self, counts: Floats) -> Floats:
        """Return the weights of what occurs in so many trees."""
        whole = 1 + math.log(1 + self.documents)
        weights: Floats = (whole - np.log1p(counts)) / whole
        return weights

    def __add__(self, other: Any) -> InverseDocumentFrequency:
        if not isinstance(other, InverseDocumentFrequency):
            return NotImplemented
        if (self.of, self.unseen) != (other.of, other.unseen):
            raise DataError(f"only tables of the same kind add up, not {self!r} and {other!r}")
        if self.of == "features":
            raise DataError("tables of features do not add up: count all trees at once")
        frequencies = dict(self.frequencies or {})
        for key, trees in (other.frequencies or {}).items():
            frequencies[key] = frequencies.get(key, 0) + trees
        documents = self.documents + other.documents
        return type(self)(self.of, unseen=self.unseen, documents=documents, frequencies=frequencies)

    def check(self) -> None:
        """Raise a `ParameterError` if one of its parameters is wrong."""
        check_choice("of", self.of, {"productions": None, "labels": None, "features": None})
        if (self.of == "features") != getattr(self.frequencies, "features", self.of == "features"):
            raise ParameterError("frequencies must be of what the table is of")
        check_number("unseen", self.unseen, 0, _LARGEST)
        counts = self.frequencies
        if isinstance(counts, Frequencies):
            trees = [counts.counts.min(), counts.counts.max()] if len(counts) else []
        else:
            trees = list((counts or {}).values())
        if any(not 0 < n <= self.documents for n in trees):
            raise ParameterError("frequencies must be from 1 to the number of documents")

    def numbers(self) -> _Numbers:
        """Return the weights by kind."""
        weights = {key: self._weight(trees) for key, trees in (self.frequencies or {}).items()}
        if self.of == "labels":
            return float(self.unseen), [], list(weights.items())
        return float(self.unseen), [(list(key), value) for key, value in weights.items()], []

    def __repr__(self) -> str:
        if self.is_fitted:
            contents = f"<{len(self.frequencies or {})} {self.of} of {self.documents} trees>"
        else:
            contents = "" if self.of == "productions" else repr(self.of)
        unseen = "" if self.unseen == 1 else f"unseen={self.unseen!r}"
        return f"{type(self).__name__}({', '.join(part for part in (contents, unseen) if part)})"

    # It never changes, so a copy can be the object itself, and large tables take long to copy.
    def __sklearn_clone__(self) -> InverseDocumentFrequency:
        return self

    def __deepcopy__(self, memo: Any) -> InverseDocumentFrequency:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_native_table"}

    __hash__ = Parameters.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other or Parameters.__eq__(self, other)


_Numbers: TypeAlias = tuple[float, list[tuple[list[str], float]], list[tuple[str, float]]]
"""The weight of what is not listed, weights of productions, and weights of labels."""


def check_weights(name: str, value: Any) -> Any:
    """Return weights unchanged: None, "idf", a table, or numbers by production or label."""
    if value is None or (isinstance(value, str) and value == "idf"):
        return value
    if isinstance(value, InverseDocumentFrequency):
        value.check()
        if value.of == "features":
            raise ParameterError(f"{name} must be of productions or labels here, not of features")
        return value
    if not isinstance(value, Mapping):
        raise ParameterError(
            f"{name} must be 'idf', an InverseDocumentFrequency, numbers by production or label, "
            f"or None, not {value!r}"
        )
    for key, weight in value.items():
        _check_key(name, key)
        check_number(f"{name}[{key!r}]", weight, 0, _LARGEST)
    return value


def check_decays(name: str, value: Any) -> Any:
    """Return a decay, or decays by label, unchanged."""
    if not isinstance(value, Mapping):
        return check_decay(name, value)
    if None not in value:
        raise ParameterError(f"{name} needs an entry for None, the decay of all other labels")
    for label, decay in value.items():
        if label is not None and not isinstance(label, str):
            raise ParameterError(f"{name} has decays by label, and {label!r} is not a text")
        check_decay(f"{name}[{label!r}]", decay)
    return value


def default_decay(decay: Decay) -> float:
    """Return the decay of all labels that have none of their own."""
    return float(decay[None]) if isinstance(decay, Mapping) else float(decay)


def fitted_weights(weights: Weights, kind: Kind, X: Any, on: Any) -> Weights:
    """Return weights that are learned from trees, if they are to be and are not yet."""
    if not needs_fit(weights):
        return weights
    table = weights if isinstance(weights, InverseDocumentFrequency) else None
    return (table or InverseDocumentFrequency(kind)).fit(X, on)


def needs_fit(weights: Any) -> bool:
    """Whether weights are to be learned from trees."""
    if isinstance(weights, InverseDocumentFrequency):
        return not weights.is_fitted
    return isinstance(weights, str)


def check_learned(weights: Any) -> None:
    """Raise a `ParameterError` if weights are yet to be learned."""
    if needs_fit(weights):
        raise ParameterError(
            "the weights are not learned yet: kernel.fitted_on(trees) gives the kernel with "
            "weights from some trees, and a learner does that when it is fitted"
        )


def factor_table(weights: Weights, decay: Decay, kind: Kind) -> _native.FactorTable | None:
    """Return weights and decays for the native core; None where all productions are alike."""
    if weights is None and not isinstance(decay, Mapping):
        return None
    decays = decay if isinstance(decay, Mapping) else {}
    by_label = [(label, float(value)) for label, value in decays.items() if label is not None]
    if weights is None:
        return _native.FactorTable(1.0, [], [], by_label) if by_label else None
    check_learned(weights)
    learned = isinstance(weights, InverseDocumentFrequency)
    # A large table takes long to make, and so it is kept, together with what it was made for.
    kept = vars(weights).get("_native_table") if learned else None
    if kept is None or kept[0] != (kind, by_label):
        kept = (kind, by_label), _native_table(weights, by_label, kind)
        if learned:
            vars(weights)["_native_table"] = kept
    table: _native.FactorTable = kept[1]
    return table


def _native_table(
    weights: Any, by_label: list[tuple[str, float]], kind: Kind
) -> _native.FactorTable:
    refusal = (
        "partial trees have weights of labels, not of productions: for idf, "
        "InverseDocumentFrequency('labels')"
    )
    if isinstance(weights, InverseDocumentFrequency) and isinstance(
        weights.frequencies, Frequencies
    ):
        if kind == "labels" and weights.of != "labels":
            raise ParameterError(refusal)
        keys, counts = weights.frequencies.trees, weights.frequencies.counts
        return _native.FactorTable.of_frequencies(
            float(weights.unseen), keys.dag, keys.roots, counts, weights.documents, by_label
        )
    default, productions, labels = _numbers_of(weights)
    if kind == "labels" and productions:
        raise ParameterError(refusal)
    return _native.FactorTable(default, productions, labels, by_label)


class FactorLookup:
    """What a production brings to a fragment: its decay, times its weight squared.

    Attributes
    ----------
    uniform : bool
        Whether that is the same for all.

    Examples
    --------
    >>> lookup = FactorLookup({"NP -> D N": 0.5, "VP": 2}, {"VP": 0.1, None: 0.4})
    >>> [round(lookup(labels), 3) for labels in (["NP", "D", "N"], ["NP", "N"], ["VP", "V"])]
    [0.1, 0.4, 0.4]
    """

    def __init__(self, weights: Weights, decay: Decay) -> None:
        self.uniform = weights is None and not isinstance(decay, Mapping)
        self._default_decay = default_decay(decay)
        self._decays = decay if isinstance(decay, Mapping) else {}
        self._learned = weights if isinstance(weights, InverseDocumentFrequency) else None
        listed = {} if weights is None or self._learned is not None else weights
        default, productions, labels = _numbers_of(listed)
        self._default = default
        self._productions = {tuple(key): weight for key, weight in productions}
        self._labels = dict(labels)

    def __call__(self, labels: Sequence[str]) -> float:
        """Return it for a production, given by its labels, the parent's first."""
        decay = float(self._decays.get(labels[0], self._default_decay))
        if self._learned is not None:  # asked for each, since to list all of a large one is slow
            key = labels[0] if self._learned.of == "labels" else tuple(labels)
            return decay * self._learned.weight(key) ** 2
        weight = self._productions.get(tuple(labels))
        if weight is None:
            weight = self._labels.get(labels[0], self._default)
        return decay * weight**2


def _numbers_of(weights: Any) -> _Numbers:
    if isinstance(weights, InverseDocumentFrequency):
        return weights.numbers()
    productions: list[tuple[list[str], float]] = []
    labels: list[tuple[str, float]] = []
    for key, weight in weights.items():
        if isinstance(key, tuple):
            productions.append((list(key), float(weight)))
        elif isinstance(key, str) and " -> " in key:
            parent, _, children = key.partition(" -> ")
            productions.append(([parent, *children.split()], float(weight)))
        elif isinstance(key, str):
            labels.append((key, float(weight)))
    return float(weights.get(None, 1.0)), productions, labels


def _check_key(name: str, key: Any) -> None:
    if key is None or isinstance(key, str):
        return
    if isinstance(key, tuple) and len(key) > 1 and all(isinstance(part, str) for part in key):
        return
    raise ParameterError(
        f"{name} has weights by label such as 'NP', by production such as 'NP -> D N' or "
        f"('NP', 'D', 'N'), or for None, all others; not {key!r}"
    )

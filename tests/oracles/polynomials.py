"""Exact polynomials, to be put in place of parameters: then an oracle tells derivatives as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

__all__ = ["Polynomial"]


class Polynomial:
    """A sum of products of variables.

    Examples
    --------
    >>> from oracles import kernels as oracle
    >>> tree = oracle.parse("(A (B b))")
    >>> value = oracle.kernel("subset", tree, tree, decay=Polynomial.variable("decay"))
    >>> value  # A with B below it, and each alone
    2*decay + decay*decay
    >>> value.at({"decay": Fraction(1, 2)}), value.slope("decay").at({"decay": Fraction(1, 2)})
    (Fraction(5, 4), Fraction(3, 2))
    """

    def __init__(self, terms: Mapping[tuple[str, ...], Any]) -> None:
        self.terms = {names: number for names, number in terms.items() if number != 0}

    @classmethod
    def variable(cls, name: str) -> Polynomial:
        """Return a variable alone."""
        return cls({(name,): 1})

    def at(self, values: Mapping[str, Any]) -> Any:
        """Return the number that it is at some values of the variables."""
        total: Any = Fraction(0)
        for names, number in self.terms.items():
            for name in names:
                number = number * values[name]
            total += number
        return total

    def slope(self, name: str) -> Polynomial:
        """Return the derivative by the logarithm of a variable: each term, times its power."""
        return Polynomial(
            {names: number * names.count(name) for names, number in self.terms.items()}
        )

    def __add__(self, other: Any) -> Polynomial:
        terms: Counter[tuple[str, ...]] = Counter(self.terms)
        for names, number in _terms(other).items():
            terms[names] += number
        return Polynomial(terms)

    def __mul__(self, other: Any) -> Polynomial:
        terms: Counter[tuple[str, ...]] = Counter()
        for names, number in self.terms.items():
            for more, factor in _terms(other).items():
                terms[tuple(sorted(names + more))] += number * factor
        return Polynomial(terms)

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Polynomial:
        result = Polynomial({(): 1})
        for _ in range(exponent):
            result = result * self
        return result

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __repr__(self) -> str:
        parts = []
        for names, number in sorted(self.terms.items(), key=lambda item: (len(item[0]), item[0])):
            factors = [*([] if number == 1 and names else [str(number)]), *names]
            parts.append("*".join(factors))
        return " + ".join(parts) or "0"


def _terms(value: Any) -> Mapping[tuple[str, ...], Any]:
    return value.terms if isinstance(value, Polynomial) else {(): value}

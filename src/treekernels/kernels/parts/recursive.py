"""RecursiveLocal: a local kernel that asks for its own values of smaller parts, each once.

This is section 4 of Da San Martino et al. (2019): parts of many parts are compared only once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from treekernels.errors import ParameterError

_Keys: TypeAlias = tuple[Hashable, Hashable]
_NESTED = 50  # calls inside calls, after which the innermost is put off


class _PutOff(BaseException):
    """A value that has to be computed first; no `except Exception` of a user catches it."""

    def __init__(self, pair: _Keys) -> None:
        super().__init__()
        self.pair = pair


class RecursiveLocal:
    """A function of two keys made of a function of two keys and of itself.

    However deep the parts are, Python's own recursion is not: what is nested too deeply is put off,
    computed, and asked for once more.

    Examples
    --------
    >>> def common_prefix(p, q, local):
    ...     return 1.0 + local(p[1:], q[1:]) if p and q and p[0] == q[0] else 0.0
    >>> RecursiveLocal(common_prefix)("a" * 5000 + "b", "a" * 5000 + "c")
    5000.0
    """

    def __init__(self, local: Callable[[Any, Any, Callable[[Any, Any], float]], float]) -> None:
        self.local = local
        self._values: dict[_Keys, float] = {}

    def __call__(self, p: Any, q: Any) -> float:
        waiting: list[_Keys] = [(p, q)]
        known = self._values
        begun: set[_Keys] = set()
        depth = 0

        def smaller(a: Any, b: Any) -> float:
            nonlocal depth
            pair = (a, b)
            value = known.get(pair)
            if value is not None:
                return value
            if pair in begun:
                raise ParameterError(
                    f"local({a!r}, {b!r}) asks for itself: a recursive local kernel may only ask "
                    "for what is smaller"
                )
            if depth == _NESTED:
                raise _PutOff(pair)
            begun.add(pair)
            depth += 1
            try:
                value = known[pair] = float(self.local(a, b, smaller))
            finally:
                depth -= 1
                begun.discard(pair)
            return value

        while waiting:
            begun = set(waiting[:-1])
            try:
                smaller(*waiting[-1])
            except _PutOff as put_off:
                waiting.append(put_off.pair)
            else:
                waiting.pop()
        return known[p, q]

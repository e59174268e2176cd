"""What mapping kernels make of some parts: is it a valid kernel, and which parts behave alike?"""

from __future__ import annotations

import numpy as np

from treekernels.errors import ParameterError
from treekernels.kernels.parts.classes import Classes, PartClasses, check_symmetric, local_value

Counting = dict[int, frozenset[int]]
_MOST_CLASSES = 1000  # whose eigenvalues are looked at


def check_classes(classes: PartClasses, numbers: Classes) -> None:
    """Raise a `ParameterError` if the functions make no kernel of these classes.

    It shows two parts for which `pairs` or `local` is not symmetric, or three for which `pairs` is
    not transitive, or says that the values of `local` make no positive semi-definite matrix.
    """
    columns = classes.columns(numbers)
    ends = np.flatnonzero(np.diff(columns.groups)) + 1
    for group in np.split(columns.numbers[columns.order], ends):
        members = group.tolist()
        counting = {a: frozenset(b for b in members if classes.counts(a, b)) for a in members}
        _check_transitive(classes, counting)
        _check_local(classes, counting)
        _check_definite(classes, members)


def equivalent_classes(classes: PartClasses, numbers: Classes) -> list[list[int]]:
    """Return the classes that no class can tell apart, two or more together."""
    columns = classes.columns(numbers)
    ends = np.flatnonzero(np.diff(columns.groups)) + 1
    alike = []
    for group in np.split(columns.numbers[columns.order], ends):
        members = group.tolist()
        by_behaviour: dict[tuple[bytes, tuple[bool, ...]], list[int]] = {}
        for number in members:
            values = classes.values(np.full(len(group), number), group)
            counting = tuple(classes.counts(number, other) for other in members)
            by_behaviour.setdefault((values.tobytes(), counting), []).append(number)
        alike += [same for same in by_behaviour.values() if len(same) > 1]
    return alike


def _check_transitive(classes: PartClasses, counting: Counting) -> None:
    # What counts with one part must count with all that this one does; given symmetry, it is
    # enough to compare it with the first of them.
    for a, others in counting.items():
        if not others or counting[first := min(others)] == others:
            continue
        missing = counting[first] - others
        x, y = (a, first) if missing else (first, a)
        z = min(missing or others - counting[first])
        p, q, r = (classes[number].pairs_key for number in (x, y, z))
        raise ParameterError(
            f"pairs is not transitive: pairs({p!r}, {q!r}) and pairs({q!r}, {r!r}) are true, "
            f"and pairs({p!r}, {r!r}) is not; the kernel is then not positive semi-definite"
        )


def _check_local(classes: PartClasses, counting: Counting) -> None:
    local = classes.functions.local
    for a, others in counting.items():
        for b in others:
            if a < b:
                p, q = classes[a].key, classes[b].key
                check_symmetric(local, p, q, local_value(local, p, q))


def _check_definite(classes: PartClasses, members: list[int]) -> None:
    if not members:
        return
    # If a part of a matrix has a negative eigenvalue, then so has the whole.
    some = members[:: -(-len(members) // _MOST_CLASSES)]
    count = len(some)
    values = classes.values(np.repeat(some, count), np.tile(some, count)).reshape(count, count)
    smallest = float(np.linalg.eigvalsh(values)[0])
    if smallest < -1e-9 * max(1.0, float(np.abs(values).max())) * count:
        listed = ", ".join(f"{classes[number].key!r:.60}" for number in some[:3])
        raise ParameterError(
            f"local is not positive semi-definite: of {count} parts ({listed}, ...), the smallest "
            f"eigenvalue is {smallest:.3g}"
        )

"""Every two public operations at the same time, on the same objects."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import pytest

import treekernels as tk
from hammering import hammer, run_together
from operations import CHANGING, READING, TREE_KERNELS, Shared, look

pytestmark = pytest.mark.filterwarnings("ignore")
OPERATIONS = {**READING, **CHANGING}


def warm() -> Shared:
    """Return all objects, made beforehand: to make them is not what is tested."""
    shared = Shared()
    for name, made in vars(Shared).items():
        if isinstance(made, cached_property):
            getattr(shared, name)
    for name in TREE_KERNELS:
        shared.models[name]
    return shared


def tolerant(operation: Callable[[Shared], Any], shared: Shared) -> None:
    """Do it; an index from which another thread has removed a tree may say so."""
    try:
        operation(shared)
    except (tk.DataError, KeyError) as error:
        if "id" not in str(error):
            raise


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_every_pair(name: str) -> None:
    shared = warm()
    for number, other in enumerate(OPERATIONS.values()):
        if number % 10 == 0:
            shared = warm()
        result = OPERATIONS[name]
        run_together(partial(tolerant, result, shared), partial(tolerant, other, shared))
    look(shared)


def test_any_operations_at_once() -> None:
    shared = warm()
    rng = random.Random(0)
    orders = [rng.sample(list(OPERATIONS.values()), len(OPERATIONS)) for _ in range(4)]

    def work(order: list[Callable[[Shared], Any]]) -> Callable[[], None]:
        turns = itertools.cycle(order)
        return lambda: tolerant(next(turns), shared)

    counts = hammer(*(work(order) for order in orders), seconds=3.0)
    assert min(counts) > 0
    look(shared)

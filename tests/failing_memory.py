"""A program in which memory runs out: every operation, at every allocation of the core.

``python failing_memory.py STEP [NAME ...]``, with `failing_memory.cpp` loaded beforehand, lets the
first, second, ... allocation of each operation fail, or only every STEP-th of them. The operation
must raise `MemoryError`, its objects must answer as before, and nothing may stay behind. It prints
how often memory ran out in each operation, and what was wrong, in JSON.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import treekernels as tk
from operations import ALONE, CHANGING, CLASSES, NEW, READING, TREES, Shared, look

core = ctypes.CDLL(None)
_MOST = 20_000  # allocations of one operation: more would mean that it never ends


def run_out(name: str, operation: Callable[[Shared], Any], step: int) -> dict[str, Any]:
    """Let the allocations of an operation fail, one after the other."""
    for _ in range(3):  # whatever is kept for good is there then
        shared = Shared()
        operation(shared)
        look(shared)
    shared = operation_objects(operation)
    expected = plain(operation(shared)), look(shared)
    del shared
    wrong: list[str] = []
    failures = 0
    for good in range(0, _MOST, step):
        before = alive()
        shared = operation_objects(operation)
        untouched = look(shared)
        fired = core.failed_allocations()
        core.fail_after(good)
        try:
            result = operation(shared)
            outcome = "ended"
        except MemoryError:
            outcome = "MemoryError"
        except BaseException as error:
            outcome = f"{type(error).__name__}: {error}"
        core.fail_after(-1)
        if core.failed_allocations() == fired:
            if outcome != "ended" or (plain(result), look(shared)) != expected:
                wrong.append(f"without a failure: {outcome}")
            break
        failures += 1
        result = None
        if outcome not in ("MemoryError", "ended"):
            wrong.append(f"allocation {good}: {outcome}")
        if outcome == "MemoryError" and not unchanged(name, shared, untouched):
            wrong.append(f"allocation {good}: its objects have changed")
        elif outcome == "MemoryError" and name != "go on learning":
            again = plain(operation(shared)), look(shared)
            if again != expected:
                wrong.append(f"allocation {good}: afterwards it gives something else")
        del shared
        if (left := alive() - before) > 0:
            wrong.append(f"allocation {good}: {left} allocations stay behind")
    else:
        wrong.append("it did not end")
    return {"failures": failures, "wrong": wrong}


@functools.cache
def needed_objects(operation: Callable[[Shared], Any]) -> tuple[list[str], list[str]]:
    """Return the names of the objects that an operation needs, and of the models among them."""
    used = Shared()
    operation(used)
    return list(vars(used)), list(used.models) if "models" in vars(used) else []


def operation_objects(operation: Callable[[Shared], Any]) -> Shared:
    """Return the objects that an operation needs, new ones, before it has changed them."""
    names, models = needed_objects(operation)
    shared = Shared()
    for name in names:
        getattr(shared, name)
    for name in models:
        shared.models[name]
    return shared


def unchanged(name: str, shared: Shared, untouched: dict[str, Any]) -> bool:
    if name != "go on learning":
        return look(shared) == untouched
    # It keeps what it has learned from the first examples.
    expected = Shared().perceptron
    learned = shared.perceptron.t_ - expected.t_
    trees, classes = (TREES + NEW)[:learned], [*CLASSES, "t", "s"][:learned]
    if learned:
        expected.partial_fit(trees, classes)
    return np.allclose(
        shared.perceptron.decision_function(TREES), expected.decision_function(TREES), rtol=1e-9
    )


def plain(result: Any) -> Any:
    """Return a result that can be compared."""
    if isinstance(result, np.ndarray):
        return result.tolist()
    if isinstance(result, tuple | list):
        return [plain(part) for part in result]
    if isinstance(result, tk.Tree):
        return str(result)
    return result


def alive() -> int:
    gc.collect()
    return int(core.alive_allocations())


def main(step: int, names: list[str]) -> None:
    warnings.simplefilter("ignore")
    core.failed_allocations.restype = core.alive_allocations.restype = ctypes.c_long
    core.fail_after.argtypes = [ctypes.c_long]
    operations = {**READING, **CHANGING, **ALONE}
    for name in names or operations:  # so that all modules are there
        operations[name](Shared())
    gc.collect()
    gc.freeze()
    for name in names or operations:
        print(json.dumps({"name": name, **run_out(name, operations[name], step)}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])

"""treekernels: learning from trees.

A `Forest` holds a corpus of trees as one DAG of their distinct subtrees. Kernels are small objects
with parameters; called with trees, they return Gram matrices, and they go into scikit-learn's
support vector machines and Gaussian processes as they are. Learners such as `TreeSVC` need no Gram
matrix: their model is the DAG with weights. `DistributedTrees` turns trees into vectors for linear
models, and `explain` finds the fragments that decide.
"""

import ast
import importlib
import pkgutil
import typing

from treekernels.common.version import __version__ as __version__


def _modules_of_names() -> dict[str, str]:
    """Return the module of each public name, as the stub lists them for type checkers.

    They are imported when they are first used, so that a start is quick: `treekernels --help` needs
    no numpy, and only learners need scikit-learn.
    """
    stub = ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or "")
    return {
        name.name: str(statement.module)
        for statement in stub.body
        if isinstance(statement, ast.ImportFrom)
        for name in statement.names
    }


_MODULES = _modules_of_names()
_ROOMS = {name for name, module in _MODULES.items() if module == __name__}
__all__ = sorted(name for name in _MODULES.keys() - _ROOMS if not name.startswith("_"))


def __getattr__(name: str) -> typing.Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'treekernels' has no attribute {name!r}")
    if name in _ROOMS:
        return importlib.import_module(f"treekernels.{name}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value  # so that it need not be looked for again
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})

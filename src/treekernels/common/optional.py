"""Packages that only some readers need."""

from __future__ import annotations

import importlib
from typing import Any


def require(module: str, extra: str, what: str) -> Any:
    """Return an imported module, or raise an ImportError that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f'{what} needs the package {package}: pip install "treekernels[{extra}]" ({error})'
        ) from None

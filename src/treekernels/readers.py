"""Readers under their public name: ``treekernels.readers.from_json`` and the like.

The readers themselves are in `treekernels.io.readers`, one small file per format.
"""

from typing import Any

from treekernels.io import readers as _readers
from treekernels.io.readers import __all__ as __all__


def __getattr__(name: str) -> Any:
    """Look names up where the readers are, which imports what is seldom needed when asked for."""
    if name in __all__:
        return getattr(_readers, name)
    raise AttributeError(f"module 'treekernels.readers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

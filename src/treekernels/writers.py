"""Writers under their public name: ``treekernels.writers.write``. They are in `treekernels.io`."""

from treekernels.io.writers import write

__all__ = ["write"]

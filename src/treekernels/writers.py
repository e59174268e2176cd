"""Writers under their public name: ``treekernels.writers.write``. They are in `treekernels.io`."""

from treekernels.io.writing.write import write

__all__ = ["write"]

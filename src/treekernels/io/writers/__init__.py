"""Writers: forests and tables to files. One small file per format."""

from treekernels.io.writers.writing import write

__all__ = ["write"]

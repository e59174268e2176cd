"""Writers: forests and tables to files. One small file per format."""

from treekernels.io.writing.write import write

__all__ = ["write"]

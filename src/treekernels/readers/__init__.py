"""Readers: files to forests and tables. One small file per format."""

from treekernels.readers.read import read

__all__ = ["read"]

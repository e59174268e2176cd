"""The exceptions of treekernels. All of them derive from `TreeKernelsError`."""

from __future__ import annotations

from functools import partial

__all__ = [
    "CheckpointError",
    "ClusterError",
    "DataError",
    "ExpressionError",
    "KernelMemoryError",
    "KernelOverflowError",
    "ModelFileError",
    "ParameterError",
    "ParseError",
    "SmallValuesWarning",
    "TreeKernelsError",
]


class SmallValuesWarning(UserWarning):
    """Trees have too little in common at the decay of a kernel, and would not at a smaller one."""


class TreeKernelsError(Exception):
    """The base class of all errors that treekernels raises on purpose."""


class ParameterError(TreeKernelsError, ValueError, TypeError):
    """A parameter has a value that it may not have, or a value of the wrong type."""


class DataError(TreeKernelsError, ValueError, TypeError):
    """Examples, labels or columns are not what they should be, or do not fit together."""


class ParseError(TreeKernelsError, ValueError):
    """A text cannot be read as a tree.

    Attributes
    ----------
    reason : str
        What is wrong.
    source : str or None
        The file, or None for a text that came from elsewhere.
    line, column : int
        Where it is, counted from 1; columns count characters. For a list of trees, the line is the
        place in the list. Objects that are not text have no column.
    """

    def __init__(
        self, reason: str, *, source: str | None = None, line: int, column: int | None = None
    ) -> None:
        self.reason = reason
        self.source = source
        self.line = line
        self.column = column
        where = f"{source}, line {line}" if source is not None else f"tree {line}"
        if column is not None:
            where += f", column {column}"
        super().__init__(f"{where}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by keyword, so that the error survives a trip through a worker process."""
        rebuild = partial(ParseError, source=self.source, line=self.line, column=self.column)
        return rebuild, (self.reason,)


class ExpressionError(TreeKernelsError, ValueError):
    """A text cannot be read as a kernel.

    Attributes
    ----------
    reason, text : str
        What is wrong, and the whole text.
    column : int
        Where it is, in characters counted from 1.
    """

    def __init__(self, reason: str, *, text: str, column: int) -> None:
        self.reason = reason
        self.text = text
        self.column = column
        beginning = text if len(text) <= 100 else f"{text[:97]}..."
        super().__init__(f"kernel {beginning!r}, column {column}: {reason}")

    def __reduce__(self) -> tuple[object, ...]:
        return partial(ExpressionError, text=self.text, column=self.column), (self.reason,)


class KernelOverflowError(TreeKernelsError, OverflowError):
    """A kernel value is too large for the type of numbers in the result."""


class KernelMemoryError(TreeKernelsError, MemoryError):
    """A kernel would need more memory than it is sensible to ask for."""


class ModelFileError(TreeKernelsError, ValueError):
    """A file is not a model, or it was cut off or altered."""


class CheckpointError(TreeKernelsError, ValueError):
    """A file is not a checkpoint, or it is one of other data or other parameters."""


class ClusterError(TreeKernelsError, RuntimeError):
    """A Dask cluster is gone, or its workers cannot do what they are asked for."""

"""The C++ core of treekernels. Not a public interface."""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class Overflow(OverflowError):
    pass

class TooLarge(MemoryError):
    pass

class Dag:
    """The DAG of distinct subtrees."""

    def __init__(self) -> None: ...

    @staticmethod
    def from_arrays(label_text: bytes, label_offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], node_labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], child_offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Dag: ...

    def export_arrays(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[bytes, Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

    def parse(self, texts: list[str], progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], tuple[int, int, str] | None]: ...

    def add_postorder(self, labels: list[str], arities: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

    def import_nodes(self, other: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

    def sizes(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def census(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int, int]: ...

    def label(self, node: int) -> str: ...

    def children(self, node: int) -> list[int]: ...

    def brackets(self, node: int) -> str: ...

    def __len__(self) -> int: ...

class Kind(enum.Enum):
    subtree = 0

    subset = 1

    partial = 2

    elastic = 3

class Algorithm(enum.Enum):
    corpus = 0

    ftk = 1

    qtk = 2

class Gram:
    """The matrix of a tree kernel between the trees of one or two forests."""

    def __init__(self, dag: Dag, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kind: Kind, algorithm: Algorithm, decay: float, vertical_decay: float, leaf_weight: float, span: bool, similarity: Sequence[tuple[str, str, float]], normalize: bool, diagonal_only: bool, threads: int, progress: object | None = None) -> None: ...

    def diagonal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill_rows(self, first: int, last: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill_rows(self, first: int, last: int, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @property
    def shape(self) -> tuple[int, int]: ...

def placeholders(dag: Dag, texts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypotheses: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]: ...

def import_with_placeholders(dag: Dag, other: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], up_to: int | None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

class PairsAlgorithm(enum.Enum):
    tables = 0

    inclusion_exclusion = 1

    maximum = 2

class PairsGram:
    """The matrix of the tripartite kernel between sentence pairs."""

    def __init__(self, dag: Dag, texts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypotheses: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, symmetric: bool, algorithm: PairsAlgorithm, decay: float, normalize: bool, diagonal_only: bool, threads: int, progress: object | None = None) -> None: ...

    def diagonal(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill(self, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill_rows(self, first: int, last: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @overload
    def fill_rows(self, first: int, last: int, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

    @property
    def shape(self) -> tuple[int, int]: ...

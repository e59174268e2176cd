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

class Keep(enum.Enum):
    paths = 0

    between = 1

    all = 2

def label_roles(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[list[str], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]]: ...

def productions(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def labels_of(dag: Dag, nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]: ...

def outline(dag: Dag, root: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def rewrite(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], old: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaf: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], inner: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], texts: list[str], drop_emptied: bool, empty: str) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def binarize(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: bool, horizontal: int | None) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def prune_depth(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def lexicalize(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], heads: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], tag: bool, separator: str) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def enclose(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], trees: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: bool, keep: Keep) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def mark(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], trees: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: bool, suffix: str) -> tuple[Dag, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

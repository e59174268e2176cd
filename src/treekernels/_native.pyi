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

class Composition(enum.Enum):
    sign = 0

    product = 1

    convolution = 2

class Permutations(enum.Enum):
    structured = 0

    random = 1

class Fragments(enum.Enum):
    subset = 0

    subtree = 1

    whole = 2

def frequent_chains(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], min_trees: int, length: int, progress: object | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]: ...

class Embedding32:
    """Makes vectors of trees."""

    def __init__(self, composition: Composition, permutations: Permutations, fragments: Fragments, dimension: int, decay: float, normalize: bool, own_heads: bool, seed: int, link_length: int) -> None: ...

    def transform(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], kept: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, memory: int, max_trees: int, threads: int, progress: object | None = None) -> None: ...

    def label(self, text: str, head: bool) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]: ...

    def compose(self, a: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]: ...

class Embedding64:
    """Makes vectors of trees."""

    def __init__(self, composition: Composition, permutations: Permutations, fragments: Fragments, dimension: int, decay: float, normalize: bool, own_heads: bool, seed: int, link_length: int) -> None: ...

    def transform(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], kept: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, memory: int, max_trees: int, threads: int, progress: object | None = None) -> None: ...

    def label(self, text: str, head: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def compose(self, a: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

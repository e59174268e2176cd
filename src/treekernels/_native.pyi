"""The C++ core of treekernels. Not a public interface."""

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

    def parse(self, texts: list[str], longest_label: int = 18446744073709551615, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], tuple[int, int, str] | None]: ...

    def add_postorder(self, labels: list[str], arities: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

    def import_nodes(self, other: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

    def sizes(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def census(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int, int]: ...

    def find_leaf(self, label: str) -> int | None:
        """The node of a leaf, or None if there is none with this label."""

    def label(self, node: int) -> str: ...

    def children(self, node: int) -> list[int]: ...

    def brackets(self, node: int, most_nodes: int) -> str: ...

    def brackets_prefix(self, node: int, bytes: int) -> str: ...

    def __len__(self) -> int: ...

class CountDamping(enum.Enum):
    linear = 0

    log = 1

    binary = 2

class FactorTable:
    """Weights of productions and labels, and decays by label."""

    def __init__(self, default_weight: float, productions: list[tuple[list[str], float]], labels: list[tuple[str, float]], decays: list[tuple[str, float]]) -> None: ...

    @staticmethod
    def of_frequencies(default_weight: float, dag: Dag, keys: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: float, decays: list[tuple[str, float]]) -> FactorTable: ...

def document_frequencies(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: bool, keys: Dag) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]: ...

class SubtreeKernel:
    def __init__(self, decay: float, leaf_weight: float, counts: CountDamping = CountDamping.linear, factors: FactorTable | None = None) -> None: ...

class SubsetKernel:
    def __init__(self, decay: float, leaf_weight: float, counts: CountDamping = CountDamping.linear, factors: FactorTable | None = None, cut_weight: float = 1.0) -> None: ...

class PartialKernel:
    def __init__(self, decay: float, vertical_decay: float, span: bool, similarity: list[tuple[str, str, float]], counts: CountDamping = CountDamping.linear, factors: FactorTable | None = None) -> None: ...

class ElasticKernel:
    def __init__(self, decay: float, similarity: list[tuple[str, str, float]]) -> None: ...

class FeatureWeights:
    """Weights of features that can be counted."""

    def __init__(self, unseen: float, dag: Dag, keys: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class FeatureKernel:
    def __init__(self, weights: list[tuple[str, float]], path_decay: float = 1.0, subtree_decay: float = 1.0, max_length: int | None = None, stem: int = 2, base: int = 3, counts: CountDamping = CountDamping.linear, learned: FeatureWeights | None = None) -> None: ...

def feature_frequencies(kernel: FeatureKernel, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Dag) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]:
    """
    Trees that stand for the features that two trees or more have, and how many have each.
    """

def has_weighted_forest(kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel) -> bool: ...

class Algorithm(enum.Enum):
    corpus = 0

    ftk = 1

    qtk = 2

class Gram:
    """The matrix of a tree kernel between the trees of one or two forests."""

    def __init__(self, dag: Dag, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_dag: Dag | None, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel, algorithm: Algorithm, normalize: bool, diagonal_only: bool, threads: int, progress: object | None = None) -> None: ...

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

def fill_gradient(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel, parameters: list[tuple[str, object]], normalize: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), device='cpu')], threads: int, progress: object | None = None) -> None:
    """The derivatives of a Gram matrix by the logarithms of some parameters."""

class Change:
    """What is about to happen to a weighted forest, and can no longer fail."""

def commit(changes: list[object]) -> None:
    """Make changes of models, all of them."""

class WeightedForest:
    """The distinct subtrees of a model, with weights."""

    def __init__(self, kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel, normalize: bool, weight: float, outputs: int) -> None: ...

    def factors(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def add(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], alphas: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def addition(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], alphas: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> Change: ...

    def score(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, progress: object | None = None) -> None: ...

    def prepare(self) -> None: ...

    def merging(self, other: WeightedForest, factors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Change: ...

    def state(self) -> tuple[int, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def restore(self, dag: Dag, nodes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], productions: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def dag(self) -> Dag: ...

    @property
    def in_batches(self) -> bool: ...

    @property
    def weighs_trees(self) -> bool: ...

    @property
    def outputs(self) -> int: ...

    def __len__(self) -> int: ...

class Summand:
    """One summand of a kernel, with the examples of a batch."""

class ForestSummand(Summand):
    def __init__(self, forest: WeightedForest, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class RespondingSummand(Summand):
    def __init__(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel, normalize: bool, weight: float, bytes: int) -> None: ...

class LinearSummand(Summand):
    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: float) -> None: ...

class PolynomialSummand(Summand):
    def __init__(self, n_features: int, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], degree: float, gamma: float, coef0: float, weight: float) -> None: ...

class MatrixSummand(Summand):
    def __init__(self, gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

class FloatMatrixSummand(Summand):
    def __init__(self, gram: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

class KnownScoresSummand(Summand):
    def __init__(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], constant: float) -> None: ...

class MissingSummand(Summand):
    def __init__(self, summand: Summand, missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Rule(enum.Enum):
    perceptron = 0

    passive_aggressive = 1

    passive_aggressive_squared = 2

def learn_online(summands: list[Summand], rule: Rule, C: float, classes: int, mean: bool, labels: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], time: int, threads: int = 1, progress: object | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[float, int, tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), device='cpu')]], object]: ...

def count_votes(columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], alphas: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lasted: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], kernel: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None: ...

class Svm:
    """Support vector machines by dual coordinate descent."""

    def __init__(self, summands: list[Summand], target: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bound: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], regression: bool, epsilon: float, bias: bool, seed: int, threads: int = 1) -> None: ...

    def resume(self, beta: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epoch: int) -> None: ...

    def start_at(self, beta: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def epoch(self, progress: object | None = None) -> float: ...

    def wake_all(self) -> None: ...

    def gaps(self, all: bool = True) -> list[tuple[float, float, float, float]]: ...

    def beta(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def multipliers(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    @property
    def active(self) -> int: ...

    @property
    def epochs(self) -> int: ...

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

class Subtrees:
    """
    The distinct subtrees of a DAG or of some trees as arrays that never change.
    """

    @staticmethod
    def of(dag: Dag) -> Subtrees: ...

    @staticmethod
    def below(dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], known: Dag) -> Subtrees: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    @property
    def productions(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    @property
    def child_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    @property
    def children(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    @property
    def numbers(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    @property
    def roots(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]: ...

    def spread(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

    def production_counts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def places_by_production(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def count_roots_with(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]: ...

    def partial_bounds(self, each: float, alone: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def path_bounds(self, each: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def label_peaks(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

    def __len__(self) -> int: ...

def label_texts(dag: Dag, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[str]: ...

def label_number(dag: Dag, text: str) -> int: ...

def production_labels(dag: Dag, production: int) -> list[str]: ...

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

class PartialVectors32:
    """Makes vectors of partial trees."""

    def __init__(self, composition: Composition, permutations: Permutations, dimension: int, decay: float, vertical_decay: float, span: bool, normalize: bool, own_heads: bool, seed: int) -> None: ...

    def transform(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

class PartialVectors64:
    """Makes vectors of partial trees."""

    def __init__(self, composition: Composition, permutations: Permutations, dimension: int, decay: float, vertical_decay: float, span: bool, normalize: bool, own_heads: bool, seed: int) -> None: ...

    def transform(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], threads: int, progress: object | None = None) -> None: ...

def placeholders(dag: Dag, texts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypotheses: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]]: ...

def import_with_placeholders(dag: Dag, other: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], up_to: int | None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

class PairsAlgorithm(enum.Enum):
    tables = 0

    inclusion_exclusion = 1

    inclusion_exclusion_anew = 2

    maximum = 3

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

class LockEntry:
    def __enter__(self) -> None: ...

    def __exit__(self, type: object | None, value: object | None, traceback: object | None) -> None: ...

class ReaderWriterLock:
    """Readers share, a writer is alone."""

    def __init__(self) -> None: ...

    def reading(self) -> LockEntry: ...

    def writing(self) -> LockEntry: ...

class TreeIndex:
    """An index of trees. It is made for kernels that `can_index` knows."""

    def __init__(self, kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel, normalize: bool) -> None: ...

    def add(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, progress: object | None = None) -> None: ...

    def remove(self, items: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def compact(self, threads: int, progress: object | None = None) -> None: ...

    def search(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], count: int, threads: int, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def within(self, dag: Dag, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float, most: int, threads: int, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def pairs(self, threshold: float, most: int, threads: int, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

    def copy_trees(self, items: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], dag: Dag) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]: ...

    def segments(self) -> list[dict[str, object]]: ...

    def restore(self, segments: list[dict[str, object]], removed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def removed(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]: ...

    @property
    def bytes(self) -> int: ...

    def __len__(self) -> int: ...

def can_index(kernel: SubtreeKernel | SubsetKernel | PartialKernel | ElasticKernel | FeatureKernel) -> bool: ...

class EditCosts:
    """
    What it costs to insert, delete and rename a node, by labels of one DAG.
    """

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, remove: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], insert: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rename: float, pair_from: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_to: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], tokens: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], nothing: int | None) -> None: ...

    @property
    def is_symmetric(self) -> bool: ...

@overload
def fill_distances(dag: Dag, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetric: bool, costs: EditCosts, most: float, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu')], most_bytes: float, threads: int, progress: object | None = None) -> None: ...

@overload
def fill_distances(dag: Dag, rows: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetric: bool, costs: EditCosts, most: float, out: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu')], most_bytes: float, threads: int, progress: object | None = None) -> None: ...

def pair_distances(dag: Dag, a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: EditCosts, most: float, most_bytes: float, threads: int, progress: object | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]: ...

def nearest_trees(dag: Dag, queries: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], trees: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: EditCosts, count: int, most: float, most_bytes: float, threads: int, progress: object | None = None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]]: ...

def edit_mapping(dag: Dag, a: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: EditCosts, most_bytes: float) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def write_out(dag: Dag, root: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]]: ...

def begin_child() -> None:
    """Tell the core that this is a forked process."""

def begin_ending() -> None:
    """Tell the core that Python is about to end."""

"""The public names and their modules, for type checkers, editors, and `__init__.py` itself."""

# isort: skip_file

from treekernels import (
    dask as dask,
    distance as distance,
    embeddings as embeddings,
    explanation as explanation,
    io as io,
    kernels as kernels,
    learners as learners,
    linguistics as linguistics,
    metrics as metrics,
    persistence as persistence,
    plots as plots,
    readers as readers,
    report as report,
    search as search,
    structures as structures,
    testing as testing,
    writers as writers,
)
from treekernels.common.limits import (
    Limits as Limits,
    get_limits as get_limits,
    set_limits as set_limits,
)
from treekernels.common.version import __version__ as __version__
from treekernels.data.forest import Forest as Forest
from treekernels.data.pairs import Pair as Pair, Pairs as Pairs
from treekernels.data.table import Table as Table
from treekernels.data.tree import Tree as Tree
from treekernels.data.tree_sets import TreeSets as TreeSets
from treekernels.distance import (
    EditDistance as EditDistance,
    EditDistanceKernel as EditDistanceKernel,
    EditScript as EditScript,
    EditStep as EditStep,
    edit_distance as edit_distance,
    edit_script as edit_script,
)
from treekernels.embeddings import (
    DistributedPairs as DistributedPairs,
    DistributedTrees as DistributedTrees,
    TreeNystroem as TreeNystroem,
)
from treekernels.errors import (
    CheckpointError as CheckpointError,
    ClusterError as ClusterError,
    DataError as DataError,
    ExpressionError as ExpressionError,
    KernelMemoryError as KernelMemoryError,
    KernelOverflowError as KernelOverflowError,
    ModelFileError as ModelFileError,
    ParameterError as ParameterError,
    ParseError as ParseError,
    SmallValuesWarning as SmallValuesWarning,
    TreeKernelsError as TreeKernelsError,
)
from treekernels.explanation.compare import Comparison as Comparison, compare as compare
from treekernels.explanation.explain import explain as explain
from treekernels.explanation.fragment import Fragment as Fragment, Fragments as Fragments
from treekernels.explorer.explorer import Explorer as Explorer, explore as explore
from treekernels.io.readers.objects import from_objects as from_objects
from treekernels.io.reading.read import read as read
from treekernels.io.sentences.parse import parse as parse
from treekernels.io.writing.write import write as write
from treekernels.kernels import (
    ConstantKernel as ConstantKernel,
    ElasticTreeKernel as ElasticTreeKernel,
    InverseDocumentFrequency as InverseDocumentFrequency,
    Kernel as Kernel,
    LearnedWeights as LearnedWeights,
    LinearKernel as LinearKernel,
    MappingKernel as MappingKernel,
    NormalizedKernel as NormalizedKernel,
    PQGramKernel as PQGramKernel,
    PartialTreeKernel as PartialTreeKernel,
    PolynomialKernel as PolynomialKernel,
    PowerKernel as PowerKernel,
    PreferenceKernel as PreferenceKernel,
    ProductKernel as ProductKernel,
    RBFKernel as RBFKernel,
    SetKernel as SetKernel,
    SimilarLabels as SimilarLabels,
    SubpathKernel as SubpathKernel,
    SubsetTreeKernel as SubsetTreeKernel,
    SubtreeKernel as SubtreeKernel,
    SumKernel as SumKernel,
    TreeFeaturesKernel as TreeFeaturesKernel,
    TripartiteKernel as TripartiteKernel,
    WordVectors as WordVectors,
)
from treekernels.kernels.containment import containment as containment
from treekernels.kernels.expressions.parsing import (
    format_kernel as format_kernel,
    parse_kernel as parse_kernel,
)
from treekernels.learners import (
    TreePassiveAggressive as TreePassiveAggressive,
    TreePerceptron as TreePerceptron,
    TreeRanker as TreeRanker,
    TreeSVC as TreeSVC,
    TreeSVR as TreeSVR,
    WeightedForest as WeightedForest,
)
from treekernels.learners.precomputed import (
    PrecomputedEstimator as PrecomputedEstimator,
    as_precomputed as as_precomputed,
)
from treekernels.linguistics import Word as Word, lexical_overlap as lexical_overlap
from treekernels.linguistics.anchoring import anchor as anchor
from treekernels.persistence import load as load, save as save
from treekernels.search.approximate_search import ApproximateSearch as ApproximateSearch
from treekernels.search.distance_index import DistanceIndex as DistanceIndex
from treekernels.search.submissions.comparison import compare_submissions as compare_submissions
from treekernels.search.tree_index import TreeIndex as TreeIndex
from treekernels.search.tree_neighbors import TreeNeighbors as TreeNeighbors

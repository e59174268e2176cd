"""Parameters that make no sense are refused in a sentence, wherever they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from treekernels.common import checks

TREES = ["(A b)", "(A c)", "(B b)", "(B (C c))"]
LABELS = ["x", "y", "x", "y"]
VALUES = [1.0, 2.0, 3.0, 4.0]
PAIRS = tk.Pairs(TREES, TREES)
VECTORS = [[1.0, 2.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]

NUMBERS = ("1", None, float("nan"), float("inf"), True, [1.0], 10**400)
FLAGS = ("no", 1, None)
INTEGERS = (1.5, "a", True, -1, None)

COMMON = {
    "random_state": ("x", -1, 1.5),
    "checkpoint": (3, True),
    "n_jobs": (0, 1.5, "a", True),
    "verbose": ("x", None, -1, 0.5),
}
CLASS_WEIGHTS = ("x", 3, ["x"], {"x": "a"}, {"x": -1}, {"x": math.nan}, {"z": 1.0})
MACHINE = {
    "C": (*NUMBERS, 0, -1),
    "solver": ("x", None, 1),
    "tol": (*NUMBERS, 0, -1e-3),
    "max_iter": (*INTEGERS, 0),
    "fit_intercept": FLAGS,
    "cache_size": (*NUMBERS, 0, -1),
    "kernel": (3, ["sst"]),
    **COMMON,
}
ONLINE = {
    "epochs": (*INTEGERS, 0),
    "average": (1, "x", True),
    "shuffle": ("x", 1, None),
    "solver": ("x", None),
    "class_weight": CLASS_WEIGHTS,
    "kernel": (3, ["sst"]),
    **COMMON,
}
TREE_KERNEL = {
    "decay": (*NUMBERS, 0, -1, 1.1, 1e-200),
    "normalize": FLAGS,
    "algorithm": ("x", None, 1),
    "n_jobs": (0, "a", 1.5),
    "verbose": ("x",),
}
BOUNDS = ("x", None, 3, (0.5,), (0.5, 0.1), (0, 1), (0.1, 2), (0.1, math.nan))
WEIGHTED_KERNEL = {
    **TREE_KERNEL,
    "counts": ("x", None, 1),
    "weights": ("x", 3, {"A": -1.0}, {"A": math.nan}, {3: 1.0}),
    "decay_bounds": BOUNDS,
}
FEATURES_KERNEL = {
    "counts": ("x", None, 1),
    "weights": ("x", 3),
    **{name: TREE_KERNEL[name] for name in ("normalize", "n_jobs", "verbose")},
}
WEIGHTS = (*NUMBERS, -1, 1e101)
FUNCTIONS = ("split", 3)

Use = Callable[[Any], Any]


def fit_classes(learner: Any) -> Any:
    return learner.fit(TREES, LABELS)


def fit_batch(learner: Any) -> Any:
    return learner.partial_fit(TREES, LABELS)


def fit_values(learner: Any) -> Any:
    return learner.fit(TREES, VALUES)


def of_trees(kernel: Any) -> Any:
    return kernel(TREES)


def of_pairs(kernel: Any) -> Any:
    return kernel(PAIRS)


def of_vectors(kernel: Any) -> Any:
    return kernel(VECTORS)


def embed(embedding: Any) -> Any:
    return embedding.fit_transform(TREES)


CASES: list[tuple[type, dict[str, Any], Use, dict[str, tuple[Any, ...]]]] = [
    (
        tk.TreeSVC,
        {},
        fit_classes,
        {
            **MACHINE,
            "class_weight": CLASS_WEIGHTS,
            "probability": FLAGS,
        },
    ),
    (tk.TreeSVR, {}, fit_values, {**MACHINE, "epsilon": (*NUMBERS, -0.1)}),
    (tk.TreePerceptron, {}, fit_classes, ONLINE),
    (tk.TreePerceptron, {}, fit_batch, ONLINE),
    (
        tk.TreePassiveAggressive,
        {},
        fit_classes,
        {**ONLINE, "C": (*NUMBERS, 0), "loss": ("x", None)},
    ),
    (tk.SubtreeKernel, {}, of_trees, {**WEIGHTED_KERNEL, "leaf_weight": WEIGHTS}),
    (
        tk.SubsetTreeKernel,
        {},
        of_trees,
        {
            **WEIGHTED_KERNEL,
            "leaf_weight": WEIGHTS,
            "cut_weight": (*NUMBERS, -0.1),
            "cut_weight_bounds": tuple(one for one in BOUNDS if one != (0.1, 2)),
        },
    ),
    (
        tk.PartialTreeKernel,
        {},
        of_trees,
        {
            **WEIGHTED_KERNEL,
            "vertical_decay": (*NUMBERS, 0, 2),
            "vertical_decay_bounds": BOUNDS,
            "gaps": ("x", None),
        },
    ),
    (tk.ElasticTreeKernel, {}, of_trees, {**TREE_KERNEL, "elastic": FLAGS}),
    (
        tk.SubpathKernel,
        {},
        of_trees,
        {
            **FEATURES_KERNEL,
            "decay": TREE_KERNEL["decay"],
            "max_length": (0, -1, 1.5, True, "x", 2**32),
        },
    ),
    (
        tk.PQGramKernel,
        {},
        of_trees,
        {
            **FEATURES_KERNEL,
            **dict.fromkeys(("p", "q"), (*INTEGERS, 0, 101)),
            "ordered": FLAGS,
        },
    ),
    (tk.TripartiteKernel, {}, of_pairs, TREE_KERNEL),
    (
        tk.MappingKernel,
        {"parts": list, "local": lambda p, q: 1.0},
        of_trees,
        {
            **dict.fromkeys(("parts", "local"), (*FUNCTIONS, None)),
            **dict.fromkeys(("key", "group", "pairs", "pairs_key"), FUNCTIONS),
            **dict.fromkeys(("recursive", "normalize"), FLAGS),
        },
    ),
    (
        tk.PolynomialKernel,
        {},
        of_vectors,
        {
            "degree": (*NUMBERS, 0, -1),
            "gamma": ("1", -1, math.nan),
            "coef0": ("1", None, math.nan, math.inf),
        },
    ),
    (tk.RBFKernel, {}, of_vectors, {"gamma": ("1", -1, math.nan)}),
    (
        tk.DistributedTrees,
        {"dimension": 8},
        embed,
        {
            "dimension": (*INTEGERS, 0, 2**30),
            "decay": (*NUMBERS, 0, 2),
            "vertical_decay": (*NUMBERS, 0, 2),
            "gaps": ("x", None),
            "composition": ("x", None),
            "kernel": ("x", None, tk.SubsetTreeKernel()),
            "permutations": ("x",),
            "heads": ("x",),
            "min_df": (*INTEGERS, 0),
            "link_length": (*INTEGERS, 0, 9),
            "normalize": FLAGS,
            "dtype": ("int32", None, 3),
            "seed": ("x", -1, 1.5, None),
            "batch_size": (0, 1.5),
            "memory_mb": (0, "x"),
            "n_jobs": (0, "x"),
            "verbose": ("x",),
        },
    ),
]


@pytest.mark.parametrize(
    ("class_", "required", "use", "wrong"), CASES, ids=[case[0].__name__ for case in CASES]
)
def test_senseless_parameters_are_refused(
    class_: type, required: dict[str, Any], use: Use, wrong: dict[str, tuple[Any, ...]]
) -> None:
    for parameter, values in wrong.items():
        for value in values:
            made = class_(**{**required, parameter: value})  # not here, as in scikit-learn
            with pytest.raises(tk.ParameterError, match=parameter) as caught:
                use(made)
            assert isinstance(caught.value, ValueError), (parameter, value)
            assert isinstance(caught.value, TypeError)
            assert isinstance(caught.value, tk.TreeKernelsError)


def test_every_parameter_is_checked() -> None:
    """A parameter without a rule here is one that somebody forgot."""
    free = {"on", "similarity"}  # which are checked against X, or have tests of their own
    for class_, _, _, wrong in CASES:
        parameters = set(class_.__init__.__code__.co_varnames[1:])  # type: ignore[misc]
        assert parameters - free - set(wrong) == set(), class_


@pytest.mark.parametrize(
    "kernel",
    [
        tk.SubsetTreeKernel(normalize="no"),  # type: ignore[arg-type]
        tk.SubsetTreeKernel(normalize="no") + 1,  # type: ignore[arg-type]
        tk.PartialTreeKernel(normalize=0),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_kernels_are_checked_wherever_they_are_used(kernel: tk.Kernel) -> None:
    """A normalize="no" was taken for true."""
    uses: list[Callable[[], Any]] = [
        lambda: kernel(TREES),
        lambda: kernel(TREES, TREES[:1]),
        lambda: kernel.diag(TREES),
        lambda: list(kernel.blocks(TREES)),
        lambda: tk.TreeSVC(kernel).fit(TREES, LABELS),
        lambda: tk.TreeSVC(kernel, cache_size=1e-6).fit(TREES, LABELS),
        lambda: tk.TreePerceptron(kernel).fit(TREES, LABELS),
        lambda: tk.WeightedForest(kernel).add(TREES, VALUES),
    ]
    for use in uses:
        with pytest.raises(tk.ParameterError, match="normalize must be True or False, not"):
            use()


@pytest.mark.parametrize(
    ("class_", "parameters"),
    [
        (tk.TreeSVC, {"C": np.float32(1), "max_iter": np.int64(50), "verbose": 0}),
        (tk.TreeSVC, {"fit_intercept": np.True_, "cache_size": np.int32(5), "tol": 1}),
        (tk.TreeSVC, {"random_state": np.random.RandomState(0), "class_weight": {"x": 2}}),
        (tk.TreePerceptron, {"epochs": np.int8(2), "shuffle": np.False_, "n_jobs": np.int64(-1)}),
        (tk.TreePerceptron, {"kernel": tk.SubsetTreeKernel(np.float32(0.5), normalize=np.False_)}),
    ],
)
def test_numbers_of_numpy_are_as_good(class_: Any, parameters: dict[str, Any]) -> None:
    assert class_(**parameters).fit(TREES, LABELS).predict(TREES).shape == (4,)


def test_sentences() -> None:
    def said(rule: checks.Rule, value: Any) -> str:
        with pytest.raises(tk.ParameterError) as caught:
            checks.check_parameters(SimpleNamespace(size=value), checks.rules(size=rule))
        return str(caught.value)

    assert said(checks.number(above=0), "1") == "size must be a number above 0, not '1'"
    assert said(checks.number(0), -1) == "size must be a number from 0 up, not -1"
    assert said(checks.number(0, 2), 3) == "size must be a number from 0 to 2, not 3"
    assert said(checks.number(), math.nan) == "size must be a finite number, not nan"
    assert said(checks.integer(1), 1.5) == "size must be an integer from 1 up, not 1.5"
    assert said(checks.integer(1, 8), 9) == "size must be an integer from 1 to 8, not 9"
    assert said(checks.choice("a", "b", None), 1) == "size must be 'a', 'b' or None, not 1"
    assert said(checks.check_flag, "no") == "size must be True or False, not 'no'"
    assert said(checks.optional(checks.check_flag), 3) == "size must be True or False, not 3"
    checks.check_parameters(
        SimpleNamespace(size=None), {"size": checks.optional(checks.integer(1))}
    )


def test_a_model_file_with_senseless_parameters_is_refused(tmp_path: Any) -> None:
    from treekernels.io.files.container import read_container, write_container

    for learner, wrong in (
        (tk.TreeSVC("sst"), {"C": "1"}),
        (tk.TreePerceptron("sst"), {"epochs": 1.5}),
    ):
        tk.save(learner.fit(TREES, LABELS), tmp_path / "model.tkm")
        kind, content = read_container(tmp_path / "model.tkm")
        content["parameters"].update(wrong)
        write_container(tmp_path / "model.tkm", kind, content)
        with pytest.raises(tk.ModelFileError, match=f"{next(iter(wrong))} must be"):
            tk.load(tmp_path / "model.tkm")

"""scikit-learn's own checks of estimators, with every one that fails named and its reason given.

Trees are not what `check_estimator` can make: of an estimator whose tags say that it takes no
matrix, it looks at little more than whether it can be cloned. So the learners are checked with
kernels of vectors, for which their tags say that they take a matrix, and `DistributedTrees` as a
subclass that makes a tree of each row.
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import SkipTestWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_array

import treekernels as tk
from treekernels.data.estimator import columns_seen

ONLINE = (
    "An on-line learner takes one step for a mistake: of twice the size for an example of weight "
    "two, where two copies would be two steps at other times; and the order of examples matters."
)
GAP = (
    "The solver stops at a duality gap of tol, which leaves more freedom than the 1e-7 that are "
    "compared here; test_a_weight_of_two_is_two_copies below compares with a small tol."
)
CALIBRATED = (
    "Probabilities are calibrated class by class, so that the most probable class need not be the "
    "one with the largest score; scikit-learn's own SVC says the same of itself."
)
FOLDS = "The folds of the calibration differ where examples are repeated, and so does the sigmoid."
STEPS = (
    "A weight of 1000 multiplies the steps of a perceptron, which has no margin to stop at, on "
    "numbers of any scale; it passes with norm(linear) + 1, and so does the passive-aggressive "
    "learner without norm."
)
EXPECTED: dict[str, dict[str, str]] = {
    "TreeSVC": {
        "check_sample_weight_equivalence_on_dense_data": GAP,
        "check_sample_weight_equivalence_on_sparse_data": GAP,
    },
    "TreeSVC with probabilities": {
        "check_sample_weight_equivalence_on_dense_data": FOLDS,
        "check_sample_weight_equivalence_on_sparse_data": FOLDS,
        "check_classifiers_train": CALIBRATED,
    },
    "TreeSVR": {
        "check_sample_weight_equivalence_on_dense_data": GAP,
        "check_sample_weight_equivalence_on_sparse_data": GAP,
    },
    "TreePerceptron": {
        "check_sample_weight_equivalence_on_dense_data": ONLINE,
        "check_sample_weight_equivalence_on_sparse_data": ONLINE,
        "check_class_weight_classifiers": STEPS,
    },
    "TreePassiveAggressive": {
        "check_sample_weight_equivalence_on_dense_data": ONLINE,
        "check_sample_weight_equivalence_on_sparse_data": ONLINE,
    },
    "DistributedTrees": {},
    "TreeNystroem": {},
    "as_precomputed": {},
}


class DistributedRows(tk.DistributedTrees):
    """Distributed trees of the rows of a matrix, each a tree of its rounded numbers."""

    def _takes_vectors_alone(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _trees(self, X: Any) -> list[Any]:
        rows = check_array(X)
        return [("row", *((str(i), f"{x:.3f}") for i, x in enumerate(row))) for row in rows]

    def fit(self, X: Any, y: Any = None) -> DistributedRows:
        super().fit(self._trees(X))
        self.input_columns_ = {**columns_seen(X), "count": check_array(X).shape[1]}
        return self

    def transform(self, X: Any) -> Any:
        trees, width = self._trees(X), check_array(X).shape[1]
        if self.input_columns_ and width != self.n_features_in_:
            raise ValueError(
                f"X has {width} features, but DistributedRows is expecting "
                f"{self.n_features_in_} features as input"
            )
        return super().transform(trees)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return self.fit(X, y).transform(X)


ESTIMATORS: dict[str, BaseEstimator] = {
    "TreeSVC": tk.TreeSVC("linear"),
    "TreeSVC with probabilities": tk.TreeSVC(tk.RBFKernel(), probability=True),
    "TreeSVR": tk.TreeSVR("rbf"),
    "TreePerceptron": tk.TreePerceptron("linear + 1", epochs=20),
    "TreePassiveAggressive": tk.TreePassiveAggressive("linear + 1", epochs=20),
    "DistributedTrees": DistributedRows(64),
    "TreeNystroem": tk.TreeNystroem("rbf", 20),
    "as_precomputed": tk.as_precomputed(KernelRidge(), "linear"),
}


def failures(estimator: BaseEstimator) -> tuple[dict[str, Exception], int]:
    """Run all checks; return those that fail, by name, and how many there were."""
    failed: dict[str, Exception] = {}
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checks = list(estimator_checks.check_estimator(estimator, **_generating()) or ())
        for item in checks:
            count += 1
            if isinstance(item, dict):  # scikit-learn 1.6 and later have run them
                if item["status"] == "failed":
                    failed[item["check_name"]] = item["exception"]
                continue
            instance, check = item
            try:
                check(instance)
            except estimator_checks.SkipTest:
                pass
            except Exception as error:
                failed[check.func.__name__] = error
    return failed, count


def _generating() -> dict[str, Any]:
    """Return the options under which `check_estimator` lists what it finds, in any version."""
    if hasattr(estimator_checks, "estimator_checks_generator"):
        return {"on_fail": None, "on_skip": None}
    return {"generate_only": True}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if "probabilities" in name else name
        for name in ESTIMATORS
    ],
)
def test_checks_of_scikit_learn(name: str) -> None:
    failed, count = failures(ESTIMATORS[name])
    assert count >= 30
    known = EXPECTED[name]
    for check, error in failed.items():
        if check not in known:
            raise AssertionError(f"{check} fails: {error}") from error
    assert set(known) - set(failed) <= _absent(known), "these pass: take them off the list"


def _absent(names: Any) -> set[str]:
    """Return the checks that this version of scikit-learn does not have."""
    return {name for name in names if not hasattr(estimator_checks, name)}


@pytest.mark.parametrize(
    "estimator",
    [
        tk.TreeSVC("sst"),
        tk.TreeSVR("sst"),
        tk.TreePerceptron("sst"),
        tk.TreePassiveAggressive("sst"),
        tk.DistributedTrees(),
        tk.TreeNystroem(),
        tk.as_precomputed(KernelRidge()),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_estimators_of_trees_say_so(estimator: BaseEstimator) -> None:
    """scikit-learn does not try to give them matrices of numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        estimator_checks.check_estimator(estimator)
    assert not _takes_a_matrix(estimator)
    tags = estimator.__sklearn_tags__()
    assert tags.input_tags.string
    assert tags.target_tags.required == hasattr(estimator, "predict")


@pytest.mark.parametrize(
    ("kernel", "takes_a_matrix"),
    [
        ("linear", True),
        ("rbf + linear", True),
        ("linear(on=vector)", False),
        ("sst + linear", False),
        ("nonsense", False),
        (None, False),
    ],
)
def test_tags_follow_the_kernel(kernel: Any, takes_a_matrix: bool) -> None:
    assert _takes_a_matrix(tk.TreeSVC(kernel)) is takes_a_matrix


def _takes_a_matrix(estimator: BaseEstimator) -> bool:
    return bool(estimator.__sklearn_tags__().input_tags.two_d_array)


@pytest.mark.parametrize("machine", [tk.TreeSVC, tk.TreeSVR])
def test_a_weight_of_two_is_two_copies(machine: Any) -> None:
    trees = [f"(S (A {a}) (B {b}))" for a in "abc" for b in "defg"]
    y = [0, 1, 1] * 4
    exact = {"C": 0.3, "tol": 1e-9, "random_state": 0}
    weights = [1, 2, 3, 0] * 3
    weighted = machine(**exact).fit(trees, y, sample_weight=weights)
    rows = [row for row, weight in enumerate(weights) for _ in range(weight)]
    copied = machine(**exact).fit([trees[row] for row in rows], [y[row] for row in rows])
    scores = [
        getattr(item, "decision_function", item.predict)(trees) for item in (weighted, copied)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)
    plain = machine(**exact).fit(trees, y)
    others = getattr(plain, "decision_function", plain.predict)(trees)
    assert scores[0] != pytest.approx(others, abs=1e-2)

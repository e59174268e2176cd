"""as_precomputed: kernel methods of scikit-learn on trees, through the matrix of all pairs.

An estimator that accepts only numbers gets the Gram matrix, or the distances of the examples by a
kernel or by edits, which scikit-learn calls "precomputed". The adapter keeps the examples, to
compare others with them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treekernels.common.arrays import Array, Floats
from treekernels.common.checks import check_parameters, check_verbose, rules
from treekernels.common.parameter_class import KW_ONLY, parameter_class
from treekernels.common.progress import progress_bar
from treekernels.data.columns import forest_of
from treekernels.data.estimator import TreeEstimator
from treekernels.data.examples import Examples
from treekernels.distance import EditDistance, EditDistanceKernel
from treekernels.errors import DataError, ParameterError
from treekernels.kernels import Kernel
from treekernels.kernels.base.kernel import check_n_jobs, thread_count
from treekernels.kernels.expressions.parsing import as_kernel
from treekernels.learners.base.kernel_parameter import KernelParameter
from treekernels.learners.base.portfolio import kernel_without_labels

__all__ = ["PrecomputedEstimator", "as_precomputed"]

_Method = TypeVar("_Method", bound=Callable[..., Any])

Expects = Literal["kernel", "distance", "kernel object", "parts"]

_KINDS: dict[str, Expects] = {
    "kernel": "kernel",
    "affinity": "kernel",
    "dissimilarity": "distance",
    "metric": "distance",
}


def as_precomputed(
    estimator: Any,
    kernel: Kernel | str | None = "auto",
    *,
    metric: EditDistance | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PrecomputedEstimator:
    """Let an estimator of scikit-learn that has a kernel, an affinity or a metric take trees.

    Parameters
    ----------
    estimator : estimator
        An estimator with a parameter `kernel`, `affinity`, `metric` or `dissimilarity` that may be
        "precomputed", such as `KernelRidge`, `SpectralClustering` or `KNeighborsClassifier`; or one
        that is made of such estimators, such as a `BaggingClassifier`, a `Pipeline` or a
        `GridSearchCV`. Whatever this parameter is set to is not used.
    kernel : Kernel or str, default="auto"
        The kernel, or an expression such as ``"sst(0.3)"`` that describes one. With "auto", it is
        chosen by what the trees are, as `TreeIndex` does it: the kernel that finds similar ones.
    metric : EditDistance, optional
        What an estimator with a `metric` or a `dissimilarity` gets instead of distances in the
        space of a kernel.
    n_jobs : int, optional
        Threads for Gram matrices; -1 for all cores.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    PrecomputedEstimator
        An estimator of the same type, which takes trees.

    Examples
    --------
    >>> import treekernels as tk
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> trees = ["(A b)", "(A (B b))", "(A (B (B b)))", "(C d)", "(C (D d))", "(C (D (D d)))"]
    >>> ridge = tk.as_precomputed(KernelRidge(alpha=0.01)).fit(trees, [1, 2, 3, 1, 2, 3])
    >>> ridge.predict(["(A (B b))"]).round(1).tolist()
    [2.0]
    >>> clusters = tk.as_precomputed(AgglomerativeClustering(2, linkage="average"), "ptk")
    >>> clusters.fit_predict(trees).tolist()
    [1, 1, 1, 0, 0, 0]
    >>> from sklearn.cluster import DBSCAN
    >>> dense = tk.as_precomputed(DBSCAN(eps=1, min_samples=2), metric=tk.EditDistance())
    >>> dense.fit_predict(trees).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    return PrecomputedEstimator(estimator, kernel, metric=metric, n_jobs=n_jobs, verbose=verbose)


def _if_inside(name: str) -> Callable[[_Method], _Method]:
    """Let an adapter have a method only if the estimator inside has it."""

    def is_inside(adapter: PrecomputedEstimator) -> bool:
        getattr(vars(adapter).get("estimator_", adapter.estimator), name)
        return True

    decorator: Callable[[_Method], _Method] = available_if(is_inside)
    return decorator


def _passed_on(name: str, does: str) -> Any:
    """Return a method that asks the estimator inside for what it `does` with other examples."""

    def method(self: PrecomputedEstimator, X: Any, **options: Any) -> Any:
        return self._call(name, X, options)

    method.__name__, method.__doc__ = name, does
    return _if_inside(name)(method)


@parameter_class
class PrecomputedEstimator(
    KernelParameter,
    TreeEstimator,
    MetaEstimatorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """An estimator of scikit-learn on trees, as `as_precomputed` makes it.

    It can be cloned, pickled and searched over: ``kernel__decay`` is the decay of the kernel and
    ``estimator__alpha`` a parameter of the estimator inside. It predicts, transforms and scores if
    the estimator inside does. What that one has learned, such as ``labels_`` or ``support_``, is
    found here under the same name.

    An estimator with a `metric` gets distances in the space of the kernel,
    ``sqrt(K(x, x) + K(y, y) - 2 K(x, y))``, or edit distances; one with a `kernel` or an `affinity`
    gets the kernel's values. Gaussian processes get the kernel itself.

    Parameters
    ----------
    estimator, kernel, metric, n_jobs, verbose
        As in `as_precomputed`.

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator inside.
    kernel_ : Kernel
        The kernel, with the weights that it has learned from the examples if it has any; with
        ``kernel="auto"`` what was chosen.
    """

    parameter_rules = rules(n_jobs=check_n_jobs, verbose=check_verbose)

    estimator: Any
    chooses_kernel = True

    kernel: Kernel | str | None = "auto"
    _: KW_ONLY
    metric: EditDistance | None = None
    n_jobs: int | None = None
    verbose: bool = False

    def fit(self, X: Any, y: Any = None, **options: Any) -> PrecomputedEstimator:
        """Fit the estimator inside on the comparisons of all examples with each other.

        Parameters
        ----------
        X : sequence of examples
        y : sequence, optional
            What the estimator inside is to learn.
        **options
            Whatever else its `fit` takes, such as `sample_weight`.

        Returns
        -------
        self
        """
        self._fit("fit", X, y, options)
        return self

    @_if_inside("fit_predict")
    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fit the estimator inside, and return the cluster, or the like, of each example."""
        return self._fit("fit_predict", X, y, options)

    @_if_inside("fit_transform")
    def fit_transform(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Fit the estimator inside, and return what it makes of the examples."""
        return self._fit("fit_transform", X, y, options)

    def _fit(self, method: str, X: Any, y: Any, options: dict[str, Any]) -> Any:
        check_parameters(self, self.parameter_rules)
        place = find_place(self.estimator)
        kernel = self._chosen_kernel(place, X)
        examples, columns = self._take_examples(X, kernel, as_before=False)
        if len(examples) == 0:
            raise DataError("there are no examples to learn from")
        if y is not None and (count := len(np.asarray(y))) != len(examples):
            raise DataError(f"X has {len(examples)} examples, and y {count} labels")
        kernel = kernel.fitted_on(examples).remembering()
        if place.takes in ("kernel", "distance"):
            inner = clone(self.estimator).set_params(**dict.fromkeys(place.names, "precomputed"))
            train: Examples | None = examples
            by_kernel = place.takes == "distance" and self.metric is None
            diagonal = kernel.diag(examples) if by_kernel else None
            comparisons: Any = self._compare(kernel, examples, None, diagonal)
        elif place.takes == "kernel object":
            inner = clone(self.estimator).set_params(**{place.names[0]: kernel})
            train = diagonal = None
            comparisons = examples.X if None in examples.columns else X
        else:
            inner = clone(self.estimator).set_params(**self._adapted_parts(place, kernel))
            train = diagonal = None
            comparisons = _column_of_trees(X, kernel)
        result = getattr(inner, method)(comparisons, y, **options)
        self.__dict__.update(  # in one step, for Ctrl-C
            estimator_=inner,
            kernel_=kernel,
            input_columns_=columns,
            _train=train,
            _train_diagonal=diagonal,
        )
        return result

    def _chosen_kernel(self, place: Place, X: Any) -> Kernel:
        """Return the kernel, or one that looks at the same examples as the edit distance."""
        metric = self.metric
        if metric is None:
            return kernel_without_labels(X) if self._is_automatic() else as_kernel(self.kernel)
        if not isinstance(metric, EditDistance):
            raise ParameterError(f"metric must be an EditDistance or None, not {metric!r}")
        if not self._is_automatic():
            raise ParameterError("give a kernel or a metric, not both")
        if any(_KINDS[name.rpartition("__")[2]] != "distance" for name in place.names):
            raise ParameterError(
                f"{type(self.estimator).__name__} takes a kernel and no distances: give it "
                "tk.EditDistanceKernel(), which need not be positive semi-definite"
            )
        return EditDistanceKernel(distance=metric, relative=False, on=metric.on)

    def _adapted_parts(self, place: Place, kernel: Kernel) -> dict[str, Any]:
        """Return the innermost estimators, each in an adapter of its own, by their names."""
        parameters = self.estimator.get_params(deep=True)
        paths = {name.rpartition("__")[0] for name in place.names}
        return {
            path: PrecomputedEstimator(
                parameters[path],
                kernel if self.metric is None else "auto",
                metric=self.metric,
                n_jobs=self.n_jobs,
            )
            for path in sorted(paths)
        }

    def _compare(
        self, kernel: Kernel, rows: Examples, train: Examples | None, diagonal: Floats | None
    ) -> Floats:
        """Return kernel values; or distances, by the metric or by K(x, x) of the training data.

        Without `train`, the rows are compared with each other.
        """
        with progress_bar(type(self.estimator).__name__, verbose=bool(self.verbose)) as progress:
            threads = thread_count(self.n_jobs)
            if isinstance(self.metric, EditDistance):
                trees = [None if X is None else X.trees(self.metric.on) for X in (rows, train)]
                return self.metric(*trees, n_jobs=threads, progress=progress)
            matrix: Floats = kernel(rows, train, n_jobs=threads, progress=progress)
        if diagonal is None:
            return matrix
        of_rows = diagonal if train is None else kernel.diag(rows)
        matrix *= -2.0
        matrix += of_rows[:, None]
        matrix += diagonal
        np.maximum(matrix, 0.0, out=matrix)
        np.sqrt(matrix, out=matrix)
        if train is None:
            np.fill_diagonal(matrix, 0.0)
        return matrix

    def _comparisons(self, X: Any) -> Any:
        """Return what the estimator inside is to see of other examples."""
        check_is_fitted(self, "estimator_")
        kernel, train = self.kernel_, self._train
        examples = self._examples_like_before(X, kernel)
        if train is not None:
            return self._compare(kernel, examples, train, self._train_diagonal)
        if find_place(self.estimator).takes == "parts":
            return _column_of_trees(X, kernel)
        return examples.X if None in examples.columns else X

    predict = _passed_on("predict", "Return what the estimator inside predicts for each example.")
    predict_proba = _passed_on("predict_proba", "Return the probability of each class.")
    predict_log_proba = _passed_on(
        "predict_log_proba", "Return the logarithm of the probability of each class."
    )
    decision_function = _passed_on("decision_function", "Return the scores of each example.")
    score_samples = _passed_on("score_samples", "Return how usual each example is.")
    transform = _passed_on("transform", "Return what the estimator inside makes of each example.")

    @_if_inside("score")
    def score(self, X: Any, y: Any = None, **options: Any) -> Any:
        """Return the score of the estimator inside, such as the accuracy of a classifier."""
        comparisons = self._comparisons(X)  # which first sees that it is fitted
        return self.estimator_.score(comparisons, y, **options)

    @_if_inside("kneighbors")
    def kneighbors(self, X: Any = None, **options: Any) -> Any:
        """Return the distances and the places of the nearest training examples."""
        return self._call("kneighbors", X, options)

    @_if_inside("radius_neighbors")
    def radius_neighbors(self, X: Any = None, **options: Any) -> Any:
        """Return the distances and the places of all training examples that are near."""
        return self._call("radius_neighbors", X, options)

    def _call(self, method: str, X: Any, options: dict[str, Any]) -> Any:
        comparisons = None if X is None else self._comparisons(X)
        check_is_fitted(self, "estimator_")
        return getattr(self.estimator_, method)(comparisons, **options)

    @_if_inside("set_output")
    def set_output(self, *, transform: Any = None) -> PrecomputedEstimator:
        """Say of what kind `transform` returns its results, for example ``"pandas"``."""
        self.estimator.set_output(transform=transform)
        return self

    @_if_inside("get_feature_names_out")
    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names of the columns that `transform` makes."""
        check_is_fitted(self, "estimator_")
        return self.estimator_.get_feature_names_out()

    def __getattr__(self, name: str) -> Any:
        """Return what the estimator inside has learned."""
        learned = name.endswith("_") and not name.startswith("_")
        if learned and "estimator_" in vars(self):
            return getattr(self.estimator_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what X may be, and whether this is a classifier, and so on."""
        tags = get_tags(self.estimator)
        tags.input_tags = super().__sklearn_tags__().input_tags
        return tags


def _column_of_trees(X: Any, kernel: Kernel) -> Array:
    """Return trees as an array with one column, which passes for a matrix."""
    leaves = [leaf for leaf in kernel.leaves() if leaf.takes is not None]
    if any(leaf.takes != "trees" or leaf.on is not None for leaf in leaves):
        raise ParameterError(
            "an ensemble that draws examples gets them as one column of trees, and the kernel "
            f"{kernel!r} looks at others as well: use a kernel of trees without on="
        )
    forest = forest_of(X, None)
    return np.asarray(forest).reshape(-1, 1)


class Place(NamedTuple):
    """What an estimator takes, and the parameters that say so."""

    # The Gram matrix, distances, the kernel as it is; or that each of the estimators that it is
    # made of takes something of its own.
    takes: Expects
    names: list[str]  # the parameters, which may be those of estimators inside


def find_place(estimator: Any) -> Place:
    """Find out whether an estimator wants a kernel or distances, and by which parameter.

    Examples
    --------
    >>> from sklearn.multiclass import OneVsOneClassifier
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.svm import SVC
    >>> find_place(KNeighborsClassifier())
    Place(takes='distance', names=['metric'])
    >>> find_place(OneVsOneClassifier(SVC()))
    Place(takes='kernel', names=['estimator__kernel'])
    """
    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise ParameterError(f"an estimator of scikit-learn was expected, not {estimator!r}")
    parameters = estimator.get_params(deep=True)
    names = [name for name in parameters if _is_place(name, parameters)]
    if not names:
        raise ParameterError(
            f"{type(estimator).__name__} has no parameter kernel, affinity, metric or "
            "dissimilarity that could be 'precomputed': turn trees into vectors for it, with "
            "tk.TreeNystroem or tk.DistributedTrees"
        )
    depth = min(name.count("__") for name in names)
    names = [name for name in names if name.count("__") == depth]
    if depth == 0:
        name = next(name for name in _KINDS if name in names)
        return Place("kernel object" if _is_process(estimator) else _KINDS[name], [name])
    kinds = {_KINDS[name.rpartition("__")[2]] for name in names}
    processes = any(_is_process(parameters[name.rpartition("__")[0]]) for name in names)
    if len(kinds) == 1 and not processes and _is_pairwise(estimator, names):
        return Place(kinds.pop(), names)
    return Place("parts", names)


def _is_place(name: str, parameters: dict[str, Any]) -> bool:
    """Return whether a parameter chooses how examples are compared."""
    kind, value = name.rpartition("__")[2], parameters[name]
    if kind == "dissimilarity":  # which newer versions of MDS call metric
        return isinstance(value, str) and value not in ("deprecated", "warn")
    return kind in _KINDS and not isinstance(value, bool)


def _is_process(estimator: Any) -> bool:
    """Return whether an estimator is a Gaussian process, which takes kernels of trees itself."""
    from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor

    return isinstance(estimator, GaussianProcessClassifier | GaussianProcessRegressor)


def _is_pairwise(estimator: Any, names: list[str]) -> bool:
    """Return whether an estimator made of others cuts rows and columns of a matrix alike."""
    precomputed = clone(estimator).set_params(**dict.fromkeys(names, "precomputed"))
    return bool(get_tags(precomputed).input_tags.pairwise)

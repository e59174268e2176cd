"""Where an estimator of scikit-learn can be told that it gets a matrix of comparisons."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from sklearn.base import clone

from treekernels.errors import ParameterError

__all__ = ["Place", "find_place"]

Takes = Literal["kernel", "distance", "kernel object", "parts"]

_KINDS: dict[str, Takes] = {
    "kernel": "kernel",
    "affinity": "kernel",
    "dissimilarity": "distance",
    "metric": "distance",
}


class Place(NamedTuple):
    """What an estimator takes, and the parameters that say so.

    Attributes
    ----------
    takes : {"kernel", "distance", "kernel object", "parts"}
        The Gram matrix, distances, the kernel as it is; or that each of the estimators that it is
        made of takes something of its own.
    names : list of str
        The parameters, which may be those of estimators inside.
    """

    takes: Takes
    names: list[str]


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
    try:
        from sklearn.utils import get_tags
    except ImportError:  # scikit-learn before 1.6
        return bool(precomputed._get_tags()["pairwise"])
    return bool(get_tags(precomputed).input_tags.pairwise)

"""Saving and loading of models: one file of plain data, from which nothing is ever executed.

`treekernels.io.files.container` has the format of the file.
"""

from __future__ import annotations

import os
from typing import Any

from treekernels import learners
from treekernels.errors import ModelFileError, ParameterError
from treekernels.io.files.container import MALFORMED, read_container, write_container
from treekernels.io.formats import reading_of
from treekernels.kernels import InverseDocumentFrequency, Kernel, WordVectors
from treekernels.kernels.expressions.parsing import as_kernel, without_files
from treekernels.learners.base.kernel_parameter import KernelParameter, is_auto

__all__ = ["load", "save"]

_WEIGHTS = "Weights"


def _model_class(name: str) -> Any:
    """Return the class of models of a name, or None."""
    if name in learners.__all__:
        return getattr(learners, name)
    from treekernels import embeddings  # which import scikit-learn

    return getattr(embeddings, name) if name in embeddings.__all__ else None


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a fitted learner, a fitted embedding, a weighted forest, or weights as plain data.

    The file is written under another name first, and takes its name when it is complete.

    Parameters
    ----------
    model : learner, embedding or WeightedForest
        A fitted `TreeSVC`, `TreeSVR`, `TreePerceptron`, `TreePassiveAggressive`, `TreeRanker`,
        `DistributedTrees` or `TreeNystroem`, or a `WeightedForest`; or what trees have taught of
        weights, an `InverseDocumentFrequency` or `LearnedWeights`.
    path : path
        The name of the file; ``.tkm`` is the usual extension.

    Examples
    --------
    >>> import tempfile, treekernels as tk
    >>> machine = tk.TreeSVC(random_state=0).fit(["(A b)", "(A c)"], ["x", "y"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tk.save(machine, f"{folder}/model.tkm")
    ...     tk.load(f"{folder}/model.tkm").predict(["(A b)"]).tolist()
    ['x']
    """
    if isinstance(model, InverseDocumentFrequency):
        write_container(path, _WEIGHTS, {"weights": model})
        return
    name = type(model).__name__
    if _model_class(name) is not type(model):
        from treekernels import embeddings

        known = ", ".join([*learners.__all__, *embeddings.__all__])
        raise ParameterError(f"only {known} can be saved, not {name}")
    parameters = model.get_params(deep=False)
    parameters.pop("checkpoint", None)  # a file of the computer on which the model was learned
    if isinstance(model, KernelParameter):
        parameters["kernel"] = _kernel_to_save(model, parameters["kernel"])
    state = {"parameters": parameters, "state": model._state()}
    if (features := getattr(model, "input_columns_", None)) is not None:
        state["features"] = features
    if (reading := getattr(model, "reading_", None)) is not None:
        state["reading"] = reading
    write_container(path, name, state)


def _kernel_to_save(model: Any, given: Any) -> Any:
    """Return the kernel as it was given, or the one learned with where that may be another.

    An expression may name a file of word vectors, which could change or be missing later.
    """
    if hasattr(model, "learned_kernel"):
        learned = model.learned_kernel()
    else:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(model)
        learned = model.kernel_
    if isinstance(given, str) and any(_has_vectors(leaf) for leaf in learned.leaves()):
        return learned
    return given if learned == model.kernel_ else learned


def _has_vectors(kernel: Kernel) -> bool:
    return isinstance(getattr(kernel, "similarity", None), WordVectors)


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model that `save` has saved. Loading never runs code, and reads no other file.

    Of word vectors, a model has those of the words that it has met.

    Raises
    ------
    ModelFileError
        When the file is not a model, is cut off, or was altered.
    """
    kind, content = read_container(path)
    if kind == _WEIGHTS:
        if not isinstance(weights := content.get("weights"), InverseDocumentFrequency):
            raise ModelFileError(f"{path}: the parts of the file do not fit")
        return weights
    class_ = _model_class(kind)
    if class_ is None:
        raise ModelFileError(f"{path}: holds {kind!r}, which is not a model")
    try:
        parameters = dict(content["parameters"])
        parameters.pop("checkpoint", None)  # or fit would read, write and remove a file of any name
        with without_files():
            model = class_(**parameters)
            if isinstance(model, KernelParameter) and not is_auto(model.kernel):
                as_kernel(model.kernel)  # which raises an error where it names a file
            model._restore(content["state"])
        if (features := content.get("features")) is not None:
            names = features["names"]
            model.input_columns_ = {
                "count": int(features["count"]),
                "names": None if names is None else [str(name) for name in names],
            }
        if (reading := reading_of(content)) is not None:
            model.reading_ = reading
    except MALFORMED as error:
        raise ModelFileError(f"{path}: the parts of the model do not fit ({error})") from error
    return model

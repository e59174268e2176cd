"""Weights of features that were learned from other trees, as commands take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treekernels.cli.shared.problem import Problem, check_files

if TYPE_CHECKING:
    from treekernels.kernels import Kernel


def with_frequencies(kernel: Any, path: str) -> Kernel:
    """Return a kernel with the weights in a file; by default, for None, one of tree features."""
    from treekernels.kernels import InverseDocumentFrequency, TreeFeaturesKernel
    from treekernels.persistence import load

    check_files([path])
    weights = load(path)
    if not isinstance(weights, InverseDocumentFrequency):
        raise Problem(f"{path} holds a model, and not frequencies")
    if kernel is None:
        kernel = TreeFeaturesKernel()
    if "weights" not in kernel.get_params(deep=False):
        raise Problem("the kernel takes no weights: use features, pqgram or subpath")
    chosen: Kernel = kernel.with_params(weights=weights)
    chosen.check_parameters()
    return chosen

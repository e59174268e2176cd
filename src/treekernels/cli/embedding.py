"""The embedding that ``treekernels embed`` makes vectors with: a new one, or one from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treekernels.cli.columns import examples_for, kernel_for
from treekernels.cli.data import Data
from treekernels.cli.problem import Problem
from treekernels.embeddings import DistributedTrees, TreeNystroem
from treekernels.kernels import SubsetTreeKernel
from treekernels.persistence import load

__all__ = ["load_embedding", "make_embedding"]

_COMPONENTS = 256
_DISTRIBUTED = {"sst": "subset", "st": "subtree"}


def make_embedding(
    data: Data,
    *,
    landmarks: str | None,
    kernel: str | None,
    dimension: int | None,
    seed: int,
    dtype: str,
    jobs: int,
    distributed: Mapping[str, Any],
) -> tuple[Any, Any]:
    """Return an embedding that is fitted on the data, and what it makes vectors of.

    `distributed` has the options that only distributed trees have, None where they were not given.
    """
    given = {name: value for name, value in distributed.items() if value is not None}
    common: dict[str, Any] = {"dtype": dtype, "n_jobs": jobs}
    if landmarks is None:
        X = examples_for(SubsetTreeKernel(), data)
        if kernel is not None and kernel not in _DISTRIBUTED:
            raise Problem(
                f"distributed trees estimate the kernels sst and st, and not {kernel!r}: "
                "--landmarks uniform makes vectors for any kernel"
            )
        if dimension is not None:
            given["dimension"] = dimension
        given["kernel"] = _DISTRIBUTED[kernel or "sst"]
        return DistributedTrees(seed=seed, **given, **common).fit(X), X
    if given:
        option = "--" + next(iter(given)).replace("_", "-")
        raise Problem(
            f"{option} is for distributed trees: leave out --landmarks, or write the kernel with "
            "its decay, as in --kernel 'sst(0.3)'"
        )
    chosen, X = kernel_for(kernel, data)
    made = TreeNystroem(
        chosen,
        dimension or _COMPONENTS,
        selection=landmarks,  # type: ignore[arg-type]
        random_state=seed,
        **common,
    )
    return made.fit(X), X


def load_embedding(path: str, data: Data, jobs: int) -> tuple[Any, Any]:
    """Return an embedding from a file, and what it makes vectors of."""
    embedding = load(path)
    if not hasattr(embedding, "transform"):
        raise Problem(f"{path} is a {type(embedding).__name__}, which makes no vectors")
    kernel = getattr(embedding, "kernel_", SubsetTreeKernel())
    return embedding.set_params(n_jobs=jobs), examples_for(kernel, data)

"""The embedding that ``treekernels embed`` makes vectors with: a new one, or one from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treekernels.cli.shared.columns import examples_for, kernel_for
from treekernels.cli.shared.data import Data
from treekernels.cli.shared.problem import Problem
from treekernels.data.table import Table
from treekernels.embeddings import DistributedPairs, DistributedTrees, TreeNystroem
from treekernels.kernels import SubsetTreeKernel, TripartiteKernel
from treekernels.persistence import load

__all__ = ["input_for", "load_embedding", "make_embedding"]

_COMPONENTS = 256
_DISTRIBUTED = {"sst": "subset", "st": "subtree", "ptk": "partial"}


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
        if kernel is not None and kernel not in _DISTRIBUTED:
            raise Problem(
                f"distributed trees estimate the kernels sst, st and ptk, and not {kernel!r}: "
                "--landmarks uniform makes vectors for any kernel, and --decay and "
                "--vertical-decay are options of their own"
            )
        if dimension is not None:
            given["dimension"] = dimension
        given["kernel"] = _DISTRIBUTED[kernel or "sst"]
        common["seed"] = seed
        if (combine := given.pop("pairs", None)) is not None:
            return _embedding_of_pairs(combine, data, {**given, **common})
        if "vertical_decay" in given and given["kernel"] != "partial":
            raise Problem("--vertical-decay is for partial trees: add --kernel ptk")
        X = examples_for(SubsetTreeKernel(), data)
        return DistributedTrees(**given, **common).fit(X), X
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


def _embedding_of_pairs(combine: str, data: Data, options: dict[str, Any]) -> tuple[Any, Any]:
    if len(data.trees) != 2:
        raise Problem(
            f"--pairs needs two columns of trees, and {data.path} has {len(data.trees)} "
            f"({', '.join(data.trees)}): say which with --tree, twice"
        )
    for name in ("composition", "min_df"):
        if name in options:
            raise Problem(f"--{name.replace('_', '-')} is not for pairs")
    X = Table({name: data.table[name] for name in data.trees})
    made = DistributedPairs(combine=combine, on=list(data.trees), **options)  # type: ignore[arg-type]
    return made.fit(X), X


def load_embedding(path: str, jobs: int) -> Any:
    """Return an embedding from a file."""
    embedding = load(path)
    if not hasattr(embedding, "transform"):
        raise Problem(f"{path} is a {type(embedding).__name__}, which makes no vectors")
    return embedding.set_params(n_jobs=jobs)


def input_for(embedding: Any, data: Data) -> Any:
    """Return what an embedding from a file makes vectors of."""
    if isinstance(embedding, DistributedPairs):
        on = embedding.on if isinstance(embedding.on, list) else ["text", "hypothesis"]
        return examples_for(TripartiteKernel(on=on), data)
    return examples_for(getattr(embedding, "kernel_", SubsetTreeKernel()), data)

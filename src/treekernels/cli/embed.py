"""``treekernels embed DATA OUT``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.cluster import lent_client
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.common.optional import require
from treekernels.common.screen import Screen
from treekernels.common.text import byte_count, count_noun, seconds

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.cli.shared.data import Data
    from treekernels.common.progress import Progress

_COMPONENTS = 256
_DISTRIBUTED = {"sst": "subset", "st": "subtree", "ptk": "partial"}


@click.command("embed", short_help="Make a vector of every tree.")
@options.data_argument()
@click.argument("out")
@options.number(
    "--dimension",
    "-d",
    help="Number of dimensions of each vector. [default: 8192, or 256 with --landmarks]",
)
@options.choice(
    "--landmarks",
    ["uniform", "kmeans++", "leverage"],
    "Make vectors from comparisons with some of the examples, for any kernel, instead of "
    "distributed trees: landmarks that are chosen at random, far apart, or by leverage scores.",
)
@click.option(
    "--kernel", "-k", metavar="EXPRESSION",
    help="Kernel that the dot products estimate: sst for subset trees, st for subtrees or ptk for "
    "partial trees; with --landmarks any, such as 'ptk(0.3)' or 'sst(on=tree) + poly(3)'; or auto, "
    "which is chosen by what the trees are, and takes landmarks. [default: sst, or auto with "
    "--landmarks]",
)  # fmt: skip
@click.option(
    "--decay", metavar="NUMBER", type=float,
    help="Decay of the kernel: the weight of each further production in a fragment. [default: 0.4]",
)  # fmt: skip
@click.option(
    "--vertical-decay", metavar="NUMBER", type=float,
    help="Vertical decay of partial trees, the factor for each node of a fragment. [default: 0.4]",
)  # fmt: skip
@options.choice(
    "--pairs",
    ["product", "sum"],
    "Make a vector of each pair of trees, from two columns of trees: its dot products "
    "estimate the product of the kernels of both sides, or the sum.",
)
@options.choice(
    "--composition",
    ["sign", "product", "convolution"],
    "Operation that combines the vectors of labels into those of fragments. [default: sign]",
)
@options.number(
    "--min-df",
    help="Smallest number of trees that a chain of productions, each below the last, has to "
    "occur in; fragments with a rarer chain are left out. [default: 1]",
)
@click.option(
    "--normalize", is_flag=True, default=None,
    help="Scale every vector to length 1. With --landmarks, kernels are normalised unless they "
    "say otherwise.",
)  # fmt: skip
@options.number(
    "--seed",
    help="Seed of the random vectors that stand for labels, or of the choice of landmarks.",
    default=0,
    least=0,
)
@options.choice(
    "--dtype", ["float32", "float64"], "Type of the numbers that are written.", default="float32"
)
@click.option(
    "--save", "save_to", metavar="FILE",
    help="File to save the embedding in, so that other trees get their vectors in the same way.",
)  # fmt: skip
@options.file("--model", "File that --save has written, to use instead of the options above.")
@options.reading
@options.running
def command(
    data: tuple[str, ...],
    out: str,
    running: options.Running,
    dimension: int | None,
    landmarks: str | None,
    kernel: str | None,
    decay: float | None,
    vertical_decay: float | None,
    pairs: str | None,
    composition: str | None,
    min_df: int | None,
    normalize: bool | None,
    seed: int,
    dtype: str,
    save_to: str | None,
    model: str | None,
    **reading: Unpack[options.Reading],
) -> None:
    """Write a vector for each tree of DATA to the file OUT. Dot products estimate the kernel.

    \b
    Examples:
      treekernels embed data.tsv vectors.npy
      treekernels embed data.tsv vectors.parquet --dimension 1024
      treekernels embed big.txt vectors.npy --min-df 10 --normalize
      treekernels embed parsed.conllu vectors.npy --kernel ptk --vertical-decay 0.3
      treekernels embed pairs.tsv vectors.npy --pairs product
      treekernels embed train.tsv train.npy --landmarks kmeans++ --kernel ptk --save landmarks.tkm
      treekernels embed test.tsv test.npy --model landmarks.tkm

    If OUT ends in .npy, it is a matrix for NumPy; if it ends in .parquet, it is a table that also
    has the other columns of DATA. Either may be larger than memory.
    """
    from treekernels.cli.shared.reading import as_remembered, read_data, remember_reading
    from treekernels.io.files.atomic import whole_file
    from treekernels.persistence import save

    screen = Screen(quiet=running.quiet)
    for name in (out, save_to):
        if name is not None:
            check_folder(name)
    if Path(out).suffix not in (".npy", ".parquet"):
        raise Problem(f"vectors are written for NumPy or as Parquet: end {out} in .npy or .parquet")
    if out.endswith(".parquet") and running.on_cluster:
        raise Problem(f"a cluster writes vectors for NumPy: end {out} in .npy")
    if (landmarks is not None or kernel == "auto") and running.on_cluster:
        raise Problem("--landmarks works on this machine: leave out --scheduler and --workers")
    distributed: dict[str, Any] = {
        "decay": decay, "vertical_decay": vertical_decay, "pairs": pairs,
        "composition": composition, "min_df": min_df, "normalize": normalize,
    }  # fmt: skip
    chosen: dict[str, Any] = {"dimension": dimension, "landmarks": landmarks, "kernel": kernel}
    if model is not None:
        if given := _given({**chosen, **distributed}):
            raise Problem(
                f"--model has settings of its own: leave out {_option(next(iter(given)))}"
            )
        loaded = _load_embedding(model, running.jobs)
        reading = as_remembered(loaded, data, reading, screen)
    examples = read_data(data, screen, **reading)
    start = time.perf_counter()
    with (
        lent_client(running) as client,
        screen.progress("vectors") as progress,
    ):
        if model is not None:
            embedding, X = loaded, _input_for(loaded, examples)
        else:
            embedding, X = _make_embedding(
                examples,
                **chosen,
                seed=seed,
                dtype=dtype,
                jobs=running.jobs,
                distributed=distributed,
            )
        if save_to is not None:
            remember_reading(embedding, data, reading, examples.parsed)
            save(embedding, save_to)
        if client is not None:
            import treekernels.dask as tkd

            embedding.set_params(n_jobs=None)
            tkd.to_npy(tkd.embed(embedding, X, client=client), out)
        elif out.endswith(".npy"):
            embedding.transform(X, out=out, progress=progress)
        else:
            with whole_file(out) as file:
                _write_parquet(embedding, X, examples, file, progress)
    taken = time.perf_counter() - start
    width = len(embedding.get_feature_names_out())
    size = Path(out).stat().st_size
    if running.as_json:
        screen.json({"out": out, "shape": [len(X), width], "seconds": taken, "bytes": size})
        return
    screen.note(
        f"Wrote {out}: {count_noun(len(X), 'vector')} of {width:,} numbers in "
        f"{seconds(taken)} ({byte_count(size)})."
    )


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {name: value for name, value in values.items() if value is not None}


def _option(name: str) -> str:
    """Return an option as it is written."""
    return f"--{name.replace('_', '-')}"


def _make_embedding(
    data: Data,
    *,
    landmarks: str | None,
    kernel: str | None,
    dimension: int | None,
    seed: int,
    dtype: str,
    jobs: int,
    distributed: dict[str, Any],
) -> tuple[Any, Any]:
    """Return an embedding that is fitted on the data, and what it makes vectors of.

    `distributed` has the options that only distributed trees have, None where they were not given.
    """
    from treekernels.cli.shared.columns import examples_for, kernel_for
    from treekernels.embeddings import DistributedTrees, TreeNystroem
    from treekernels.kernels import SubsetTreeKernel

    automatic = kernel == "auto" or (kernel is None and landmarks is not None)
    if automatic:
        kernel, landmarks = None, landmarks or "uniform"
    given = _given(distributed)
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
    for name in given:
        raise Problem(
            f"{_option(name)} is for distributed trees: leave out --landmarks, or write the kernel "
            "with its decay, as in --kernel 'sst(0.3)'"
        )
    chosen, X = kernel_for(kernel, data)
    common |= {"selection": landmarks, "random_state": seed}
    named = "auto" if automatic else chosen
    return TreeNystroem(named, dimension or _COMPONENTS, **common).fit(X), X


def _embedding_of_pairs(combine: str, data: Data, settings: dict[str, Any]) -> tuple[Any, Any]:
    from treekernels.data.table import Table
    from treekernels.embeddings import DistributedPairs

    if len(data.trees) != 2:
        raise Problem(
            f"--pairs needs two columns of trees, and {data.path} has {len(data.trees)} "
            f"({', '.join(data.trees)}): say which with --tree, twice"
        )
    for name in ("composition", "min_df"):
        if name in settings:
            raise Problem(f"{_option(name)} is not for pairs")
    X = Table({name: data.table[name] for name in data.trees})
    settings |= {"combine": combine, "on": list(data.trees)}
    return DistributedPairs(**settings).fit(X), X


def _load_embedding(path: str, jobs: int) -> Any:
    """Return an embedding from a file."""
    from treekernels.persistence import load

    embedding = load(path)
    if not hasattr(embedding, "transform"):
        raise Problem(f"{path} is a {type(embedding).__name__}, which makes no vectors")
    return embedding.set_params(n_jobs=jobs)


def _input_for(embedding: Any, data: Data) -> Any:
    """Return what an embedding from a file makes vectors of."""
    from treekernels.cli.shared.columns import examples_for
    from treekernels.embeddings import DistributedPairs
    from treekernels.kernels import SubsetTreeKernel, TripartiteKernel

    if isinstance(embedding, DistributedPairs):
        on = embedding.on if isinstance(embedding.on, list) else ["text", "hypothesis"]
        return examples_for(TripartiteKernel(on=on), data)
    return examples_for(getattr(embedding, "kernel_", SubsetTreeKernel()), data)


def _write_parquet(
    embedding: Any,
    X: Any,
    data: Data,
    file: BinaryIO,
    progress: Progress | None,
) -> None:
    """Write rows in groups, with the columns that are neither trees nor vectors."""
    pa = require("pyarrow", "arrow", "writing Parquet files")
    pq = require("pyarrow.parquet", "arrow", "writing Parquet files")
    left_out = {*data.trees, *data.vectors}
    others = {name: data.table[name] for name in data.table.columns if name not in left_out}
    writer = None
    try:
        for rows, block in embedding.blocks(X):
            values = pa.array(block.ravel())
            columns = {name: pa.array(column[rows].tolist()) for name, column in others.items()}
            columns["vector"] = pa.FixedSizeListArray.from_arrays(values, block.shape[1])
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
            if progress is not None:
                progress(rows.stop, len(X))
    finally:
        if writer is not None:
            writer.close()

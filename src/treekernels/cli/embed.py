"""``treekernels embed DATA OUT``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import click

from treekernels.cli.cluster import cluster_options, lent_client
from treekernels.cli.options import (
    data_argument,
    data_options,
    jobs_option,
    json_option,
    quiet_option,
)

if TYPE_CHECKING:
    from treekernels.cli.data import Data
    from treekernels.common.progress import Progress
    from treekernels.data.forest import Forest
    from treekernels.embeddings import DistributedTrees

__all__ = ["command"]


@click.command("embed", short_help="Make a vector of every tree.")
@data_argument()
@click.argument("out")
@click.option(
    "--dimension", "-d", metavar="NUMBER", type=click.IntRange(min=1), default=8192,
    show_default=True, help="Number of dimensions of each vector.",
)  # fmt: skip
@click.option(
    "--decay", metavar="NUMBER", type=float, default=0.4, show_default=True,
    help="Decay of the kernel: the weight of each further production in a fragment.",
)  # fmt: skip
@click.option(
    "--kernel", "-k", type=click.Choice(["sst", "st"]), default="sst", show_default=True,
    help="Kernel that the dot products estimate: sst for subset trees, st for subtrees.",
)  # fmt: skip
@click.option(
    "--composition", type=click.Choice(["sign", "product", "convolution"]), default="sign",
    show_default=True,
    help="Operation that puts the vectors of labels together to those of fragments.",
)  # fmt: skip
@click.option(
    "--min-df", metavar="NUMBER", type=click.IntRange(min=1), default=1, show_default=True,
    help="Smallest number of trees that a chain of productions, each below the last, has to "
    "occur in; fragments with a rarer chain are left out.",
)  # fmt: skip
@click.option("--normalize", is_flag=True, help="Scale every vector to length 1.")
@click.option(
    "--seed", metavar="NUMBER", type=click.IntRange(min=0), default=0, show_default=True,
    help="Seed of the random vectors that stand for labels.",
)  # fmt: skip
@click.option(
    "--dtype", type=click.Choice(["float32", "float64"]), default="float32", show_default=True,
    help="Type of the numbers that are written.",
)  # fmt: skip
@data_options
@jobs_option
@cluster_options
@json_option
@quiet_option
def command(
    data: tuple[str, ...],
    out: str,
    jobs: int,
    scheduler: str | None,
    workers: int | None,
    as_json: bool,
    quiet: bool,
    dimension: int,
    decay: float,
    kernel: str,
    composition: Literal["sign", "product", "convolution"],
    min_df: int,
    normalize: bool,
    seed: int,
    dtype: str,
    **reading: Any,
) -> None:
    """Write one vector for each tree of DATA to OUT, whose dot products estimate the kernel.

    \b
    Examples:
      treekernels embed data.tsv vectors.npy
      treekernels embed data.tsv vectors.parquet --dimension 1024
      treekernels embed big.txt vectors.npy --min-df 10 --normalize

    With the extension .npy OUT is a matrix for NumPy; with .parquet it is a table, which has the
    other columns of DATA as well. Either may be larger than memory.
    """
    from treekernels.cli.columns import examples_for
    from treekernels.cli.data import read_data
    from treekernels.cli.output import check_folder
    from treekernels.cli.problem import Problem
    from treekernels.common.screen import Screen, file_size, seconds
    from treekernels.common.wording import count_noun
    from treekernels.embeddings import DistributedTrees
    from treekernels.io.atomic import whole_file
    from treekernels.kernels import SubsetTreeKernel

    screen = Screen(quiet=quiet)
    check_folder(out)
    if Path(out).suffix not in (".npy", ".parquet"):
        raise Problem(f"vectors are written for NumPy or as Parquet: end {out} in .npy or .parquet")
    if out.endswith(".parquet") and not (scheduler is None and workers is None):
        raise Problem(f"a cluster writes vectors for NumPy: end {out} in .npy")
    examples = read_data(data, screen, **reading)
    trees = examples_for(SubsetTreeKernel(), examples)
    embedding = DistributedTrees(
        dimension,
        decay,
        kernel="subset" if kernel == "sst" else "subtree",
        composition=composition,
        min_df=min_df,
        normalize=normalize,
        seed=seed,
        dtype=dtype,
        n_jobs=jobs,
    )
    start = time.perf_counter()
    with (
        lent_client(scheduler, workers) as client,
        screen.progress("vectors") as progress,
    ):
        embedding.fit(trees)
        if client is not None:
            import treekernels.dask as tkd

            embedding.set_params(n_jobs=None)
            tkd.to_npy(tkd.embed(embedding, trees, client=client), out)
        elif out.endswith(".npy"):
            embedding.transform(trees, out=out, progress=progress)
        else:
            with whole_file(out) as file:
                _write_parquet(embedding, trees, examples, file, progress)
    taken = time.perf_counter() - start
    if as_json:
        size = Path(out).stat().st_size
        screen.json({"out": out, "shape": [len(trees), dimension], "seconds": taken, "bytes": size})
        return
    screen.note(
        f"Wrote {out}: {count_noun(len(trees), 'vector')} of {dimension:,} numbers in "
        f"{seconds(taken)} ({file_size(out)})."
    )


def _write_parquet(
    embedding: DistributedTrees,
    trees: Forest,
    data: Data,
    file: BinaryIO,
    progress: Progress | None,
) -> None:
    """Write rows in groups, with the columns that are neither trees nor vectors."""
    from treekernels.cli.problem import Problem

    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise Problem("Parquet is written with pyarrow: pip install 'treekernels[arrow]'") from None
    left_out = {*data.trees, *data.vectors}
    others = {name: data.table[name] for name in data.table.columns if name not in left_out}
    writer = None
    try:
        for rows, block in embedding.blocks(trees):
            values = pa.array(block.ravel())
            columns = {name: pa.array(column[rows].tolist()) for name, column in others.items()}
            columns["vector"] = pa.FixedSizeListArray.from_arrays(values, embedding.dimension)
            table = pa.table(columns)
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
            if progress is not None:
                progress(rows.stop, len(trees))
    finally:
        if writer is not None:
            writer.close()

"""``treekernels gram DATA OUT.npy``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.cluster import lent_client
from treekernels.cli.shared.problem import Problem, check_folder
from treekernels.common.screen import Screen
from treekernels.common.text import byte_count, seconds

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("gram", short_help="Write a matrix of kernel values.")
@options.data_argument()
@click.argument("out")
@options.file("--against", "File to compare DATA with, instead of with itself.")
@options.choice(
    "--dtype", ["float64", "float32"], "Type of the numbers that are written.", default="float64"
)
@options.kernel_of_columns
@options.reading
@options.running
def command(
    data: tuple[str, ...],
    out: str,
    against: str | None,
    dtype: str,
    kernel: str | None,
    running: options.Running,
    **reading: Unpack[options.Reading],
) -> None:
    """Write the kernel values between all examples of DATA to the file OUT, in NumPy's format.

    \b
    Examples:
      treekernels gram data.tsv gram.npy
      treekernels gram test.tsv gram.npy --against train.tsv --kernel ptk
      python -c "import numpy; print(numpy.load('gram.npy', mmap_mode='r').shape)"

    The matrix may be larger than your memory, since it is written to the file as it is computed.
    """
    from treekernels.cli.shared.columns import examples_for, kernel_for, same_width
    from treekernels.cli.shared.reading import read_data
    from treekernels.kernels.expressions.parsing import format_kernel

    screen = Screen(quiet=running.quiet)
    check_folder(out)
    if not out.endswith(".npy"):
        raise Problem(f"the matrix is written in NumPy's format: end the name {out} in .npy")
    examples = read_data(data, screen, **reading)
    chosen, X = kernel_for(kernel, examples)
    Y = None
    if against is not None:
        X, Y = same_width(X, examples_for(chosen, read_data(against, screen, **reading)))
    shape = (len(X), len(X if Y is None else Y))
    start = time.perf_counter()
    with lent_client(running) as client:
        if client is None:
            with screen.progress("kernel values") as progress:
                chosen(X, Y, out=out, dtype=dtype, n_jobs=running.jobs, progress=progress)
        else:
            import treekernels.dask as tkd

            matrix = tkd.gram(chosen, X, Y, dtype=dtype, client=client)
            tkd.to_npy(matrix, out, verbose=screen.verbose)
    taken = time.perf_counter() - start
    name, size = format_kernel(chosen), Path(out).stat().st_size
    if running.as_json:
        about = {"out": out, "shape": shape, "kernel": name}
        screen.json({**about, "seconds": taken, "bytes": size})
        return
    screen.note(
        f"Wrote {out}: {shape[0]:,} x {shape[1]:,} values of {name} in "
        f"{seconds(taken)} ({byte_count(size)})."
    )

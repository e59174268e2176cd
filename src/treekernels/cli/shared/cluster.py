"""``--scheduler`` and ``--workers``: the same commands on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

__all__ = ["cluster_learner", "cluster_options", "lent_client"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def cluster_options(function: Decorated) -> Decorated:
    """Add the options to a command."""
    for option in (_workers, _scheduler):
        function = option(function)
    return function


_scheduler = click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786, whose workers do the work.",
)
_workers = click.option(
    "--workers",
    metavar="NUMBER",
    type=click.IntRange(min=1),
    help="Number of processes on this machine that do the work, as a Dask cluster of their own.",
)


@contextmanager
def lent_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Lend a client of the cluster that the options ask for, or None if they ask for none."""
    from treekernels.cli.shared.problem import Problem

    if scheduler is not None and workers is not None:
        raise Problem(
            "--scheduler is a cluster that runs already, and --workers a new one: give one"
        )
    if scheduler is None and workers is None:
        yield None
        return
    import logging

    from treekernels.cluster.clients import connected

    # What goes wrong is said in a sentence of our own.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with connected(scheduler, workers) as client, client.as_current():
        yield client


def cluster_learner(learner: Any, client: Any, epochs: int | None) -> Any:
    """Return the learner of the same parameters that runs on a cluster.

    The epochs are those that were asked for: by default a cluster has its own.
    """
    import treekernels.dask as tkd
    from treekernels.cli.shared.problem import Problem

    made: Any = getattr(tkd, type(learner).__name__, None)
    if made is None:
        raise Problem("--learner pa does not run on a cluster: use svm or perceptron")
    known = made().get_params(deep=False)
    parameters = learner.get_params(deep=False)
    own = ("tol", "epochs")  # which have other defaults on a cluster
    kept = {name: value for name, value in parameters.items() if name in known and name not in own}
    if epochs is not None:
        kept["epochs"] = epochs
    return made(**kept, client=client)

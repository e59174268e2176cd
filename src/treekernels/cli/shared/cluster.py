"""Commands on a Dask cluster, as the options ``--scheduler`` and ``--workers`` ask for."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treekernels.cli.shared.options import Running
from treekernels.cli.shared.problem import Problem


@contextmanager
def lent_client(running: Running) -> Iterator[Any]:
    """Lend a client of the cluster that the options ask for, or None if they ask for none."""
    if running.scheduler is not None and running.workers is not None:
        raise Problem(
            "--scheduler is a cluster that runs already, and --workers a new one: give one"
        )
    if not running.on_cluster:
        yield None
        return
    from treekernels.cluster.workers.clients import connected

    # If something goes wrong, a sentence of our own says so.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with connected(running.scheduler, running.workers) as client, client.as_current():
        yield client


def cluster_learner(learner: Any, client: Any, epochs: int | None) -> Any:
    """Return the learner of the same parameters that runs on a cluster.

    `epochs` is what the command was given, or None for the default of the cluster.
    """
    import treekernels.dask as tkd

    class_on_cluster: Any = getattr(tkd, type(learner).__name__, None)
    if class_on_cluster is None:
        raise Problem("--learner pa does not run on a cluster: use svm or perceptron")
    names = set(class_on_cluster().get_params(deep=False))
    names -= {"tol", "epochs"}  # which have other defaults on a cluster
    parameters = learner.get_params(deep=False)
    parameters = {name: value for name, value in parameters.items() if name in names}
    if epochs is not None:
        parameters["epochs"] = epochs
    return class_on_cluster(**parameters, client=client)

"""The cluster to work on: a client that was given, the one in use, or a new one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from treekernels.common.optional import require
from treekernels.errors import ClusterError, ParameterError

_PATIENCE = 10  # seconds until a scheduler has to answer


def client_of(client: Any = None) -> Any:
    """Return the client that was given or, if that is None, the one that is in use."""
    distributed = require("distributed", "dask", "a Dask cluster")
    if client is None:
        try:
            return distributed.get_client()
        except ValueError:
            raise ParameterError(
                "there is no Dask client yet: make one, for example "
                "distributed.Client(n_workers=2) for a cluster on this computer, or give client=..."
            ) from None
    if not isinstance(client, distributed.Client):
        raise ParameterError(f"client must be a distributed.Client, not {client!r:.60}")
    if client.asynchronous:
        raise ParameterError("an asynchronous client cannot be waited for: give an ordinary one")
    return client


@contextmanager
def connected(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """Lend a client of the scheduler at an address, or of a new cluster on this computer.

    An address is like ``"tcp://10.0.0.1:8786"``; a new cluster has so many processes as `workers`.
    """
    distributed = require("distributed", "dask", "a Dask cluster")
    if scheduler is not None:
        try:
            client = distributed.Client(scheduler, timeout=_PATIENCE)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"no scheduler answers at {scheduler} ({_first_line(error)}): is it running, and "
                "is the address the one that it printed?"
            ) from None
        with client:
            if not client.scheduler_info()["workers"]:
                raise ClusterError(
                    f"the scheduler at {scheduler} has no workers: start some, dask worker "
                    f"{scheduler}"
                )
            yield client
        return
    with (
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__

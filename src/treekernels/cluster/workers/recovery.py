"""Waiting for tasks, through Ctrl-C, lost workers, and a scheduler that is gone.

What depends on a worker that died is computed again by Dask itself, as long as all that it needs
can be. Data that was sent from here cannot: `LostDataError` says so, and `repeat` sends it again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from treekernels.errors import ClusterError

_Result = TypeVar("_Result")

_ATTEMPTS = 20
_LOOK_SECONDS = 0.2
_ASK_SECONDS = 5.0  # between two questions whether there are workers
_PATIENCE = 30.0  # seconds without any worker
_FAREWELL_SECONDS = 1.0  # a scheduler that ends says so a little later
# Dask raises these if one worker ended while something was sent to it, or all of them did.
_SENT_TO_THE_DEAD = (OSError, ValueError, LookupError)


class LostDataError(Exception):
    """Something that was sent to the workers is no longer there."""


def spread(client: Any, items: list[Any]) -> list[Any]:
    """Return futures of some things that are sent to the workers, each to one of them.

    Raises a `ClusterError` when there is no worker, and a `LostDataError` when one ends just then.
    """
    try:
        futures: list[Any] = client.scatter(items, hash=False, timeout=_PATIENCE)
    except TimeoutError:
        _check_scheduler(client)
        raise _no_worker() from None
    except _SENT_TO_THE_DEAD as error:
        if isinstance(error, OSError):  # a worker ended meanwhile, or the scheduler
            time.sleep(_FAREWELL_SECONDS)
        _check_scheduler(client)
        raise LostDataError(str(error)) from error
    return futures


def send(client: Any, item: Any) -> Any:
    """Return a future of something that is sent to all workers, with the errors of `spread`."""
    (future,) = spread(client, [item])
    copy_to_all(client, future)
    return future


def copy_to_all(client: Any, future: Any) -> None:
    """Wait until all workers have something that one of them has or makes.

    A task on each of them asks for it. Dask's own ``replicate``, and with it
    ``scatter(broadcast=True)``, goes on for ever if a worker ends on the way (distributed 2026.8);
    a task is done by another worker then.
    """
    workers = list(client.nthreads())
    if len(workers) > 1:
        options = {"allow_other_workers": True, "pure": False, "priority": 1}
        results_of(client, [client.submit(_have, future, workers=[n], **options) for n in workers])


def _have(_: Any) -> None:
    """Do nothing with something that the worker has to get for it."""


def results_of(client: Any, futures: Sequence[Any]) -> list[Any]:
    """Return the results of tasks, in order, once all of them are done.

    If Ctrl-C is pressed, or one of them fails, the others are cancelled. Raises a `ClusterError`
    when the scheduler or all workers are gone, or a task has ended several workers; and a
    `LostDataError` when something that the tasks need has to be sent again.
    """
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    futures = list(futures)
    last_seen = time.monotonic()
    news = threading.Event()
    try:
        for future in futures:
            future.add_done_callback(lambda _: news.set())
        while True:
            news.clear()
            states = [future.status for future in futures]
            _check_scheduler(client)
            if "pending" not in states or not {"error", "cancelled", "lost"}.isdisjoint(states):
                break
            last_seen = _check_workers(client, last_seen)
            news.wait(_LOOK_SECONDS)
        results: list[Any] = client.gather(futures)
    except KilledWorker as error:
        client.cancel(futures)
        raise ClusterError(
            f"a task ended {len(getattr(error, 'last_workers', [])) or 'several'} workers, one "
            "after the other: most likely it needs more memory than a worker has. Use more and "
            "smaller partitions, or workers with more memory"
        ) from None
    except (FileNotFoundError, PermissionError):  # of a task that reads
        client.cancel(futures)
        raise
    except (FutureCancelledError, CommClosedError, OSError, TimeoutError) as error:
        _check_scheduler(client)
        client.cancel(futures)
        raise LostDataError(str(error)) from error
    except BaseException:  # Ctrl-C, or a task that failed
        if client.status == "running":
            client.cancel(futures, force=True)
        raise
    return results


def _check_scheduler(client: Any) -> None:
    if client.status != "running":
        raise ClusterError(
            "the connection to the Dask scheduler is lost, and with it what it was computing: "
            "when the scheduler runs again, make a new client and repeat the call; with a "
            "checkpoint it goes on where it was"
        ) from None


def _check_workers(client: Any, last_seen: float) -> float:
    """Return when there were workers last; raise a `ClusterError` if that is too long ago."""
    now = time.monotonic()
    if now - last_seen < _ASK_SECONDS:
        return last_seen
    if client.scheduler_info()["workers"]:
        return now
    if now - last_seen < _PATIENCE:
        return last_seen
    raise _no_worker()


def _no_worker() -> ClusterError:
    return ClusterError(
        f"there has been no worker for {_PATIENCE:.0f} seconds: start some, for example with "
        "dask worker ADDRESS, and repeat the call"
    )


def repeat(client: Any, attempt: Callable[[], _Result], renew: Iterable[Any] = ()) -> _Result:
    """Return what `attempt` returns, which submits tasks and waits for them.

    If data was lost meanwhile, the method `renew` of some parts is called, and all is repeated.
    """
    renew = list(renew)
    lost: LostDataError | None = None
    for number in range(_ATTEMPTS):
        try:
            if lost is not None:
                for part in renew:
                    part.renew()
            return attempt()
        except LostDataError as error:
            lost = error
            time.sleep(min(2.0, 0.1 * 2**number))
        except (ClusterError, FileNotFoundError, PermissionError):
            raise
        except Exception as error:  # something could not be sent, or a task failed
            if isinstance(error, OSError) or type(error) in (Exception, RuntimeError):
                time.sleep(_FAREWELL_SECONDS)
            _check_scheduler(client)
            raise
    raise ClusterError(
        f"data was lost {_ATTEMPTS} times on its way to the workers ({lost}): they end too often "
        "for anything to be finished"
    )

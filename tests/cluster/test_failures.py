"""Workers that die, schedulers that go, memory that ends: the right result, or one sentence."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import treekernels as tk
import treekernels.dask as tkd
from dask_cluster import labelled_trees, small_cluster
from interruption import pressed_after
from treekernels.cluster.partitions import Partitions
from treekernels.cluster.workers.recovery import repeat, results_of, send

TREES, LABELS = labelled_trees(300)


_KILLS_AT_ONCE = 3  # in one operation: Dask itself gives a task up that has met four deaths


class Killer:
    """Kills a worker of a cluster, one at a time, after random pauses."""

    def __init__(self, client: Any, seed: int, pause: float) -> None:
        self.client = client
        self.random = random.Random(seed)
        self.pause = pause
        self.kills = 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        workers = self.client.cluster.scheduler.workers
        while not self.ends.wait(self.random.uniform(0, self.pause)):
            if len(workers) < 2 or self.kills == _KILLS_AT_ONCE:
                continue  # the last one is not back yet, or it is to be finished now
            nanny = self.random.choice(sorted(self.client.cluster.workers.items()))[1]
            address = nanny.worker_address
            process = getattr(nanny.process, "process", None)
            # One that is only just starting is no worker yet, and its nanny would give it up.
            if address in workers and process is not None and process.pid is not None:
                os.kill(process.pid, signal.SIGKILL)
                self.kills += 1
                while address in workers and not self.ends.wait(0.02):
                    pass

    def __enter__(self) -> Killer:
        self.thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.ends.set()
        self.thread.join()


def _file(folder: Path) -> Path:
    lines = [f"{label}\t{text}\n" for label, text in zip(LABELS, TREES.to_brackets(), strict=True)]
    path = folder / "trees.tsv"
    path.write_text("".join(lines))
    return path


def _operations(data: Any) -> dict[str, Callable[[], Any]]:
    """Everything that runs on a cluster, as functions whose results can be compared."""
    X, y = data["tree"], data["label"]
    model = tk.TreePerceptron("sst", random_state=0).fit(TREES, LABELS)

    def found() -> Any:
        index = tkd.ShardedIndex(client=data.client)
        index.add(X)
        return index.search(TREES[:20], 5).items

    def mixed() -> Any:
        learner = tkd.TreePerceptron("sst", epochs=2, random_state=0).fit(X, y)
        return learner.decision_function(TREES)

    def machine() -> Any:
        return (
            tkd.TreeSVC("sst", rounds="always", C=1, random_state=0, tol=0.3)
            .fit(X, y)
            .decision_function(TREES)
        )

    def regression() -> Any:
        sizes = np.array([text.count("(") for text in TREES.to_brackets()], float)
        return (
            tkd.TreeSVR("sst", rounds="always", C=1, random_state=0, tol=0.5)
            .fit(X, sizes)
            .predict(TREES)
        )

    return {
        "read": lambda: np.array(X.to_local().to_brackets()),
        "repartition": lambda: np.array(X.repartition(3).to_local().to_brackets()),
        "gram": lambda: tkd.gram("sst", X, block_rows=64).compute(),
        "embed": lambda: tkd.embed(tk.DistributedTrees(256), X).compute(),
        "predict": lambda: tkd.predict(model, X).compute(),
        "score": lambda: tkd.score(model, X, y),
        "search": found,
        "perceptron": mixed,
        "machine": machine,
        "regression": regression,
    }


def _survive(folder: Path, kills: int, pause: float) -> int:
    """Do all operations again and again while workers die; return how many have died."""
    from distributed import KilledWorker

    path = _file(folder)
    died = finished = begun = 0
    # Nothing else than one of these may come of it: Dask gives a task up that four workers died of.
    allowed = (tk.ClusterError, KilledWorker)
    with small_cluster() as client, client.as_current():
        data = tkd.read(path, blocksize=2500, client=client).persist()
        expected = {name: call() for name, call in _operations(data).items()}
    while died < kills:
        with small_cluster() as client, client.as_current():
            for name in expected:
                begun += 1
                again = tkd.read(path, blocksize=2500, client=client)
                call = _operations(again)[name]
                with Killer(client, begun, pause) as killer, contextlib.suppress(*allowed):
                    np.testing.assert_array_equal(call(), expected[name])
                    finished += 1
                died += killer.kills
                if died >= kills or not _revived(client):
                    break
    print(f"{died} workers died in {begun} operations, {finished} of which were finished")
    assert finished >= begun * 3 // 4
    return died


def _revived(client: Any) -> bool:
    """Wait for the workers that died; sometimes Dask does not start one again."""
    with contextlib.suppress(TimeoutError):
        client.wait_for_workers(2, timeout=30)
    return len(client.cluster.scheduler.workers) == 2


def test_workers_that_die(tmp_path: Path) -> None:
    assert _survive(tmp_path, kills=3, pause=0.3) >= 3


@pytest.mark.slow
def test_many_workers_that_die(tmp_path: Path) -> None:
    assert _survive(tmp_path, kills=50, pause=0.5) >= 50


def test_data_that_was_sent_is_sent_again() -> None:
    with small_cluster() as client:
        data = tkd.partitions(TREES, 4, client=client)
        expected = data.to_local().to_brackets()
        for nanny in list(client.cluster.workers.values()):  # all that hold it
            os.kill(nanny.process.process.pid, signal.SIGKILL)
        time.sleep(0.5)
        assert data.to_local().to_brackets() == expected
        learner = tkd.TreePerceptron("sst", epochs=1, random_state=0).fit(data, LABELS)
        assert learner.t_ == len(TREES)


def _eat(_: Any) -> Any:
    eaten = []
    while True:
        eaten.append(np.ones(5_000_000))
        time.sleep(0.01)


def test_a_worker_without_memory() -> None:
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        small_cluster(1, memory_limit="400MB") as client,
    ):
        data = tkd.partitions(TREES[:10], 1, client=client)
        with pytest.raises(tk.ClusterError, match="more memory than a worker has"):
            data.collect(_eat)


def test_ctrl_c_cancels_what_was_submitted(client: Any) -> None:
    data = tkd.partitions(TREES[:10], 2, client=client)
    data.persist()
    futures = [client.submit(time.sleep, 0.2 + number / 1000, pure=False) for number in range(200)]
    with pytest.raises(KeyboardInterrupt), pressed_after(0.5):
        results_of(client, futures)  # all of them would take twenty seconds
    left = [future for future in futures if future.status != "finished"]
    assert left
    assert all(future.cancelled() for future in left)
    assert len(Partitions(client, data.parts)) == 10  # and goes on


def test_what_is_sent_while_workers_end_is_sent_again() -> None:
    """Dask then says that it cannot delete data, or that a stream is closed: sentences for few."""

    class Client:
        status = "running"
        answers: ClassVar[list[Any]] = [
            ValueError("Can not use replicate to delete data"),
            OSError("Stream is closed"),
            ["sent"],
        ]

        def scatter(self, item: Any, **options: Any) -> Any:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        def nthreads(self) -> dict[str, int]:
            return {"the only worker": 1}

    client = Client()
    assert repeat(client, lambda: send(client, "something")) == "sent"
    client.status = "closed"
    with pytest.raises(tk.ClusterError, match="connection to the Dask scheduler is lost"):
        repeat(client, lambda: send(client, "something"))


def test_nothing_can_be_sent_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    from treekernels.cluster.workers import recovery

    monkeypatch.setattr(recovery, "_PATIENCE", 0.5)
    with (
        small_cluster(0) as client,
        pytest.raises(tk.ClusterError, match="there has been no worker"),
    ):
        repeat(client, lambda: send(client, "something"))


def _workers(client: Any) -> list[Any]:
    return [nanny.process.process for nanny in client.cluster.workers.values()]


def test_what_is_copied_while_a_worker_ends_arrives() -> None:
    """Dask's own way to copy it would go on for ever."""
    with small_cluster(3) as client:
        for process in _workers(client)[:2]:
            os.kill(process.pid, signal.SIGSTOP)  # they do not answer, and then they are no more
        killers = [
            threading.Timer(0.5, os.kill, (process.pid, signal.SIGKILL))
            for process in _workers(client)[:2]
        ]
        for killer in killers:
            killer.start()
        lent = repeat(client, lambda: send(client, np.arange(1000)))
        assert client.submit(np.sum, lent).result(timeout=60) == 499500


def test_arrays_outlive_all_workers_that_have_their_model() -> None:
    model = tk.TreePerceptron("sst", random_state=0).fit(TREES, LABELS)
    with small_cluster() as client, client.as_current():
        trees = TREES.to_brackets()
        data = tkd.partitions(
            [client.submit(tk.Forest, trees[i : i + 60]) for i in range(0, 300, 60)]
        )
        predicted = tkd.predict(model, data)
        for process in _workers(client):
            os.kill(process.pid, signal.SIGKILL)
        assert predicted.compute().tolist() == model.predict(TREES).tolist()


@pytest.mark.parametrize(
    "kind", [tkd.TreePerceptron, pytest.param(tkd.TreeSVC, marks=pytest.mark.slow)]
)
def test_a_checkpoint_outlives_the_scheduler(kind: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"random_state": 0}
    more: dict[str, Any] = {"C": 1, "tol": 0.2, "rounds": "always"}
    options |= {"epochs": 4} if kind is tkd.TreePerceptron else more
    file = tmp_path / "learning.tkm"
    learner = kind(**options, checkpoint=file)

    def end_when_there_is_a_checkpoint(cluster: Any) -> None:
        while not file.exists():
            time.sleep(0.01)
        cluster.close()

    with small_cluster() as client:
        whole = kind(**options).fit(tkd.partitions(TREES, 3, client=client), LABELS)
        data = tkd.partitions(TREES, 3, client=client)
        thread = threading.Thread(target=end_when_there_is_a_checkpoint, args=[client.cluster])
        thread.start()
        with pytest.raises(tk.ClusterError, match="connection to the Dask scheduler is lost"):
            learner.fit(data, LABELS)
        thread.join()
    assert file.exists()
    with small_cluster() as client:
        learner.fit(tkd.partitions(TREES, 3, client=client), LABELS)
    assert not file.exists()
    np.testing.assert_array_equal(learner.decision_function(TREES), whole.decision_function(TREES))


@contextmanager
def _processes(workers: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a scheduler and workers by the command line, as on separate hosts."""
    started = []
    command = [sys.executable, "-m", "dask"]
    common: dict[str, Any] = {"stderr": subprocess.PIPE, "text": True}
    scheduler = subprocess.Popen(
        [*command, "scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1"], **common
    )
    started.append(scheduler)
    try:
        address = ""
        assert scheduler.stderr is not None
        for line in scheduler.stderr:
            if "Scheduler at:" in line:
                address = line.split()[-1]
                break
        threading.Thread(target=scheduler.stderr.read, daemon=True).start()
        for _ in range(workers):
            options = ["--nthreads", "1", "--no-dashboard", "--no-nanny"]
            quiet: dict[str, Any] = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            started.append(subprocess.Popen([*command, "worker", address, *options], **quiet))
        yield address, scheduler
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
        if scheduler.stderr is not None:
            scheduler.stderr.close()


@pytest.mark.slow
def test_a_cluster_of_separate_processes(tmp_path: Path, run: Any) -> None:
    from distributed import Client

    path = _file(tmp_path)
    with _processes(2) as (address, scheduler):
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
            data = tkd.read(path, blocksize=4000, client=client)
            learner = tkd.TreePerceptron("sst", epochs=2, random_state=0).fit(
                data["tree"], data["label"]
            )
            assert learner.score(TREES, LABELS) > 0.8
        model = tmp_path / "model.tkm"
        options = ["--learner", "perceptron", "--scheduler", address]
        assert run("fit", str(path), str(model), *options).code == 0
        assert tk.load(model).score(TREES, LABELS) > 0.8
        with Client(address, set_as_default=False) as client:
            futures = client.map(time.sleep, [20, 21], pure=False)
            threading.Timer(1.0, scheduler.kill).start()
            with pytest.raises(tk.ClusterError, match="connection to the Dask scheduler is lost"):
                results_of(client, futures)

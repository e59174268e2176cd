"""On a Dask cluster: speed-up and overhead of each operation, rounds of learners, little memory.

``--only speed``, ``machines``, ``perceptron`` or ``large`` measures one of them.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster, get_worker
from sklearn.exceptions import ConvergenceWarning

import treekernels as tk
import treekernels.dask as tkd
from bench_scale import ALL, load
from common import Row, arguments, fewest, report, say, target

GRAM_TREES = 16_000
VECTOR_TREES = 40_000
DIMENSION = 2048
NOTES = [
    "Workers are processes of one thread on this machine. Local calls use one thread.",
    "Gram matrices and vectors are summed up on the workers, and so not brought to the client.",
]


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--only", choices=sorted(PARTS))
    only, sys.argv[1:] = parser.parse_known_args()
    args = arguments(__doc__ or "", quick=20_000, repeat=1)
    warnings.simplefilter("ignore", ConvergenceWarning)
    chosen = PARTS if only.only is None else {only.only: PARTS[only.only]}
    tables: dict[str, list[Row]] = {}
    for title, measure in chosen.values():
        tables[title] = measure(args)
    report(__file__, args, tables, NOTES)


@contextmanager
def cluster(workers: int, **options: Any) -> Iterator[Client]:
    """Lend a client of workers that have imported what they need."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", **options
        ) as local,
        Client(local) as client,
    ):
        client.run(_import)
        yield client


def _import() -> None:
    import treekernels.embeddings
    import treekernels.learners  # noqa: F401


def timed(call: Callable[[], Any], repeat: int) -> float:
    """Return the best time of some runs."""
    best = np.inf
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return float(best)


def speed_rows(args: Any) -> list[Row]:
    """Each operation on this machine, by one worker, and by two."""
    forest, labels = load(("propbank.boundary",), args.data, args.trees)
    few = forest[: fewest(GRAM_TREES, len(forest))]
    some = forest[: fewest(VECTOR_TREES, len(forest))]
    model = tk.TreePerceptron(random_state=0).fit(forest, labels)
    embedding = tk.DistributedTrees(DIMENSION)
    kernel = tk.SubsetTreeKernel()
    say("local calls")
    local = {
        "gram": timed(lambda: kernel(few).sum(), args.repeat),
        "embed": timed(lambda: embedding.transform(some).sum(), args.repeat),
        "predict": timed(lambda: model.predict(forest), args.repeat),
        "perceptron": timed(
            lambda: tk.TreePerceptron(random_state=0, n_jobs=1).fit(forest, labels), args.repeat
        ),
    }
    found: dict[int, dict[str, float]] = {}
    for workers in (1, 2):
        say(f"{workers} worker(s)")
        with cluster(workers) as client:
            parts = {
                "gram": tkd.partitions(few, 8, client=client),
                "embed": tkd.partitions(some, 8, client=client),
                "predict": tkd.partitions(forest, 4, client=client),
                "perceptron": tkd.partitions(forest, workers, client=client),
            }
            for data in parts.values():
                data.persist()
            y = tkd.partitions(labels, workers, client=client).persist()
            calls: dict[str, Callable[[], Any]] = {
                "gram": lambda p=parts: tkd.gram(kernel, p["gram"]).sum().compute(),
                "embed": lambda p=parts: tkd.embed(embedding, p["embed"]).sum().compute(),
                "predict": lambda p=parts: tkd.predict(model, p["predict"]).compute(),
                "perceptron": lambda p=parts, y=y: tkd.TreePerceptron(random_state=0).fit(
                    p["perceptron"], y
                ),
            }
            found[workers] = {name: timed(call, args.repeat) for name, call in calls.items()}
    sizes = {"gram": len(few), "embed": len(some)}
    rows: list[Row] = []
    for name, seconds in local.items():
        one, two = found[1][name], found[2][name]
        row = {
            "operation": name,
            "trees": sizes.get(name, len(forest)),
            "local, s": seconds,
            "one worker, s": one,
            "two workers, s": two,
            "overhead": one / seconds - 1,
            "speed-up": one / two,
        }
        rows.append({**row, **(target(one / two, at_least=1.6) if name != "perceptron" else {})})
    return rows


def machine_rows(args: Any) -> list[Row]:
    """Accuracy after five rounds of eight shards, beside that of the local solver."""
    rows: list[Row] = []
    for name in ("qc", "ewt.boundary"):
        train, y, test, z = _task(name, args)
        say(f"{name}: local machine of {len(train):,}")
        start = time.perf_counter()
        local = tk.TreeSVC(C=1, random_state=0).fit(train, y)
        seconds = time.perf_counter() - start
        expected = local.score(test, z)
        say(f"{name}: eight shards")
        with cluster(2) as client:
            data = tkd.partitions(train, 8, client=client)
            machine = tkd.TreeSVC(C=1, random_state=0, max_rounds=5, tol=1e-9)
            start = time.perf_counter()
            machine.fit(data, y)
            taken = time.perf_counter() - start
        accuracy = machine.score(test, z)
        points = 100 * abs(expected - accuracy)
        rows.append(
            {
                "data": name,
                "examples": len(train),
                "local accuracy": expected,
                "local, s": seconds,
                "after 5 rounds": accuracy,
                "two workers, s": taken,
                "relative gap": machine.gap_ / machine.objective_,
                "points apart": points,
                "model, MB": len(pickle.dumps(machine.to_local())) / 1e6,
                **target(points, "points", at_most=0.5),
            }
        )
    return rows


def _task(name: str, args: Any) -> tuple[Any, Any, Any, Any]:
    if name == "qc":
        names = ["coarse", "fine", "tree"]
        train = tk.read(args.data / "qc.train.tsv.gz", columns=names)
        test = tk.read(args.data / "qc.test.tsv.gz", columns=names)
        order = np.random.RandomState(0).permutation(len(train))[: args.trees]
        return train["tree"][order], train["coarse"][order], test["tree"], test["coarse"]
    forest, labels = load((name,), args.data, args.trees)
    forest, labels = forest[:BOUNDARY_TREES], labels[:BOUNDARY_TREES]
    cut = len(forest) * 4 // 5
    return forest[:cut], labels[:cut], forest[cut:], labels[cut:]


BOUNDARY_TREES = 100_000


def perceptron_rows(args: Any) -> list[Row]:
    """Accuracy of a perceptron of four shards, mixed after each epoch, beside the local one."""
    rows: list[Row] = []
    for name in ("qc", "ewt.boundary"):
        train, y, test, z = _task(name, args)
        local = tk.TreePerceptron(epochs=5, random_state=0).fit(train, y).score(test, z)
        say(f"{name}: four shards")
        with cluster(2) as client:
            learner = tkd.TreePerceptron(epochs=5, random_state=0)
            learner.fit(tkd.partitions(train, 4, client=client), y)
        mixed = learner.score(test, z)
        points = 100 * (local - mixed)
        rows.append(
            {
                "data": name,
                "examples": len(train),
                "local accuracy": local,
                "mixed": mixed,
                "points lost": points,
                **target(points, "points", at_most=1),
            }
        )
    return rows


def large_rows(args: Any) -> list[Row]:
    """Learn from 2.2 million trees with two workers of 1 GB each, which read the files."""
    with tempfile.TemporaryDirectory() as folder:
        count = _split(args.data, Path(folder), args.trees)
        say(f"{count:,} trees")
        with cluster(2, memory_limit="1GB") as client:
            start = time.perf_counter()
            data = tkd.read(f"{folder}/*.tsv", origin=False).persist()
            read = time.perf_counter()
            learner = tkd.TreePerceptron(random_state=0).fit(data["tree"], data["label"])
            learned = time.perf_counter()
            peaks = client.run(_peak)
            correct = tkd.score(learner.to_local(), data["tree"], data["label"])
    model = len(pickle.dumps(learner.to_local()))
    return [
        {
            "trees": count,
            "parts": data.npartitions,
            "read, s": read - start,
            "learned, s": learned - read,
            "peak of a worker, MB": max(peaks.values()) / 1e6,
            "model, MB": model / 1e6,
            "moved a round, MB": model * (2 + 2 * data.npartitions) / 1e6,
            "accuracy on them": correct,
        }
    ]


def _split(data: Path, folder: Path, limit: int | None) -> int:
    """Write the trees, shuffled, into files of about 140,000 lines."""
    forest, labels = load(ALL, data, limit)
    for number, first in enumerate(range(0, len(forest), 140_000)):
        part = slice(first, first + 140_000)
        table = tk.Table({"label": labels[part], "tree": forest[part]})
        tk.write(folder / f"{number:03}.tsv", table)
    return len(forest)


def _peak() -> int:
    import resource

    assert get_worker()
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


PARTS: dict[str, tuple[str, Callable[[Any], list[Row]]]] = {
    "speed": ("Each operation, and overhead against the local call", speed_rows),
    "machines": ("TreeSVC(C=1): five rounds of eight shards", machine_rows),
    "perceptron": ("TreePerceptron: four shards, five epochs", perceptron_rows),
    "large": ("TreePerceptron with workers of 1 GB", large_rows),
}


if __name__ == "__main__":
    main()

"""On a Dask cluster: speed-up and overhead of each operation, rounds of learners, little memory."""

from __future__ import annotations

import os
import pickle
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from sklearn.exceptions import ConvergenceWarning

import treekernels as tk
import treekernels.dask as tkd
from bench_scale import ALL, load
from common import Row, arguments, fewest, report, say, shown, target

GRAM_TREES = 24_000
DIMENSION = 1024
MACHINE_TREES = 40_000
BOUNDARY_TREES = 100_000
QUERIES = 200
EPOCHS = 5  # of the ordinary perceptron by default
SEEDS = 3
ROUNDS = 3
QUICK = ("gram", "embed", "predict", "score", "search")
NOTES = [
    "Workers are processes of one thread on this machine. Local calls use one thread.",
    "Times are the best ones; the first call in each round does not count. Beside the ratio of the "
    "best times stands that of the medians. Trees are in as many parts as there are workers, which "
    "is the default, and in the order of their file.",
    "Gram matrices and vectors are summed up on the workers, and so not brought to the client.",
    "A machine of a cluster is another algorithm than the local one, and has no overhead.",
    f"A fifth of ewt.boundary is for testing; the perceptron has {BOUNDARY_TREES:,} of its trees.",
    "Bytes moved are all that went through the loopback device: what the client sends goes by way "
    "of the scheduler, and so counts twice.",
]


def main() -> None:
    """Measure what the command line asks for."""
    args = arguments(__doc__ or "", quick=20_000, repeat=5, parts=list(PARTS))
    warnings.simplefilter("ignore", ConvergenceWarning)
    tables: dict[str, list[Row]] = {}
    for name in args.only:
        title, measure = PARTS[name]
        tables[title] = []
        for row in measure(args):
            say(", ".join(f"{key} {shown(value)}" for key, value in row.items()))
            tables[title].append(row)
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


def operations(data: Any, args: Any) -> dict[str, tuple[Any, Any, Any]]:
    """Return for each operation its trees, the local call, and what makes the call of a cluster."""
    forest, labels = load(("propbank.boundary",), data, args.trees, shuffle=False)
    few = tk.Forest(forest[: fewest(GRAM_TREES, len(forest))].to_brackets())
    some = pickle.loads(pickle.dumps(forest[: fewest(MACHINE_TREES, len(forest))]))
    queries = forest[:: max(1, len(forest) // QUERIES)]
    model = tk.TreePerceptron(epochs=1, random_state=0).fit(forest, labels)
    embedding, kernel = tk.DistributedTrees(DIMENSION), tk.SubsetTreeKernel()
    index = tk.TreeIndex(tk.SubsetTreeKernel())
    index.add(forest)

    def searched(X: Any, _: Any) -> Callable[[], Any]:
        sharded = tkd.ShardedIndex()
        sharded.add(X)
        sharded.search(queries[:2], 10)  # until all parts are indexed
        return lambda: sharded.search(queries, 10)

    def machine(X: Any, y: Any) -> Callable[[], Any]:
        return lambda: tkd.TreeSVC(
            C=1, random_state=0, rounds="always", max_rounds=2, tol=1e-9
        ).fit(X, y)

    def perceptron(X: Any, y: Any) -> Callable[[], Any]:
        return lambda: tkd.TreePerceptron(epochs=EPOCHS, random_state=0).fit(X, y)

    everything = (forest, labels)
    return {
        "gram": (
            (few, labels[: len(few)]),
            lambda: kernel(few).sum(),
            lambda X, _: lambda: tkd.gram(kernel, X).sum().compute(),
        ),
        "embed": (
            everything,
            lambda: embedding.transform(forest).sum(),
            lambda X, _: lambda: tkd.embed(embedding, X).sum().compute(),
        ),
        "predict": (
            everything,
            lambda: model.predict(forest),
            lambda X, _: lambda: tkd.predict(model, X).compute(),
        ),
        "score": (
            everything,
            lambda: model.score(forest, labels),
            lambda X, y: lambda: tkd.score(model, X, y),
        ),
        "search": (everything, lambda: index.search(queries, 10), searched),
        f"perceptron, {EPOCHS} epochs": (
            everything,
            lambda: tk.TreePerceptron(epochs=EPOCHS, random_state=0, n_jobs=1).fit(forest, labels),
            perceptron,
        ),
        "machine, 2 rounds": ((some, labels[: len(some)]), None, machine),
    }


def speed_rows(args: Any) -> Iterator[Row]:
    """Each operation on this machine, by one worker, and by two."""
    known = operations(args.data, args)
    seconds: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in known}
    for number in range(ROUNDS):
        for title, workers in (("one worker", 1), ("two workers", 2)):
            # One cluster at a time: processes that wait take something from those that work.
            with cluster(workers) as client:
                for name, ((X, y), local, prepare) in known.items():
                    say(f"round {number + 1} of {ROUNDS}, {title}: {name}")
                    trees, labels = (tkd.partitions(own, client=client).persist() for own in (X, y))
                    calls = {title: prepare(trees, labels)}
                    if workers == 1 and local is not None:
                        calls["here"] = local
                    turns = args.repeat if name in QUICK else 1
                    for own, times in by_turns(calls, turns).items():
                        seconds[name][own] += times
    for name, ((X, _), local, _) in known.items():
        best = {title: min(own) for title, own in seconds[name].items()}
        row: Row = {"operation": name, "trees": len(X)}
        row |= {f"{title}, s": own for title, own in sorted(best.items())}
        gain = ratio(seconds[name], "one worker", "two workers", min)
        usual = ratio(seconds[name], "one worker", "two workers", np.median)
        bound = target(gain, at_least=1.6) if name in ("gram", "embed", "predict") else {}
        yield {**row, "what": "speed-up", "of medians": usual, "of the best": gain, **bound}
        if local is not None:
            cost = 100 * (ratio(seconds[name], "one worker", "here", min) - 1)
            usual = 100 * (ratio(seconds[name], "one worker", "here", np.median) - 1)
            row |= {"what": "overhead, %", "of medians": usual, "of the best": cost}
            yield {**row, **target(cost, at_most=15)}


def ratio(
    seconds: dict[str, list[float]], first: str, second: str, of: Callable[..., Any]
) -> float:
    """Return how many times as long one takes as the other, by the best or the usual times."""
    return float(of(seconds[first]) / of(seconds[second]))


def by_turns(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, list[float]]:
    """Return the times of each call; they take turns, so that a busy moment hits all."""
    seconds: dict[str, list[float]] = {title: [] for title in calls}
    for turn in range(repeat + 1):
        for title, call in calls.items():
            start = time.perf_counter()
            call()
            if turn:  # the first is for what is prepared once, and for memory
                seconds[title].append(time.perf_counter() - start)
    return seconds


def machine_rows(args: Any) -> Iterator[Row]:
    """Accuracy after five rounds of eight shards, beside that of the local solver."""
    for name in ("qc", "ewt.boundary"):
        train, y, test, z = _task(name, args, None)
        say(f"{name}: local machine of {len(train):,}")
        start = time.perf_counter()
        local = tk.TreeSVC(C=1, random_state=0).fit(train, y)
        seconds = time.perf_counter() - start
        expected = local.score(test, z)
        say(f"{name}: eight shards")
        with cluster(2) as client:
            data = tkd.partitions(train, 8, client=client)
            machine = tkd.TreeSVC(C=1, random_state=0, rounds="always", max_rounds=5, tol=1e-9)
            start, before = time.perf_counter(), moved_bytes()
            machine.fit(data, y)
            taken, moved = time.perf_counter() - start, moved_bytes() - before
            start = time.perf_counter()
            tkd.TreeSVC(C=1, random_state=0).fit(data, y)
            alone = time.perf_counter() - start
        accuracy = machine.score(test, z)
        points = 100 * abs(expected - accuracy)
        yield (
            {
                "data": name,
                "examples": len(train),
                "local accuracy": expected,
                "local, s": seconds,
                "after 5 rounds": accuracy,
                "two workers, s": taken,
                "one worker, without rounds, s": alone,
                "relative gap": machine.gap_ / machine.objective_,
                "points apart": points,
                "moved a round, MB": moved / machine.n_iter_ / 1e6,
                **target(points, "points", at_most=0.5),
            }
        )


def _task(name: str, args: Any, most: int | None) -> tuple[Any, Any, Any, Any]:
    if name == "qc":
        names = ["coarse", "fine", "tree"]
        train = tk.read(args.data / "qc.train.tsv.gz", columns=names)
        test = tk.read(args.data / "qc.test.tsv.gz", columns=names)
        order = np.random.RandomState(0).permutation(len(train))[: args.trees]
        return train["tree"][order], train["coarse"][order], test["tree"], test["coarse"]
    forest, labels = load((name,), args.data, args.trees)
    forest, labels = forest[:most], labels[:most]
    cut = len(forest) * 4 // 5
    return forest[:cut], labels[:cut], forest[cut:], labels[cut:]


def perceptron_rows(args: Any) -> Iterator[Row]:
    """Accuracy of a perceptron of four shards, mixed after each epoch, beside the local one."""
    for name in ("qc", "ewt.boundary"):
        train, y, test, z = _task(name, args, BOUNDARY_TREES)
        ordinary = [tk.TreePerceptron(random_state=seed).fit(train, y) for seed in range(SEEDS)]
        local = float(np.mean([learner.score(test, z) for learner in ordinary]))
        for epochs in (None, EPOCHS):
            say(f"{name}: four shards, epochs={epochs}")
            scores, passes = [], 0
            with cluster(2) as client:
                parts = tkd.partitions(train, 4, client=client)
                for seed in range(SEEDS):
                    learner = tkd.TreePerceptron(epochs=epochs, random_state=seed).fit(parts, y)
                    scores.append(learner.score(test, z))
                    passes = learner.t_ // len(train)
            points = 100 * (local - float(np.mean(scores)))
            row: Row = {
                "data": name,
                "examples": len(train),
                f"local accuracy, {EPOCHS} epochs": local,
                "epochs": f"{passes} (default)" if epochs is None else passes,
                "mixed": float(np.mean(scores)),
                "points lost": points,
            }
            bound = target(points, "points", at_most=1) if epochs is None else {}
            yield {**row, **bound}


def large_rows(args: Any) -> Iterator[Row]:
    """Learn from 2.2 million trees with two workers of 1 GB each, which read the files."""
    with tempfile.TemporaryDirectory() as folder:
        count = _split(args.data, Path(folder), args.trees)
        say(f"{count:,} trees")
        with cluster(2, memory_limit="1GB") as client:
            start = time.perf_counter()
            data = tkd.read(f"{folder}/*.tsv", origin=False).persist()
            read, before = time.perf_counter(), moved_bytes()
            workers = client.run(os.getpid)
            learner = tkd.TreePerceptron(epochs=1, random_state=0)
            learner.fit(data["tree"], data["label"])
            learned, moved = time.perf_counter(), moved_bytes() - before
            peaks = client.run(_peak)
            correct = tkd.score(learner.to_local(), data["tree"], data["label"])
            ended = sum(client.run(os.getpid).get(own) != pid for own, pid in workers.items())
    model = len(pickle.dumps(learner.to_local()))
    yield (
        {
            "trees": count,
            "parts": data.npartitions,
            "read, s": read - start,
            "learned, s": learned - read,
            "peak of a worker, MB": max(peaks.values()) / 1e6,
            "model, MB": model / 1e6,
            "moved in the epoch, MB": moved / 1e6,
            "accuracy on them": correct,
            "workers that ended": ended,
        }
    )


def _split(data: Path, folder: Path, limit: int | None) -> int:
    """Write the trees, shuffled, into files of about 140,000 lines."""
    forest, labels = load(ALL, data, limit)
    for number, first in enumerate(range(0, len(forest), 140_000)):
        part = slice(first, first + 140_000)
        table = tk.Table({"label": labels[part], "tree": forest[part]})
        tk.write(folder / f"{number:03}.tsv", table)
    return len(forest)


def moved_bytes() -> int:
    """Return how many bytes have gone through this machine's network to itself.

    Dask's own count knows nothing of the size of our objects.
    """
    lines = Path("/proc/net/dev").read_text().splitlines()
    (own,) = (line.split(":")[1].split() for line in lines if line.strip().startswith("lo:"))
    return int(own[0])


def _peak() -> int:
    """Return the most memory that a worker has had: getrusage would count its parent's as well."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


PARTS: dict[str, tuple[str, Callable[[Any], Iterator[Row]]]] = {
    "speed": ("Each operation, and overhead against the local call", speed_rows),
    "machines": ("TreeSVC(C=1): five rounds of eight shards", machine_rows),
    "perceptron": ("TreePerceptron: four shards", perceptron_rows),
    "large": ("TreePerceptron with workers of 1 GB", large_rows),
}


if __name__ == "__main__":
    main()

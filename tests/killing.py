"""A program that kills itself: it writes files again and again, and is stopped by kill -9.

``python killing.py FOLDER COUNT SEED`` forks COUNT times for each operation; each child writes
until it is killed at a random moment. What is then in the folder must be the file of one of the two
contents that are written in turn, or none where it is the first. It prints the number of kills, of
whole files found, and of temporaries that were swept up, in JSON, and everything that was wrong.
"""

from __future__ import annotations

import functools
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from helpers import sentences
from treekernels.cli.main import _run
from treekernels.io.files import atomic
from treekernels.learners.online import learner as online
from treekernels.learners.svm import descent

TREES, KINDS = sentences(60)
BIGGER = [f"(S {tree} {tree})" for tree in TREES]


@functools.cache
def models() -> list[tk.TreeSVC]:
    return [tk.TreeSVC("sst", random_state=0).fit(trees, KINDS) for trees in (TREES, BIGGER)]


def save(folder: Path) -> None:
    for model in models():
        tk.save(model, folder / "file")


def write(folder: Path) -> None:
    for trees in (TREES, BIGGER):
        tk.write(folder / "file.tsv", {"label": KINDS, "tree": trees})


def convert(folder: Path) -> None:
    for name in ("small", "big"):
        _run(["convert", str(folder.parent / f"{name}.tsv"), str(folder / "file.svmlight"), "-q"])


def gram(folder: Path) -> None:
    for trees in (TREES, BIGGER):
        tk.SubsetTreeKernel()(trees, out=folder / "file.npy")


def embed(folder: Path) -> None:
    for trees in (TREES, BIGGER):
        tk.DistributedTrees(512).transform(trees, out=folder / "file.npy")


@functools.cache
def indexes() -> list[tk.TreeIndex]:
    made = []
    for trees in (TREES, BIGGER):
        made.append(tk.TreeIndex())
        made[-1].add(trees)
    return made


def index(folder: Path) -> None:
    for made in indexes():
        made.save(folder / "file.tki")


def machine() -> tk.TreeSVC:
    return tk.TreeSVC("sst", tol=1e-2, solver="forest", cache_size=1e-3, random_state=0)


def perceptron() -> tk.TreePerceptron:
    return tk.TreePerceptron("sst", epochs=10, random_state=0)


def fit(folder: Path) -> None:
    machine().set_params(checkpoint=folder / "file").fit(TREES, KINDS)


def learn(folder: Path) -> None:
    perceptron().set_params(checkpoint=folder / "file").fit(TREES, KINDS)


OPERATIONS: dict[str, Callable[[Path], None]] = {
    operation.__name__: operation for operation in (save, write, convert, gram, embed, index)
}
LEARNERS: dict[str, tuple[Callable[[Path], None], Callable[[], Any]]] = {
    "fit": (fit, machine),
    "learn": (learn, perceptron),
}


def kill_one(operation: Callable[[Path], None], folder: Path, seconds: float) -> bool:
    """Do something again and again in a child, which is killed; return if it was still at it."""
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            while True:
                operation(folder)
        finally:
            os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def check_files(name: str, folder: Path, rng: random.Random, count: int) -> dict[str, Any]:
    contents = contents_of(name, folder)
    whole = swept = 0
    wrong = []
    for _ in range(count):
        for path in folder.iterdir():
            path.unlink()
        if not kill_one(OPERATIONS[name], folder, rng.uniform(0, 0.06)):
            wrong.append("the child ended by itself")
        left = [path for path in folder.iterdir() if path.name.endswith(".unfinished")]
        files = [path for path in folder.iterdir() if path not in left]
        whole += len(files)
        wrong += [f"{path.name} is torn" for path in files if path.read_bytes() not in contents]
        atomic._swept.clear()
        OPERATIONS[name](folder)
        swept += len(left)
        wrong += [f"{path.name} is still there" for path in left if path.exists()]
    return {"kills": count, "files": whole, "swept": swept, "wrong": wrong}


def contents_of(name: str, folder: Path) -> list[bytes]:
    """Return the two files that are written in turn, as they are when nobody kills."""
    contents = []
    replace = os.replace

    def remember(source: str, target: str) -> None:
        contents.append(Path(source).read_bytes())
        replace(source, target)

    os.replace = remember  # type: ignore[assignment]
    OPERATIONS[name](folder)
    os.replace = replace
    assert len(contents) == 2 != len(set(contents)) + 1
    return contents


def check_checkpoints(name: str, folder: Path, rng: random.Random, count: int) -> dict[str, Any]:
    operation, learner = LEARNERS[name]
    plain = learner().set_params(checkpoint=folder.parent / "plain").fit(TREES, KINDS)
    expected = plain.decision_function(TREES)
    resumed = swept = 0
    wrong = []
    for _ in range(count):
        kill_one(operation, folder, rng.uniform(0, 0.06))
        left = [path for path in folder.iterdir() if path.name.endswith(".unfinished")]
        resumed += (folder / "file").exists()
        swept += len(left)
        atomic._swept.clear()
        model = learner().set_params(checkpoint=folder / "file").fit(TREES, KINDS)
        if not np.allclose(model.decision_function(TREES), expected, rtol=1e-6, atol=1e-6):
            wrong.append("another model")
        if (folder / "file").exists():
            wrong.append("the checkpoint is still there")
    return {"kills": count, "files": resumed, "swept": swept, "wrong": wrong}


def main(folder: Path, count: int, seed: int) -> None:
    online._BATCH = 20
    descent._EPOCHS_BETWEEN_CHECKPOINTS = 3
    for file, trees in (("small.tsv", TREES), ("big.tsv", BIGGER)):
        tk.write(folder / file, {"label": KINDS, "tree": trees})
    results = {}
    for name in (*OPERATIONS, *LEARNERS):
        (folder / name).mkdir()
        check = check_files if name in OPERATIONS else check_checkpoints
        results[name] = check(name, folder / name, random.Random(seed), count)
    print(json.dumps(results))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

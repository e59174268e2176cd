"""What is fuzzed: one function of bytes a target, which must not raise anything but our own errors.

Each target takes bytes that a fuzzer has made, from seeds that are good inputs. An assertion that
fails, any other exception, a crash of the core or a hang is a finding; its input then goes into
`findings`, where `test_findings.py` replays it with every change.
"""

from __future__ import annotations

import atexit
import hashlib
import pickle
import shutil
import struct
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import treekernels as tk
from treekernels.testing import oracle
from treekernels.testing.checking import sentences

TREES, KINDS = sentences(6)
MEMORY = Path("/dev/shm")  # where Linux has files that no disk has to write
FOLDER = Path(tempfile.mkdtemp(prefix="treekernels-fuzz-", dir=MEMORY if MEMORY.is_dir() else None))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
FORMATS = ("svmlight-tk", "kelp", "conllu", "penn", "tsv", "csv", "jsonl", "json", "xml", "html")


class Target(NamedTuple):
    """A function to be fuzzed, and inputs to begin with."""

    run: Callable[[bytes], None]
    seeds: list[bytes]


def read_brackets(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    try:
        (tree,) = tk.Forest([text])
    except tk.TreeKernelsError:
        return
    again = tk.Forest([str(tree)])[0]
    assert again == tree
    assert str(again) == str(tree)
    assert tree.size == sum(1 for _ in tree.preorder())


def read_format(format: str) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        path = FOLDER / "input"
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for skip_bad in (False, True):
                try:
                    read = tk.read(path, format=format, skip_bad=skip_bad)
                except (tk.TreeKernelsError, ImportError):
                    continue
                forests = [read] if isinstance(read, tk.Forest) else list(read.values())
                for forest in forests:
                    if isinstance(forest, tk.Forest):
                        pickle.loads(pickle.dumps(forest))
                        assert tk.Forest(forest.to_brackets()) == forest

    return run


def load_model(data: bytes) -> None:
    """Load a file whose checksum is made right, so that the checks behind it are what is tested."""
    path = FOLDER / "model"
    path.write_bytes(data[:-32] + hashlib.sha256(data[:-32]).digest())
    try:
        model = tk.load(path)
    except (tk.ModelFileError, OSError):
        return
    try:
        if hasattr(model, "transform"):
            small = min(int(model.dimension), 1 << 16) == int(model.dimension)
            values = model.transform(TREES) if small else np.zeros(1)
        else:
            values = (getattr(model, "predict", None) or model.score)(TREES)
    except (tk.TreeKernelsError, MemoryError):
        return
    if values.dtype.kind == "f":
        assert np.isfinite(values).all()


def unpickle_forest(data: bytes) -> None:
    """Make a forest from arrays: six of them, each with its length before it."""
    arrays: list[bytes] = []
    rest = data
    for _ in range(6):
        (length,) = struct.unpack("<H", rest[:2].ljust(2, b"\0"))
        arrays.append(rest[2 : 2 + length])
        rest = rest[2 + length :]
    kinds: tuple[Any, ...] = (np.uint64, np.uint32, np.uint64, np.uint32, np.uint32)
    numbers = [
        np.frombuffer(part[: len(part) // np.dtype(kind).itemsize * np.dtype(kind).itemsize], kind)
        for part, kind in zip(arrays[1:], kinds, strict=True)
    ]
    forest = tk.Forest.__new__(tk.Forest)
    try:
        forest.__setstate__((arrays[0], *numbers))
    except ValueError:
        return
    assert forest == pickle.loads(pickle.dumps(forest))
    tk.SubsetTreeKernel()(forest[:4])


def compare_with_oracle(data: bytes) -> None:
    trees = _small_trees(data, 2)
    if trees is None:
        return
    decay = 0.1 + (len(data) % 10) / 10
    kernel = tk.SubsetTreeKernel(min(decay, 1.0), normalize=False)
    value = kernel([trees[0]], [trees[1]])[0, 0]
    one, other = map(oracle.parse, trees)
    expected = oracle.kernel("subset", one, other, decay=min(decay, 1.0))
    np.testing.assert_allclose(value, float(expected), rtol=1e-9)


def replay_learner(data: bytes) -> None:
    """Add, score, merge and save a weighted forest in any order, against the plain sum."""
    kernel = tk.SubsetTreeKernel(0.5)
    forest = tk.WeightedForest(kernel)
    added: list[tuple[str, float]] = []
    for byte in data[:24]:
        tree, weight = TREES[byte % 6], float(byte % 7 - 3)
        match byte >> 6:
            case 0 | 1:
                forest.add([tree], [weight])
                added.append((tree, weight))
            case 2:
                other = tk.WeightedForest(kernel)
                other.add([tree], [weight])
                forest.merge(other, 0.5)
                added.append((tree, 0.5 * weight))
            case _:
                tk.save(forest, FOLDER / "forest")
                forest = tk.load(FOLDER / "forest")
        expected = np.zeros(6)
        if added:
            expected = kernel(TREES, [t for t, _ in added]) @ np.array([w for _, w in added])
        np.testing.assert_allclose(forest.score(TREES), expected, rtol=1e-9, atol=1e-9)


def parse_expression(data: bytes) -> None:
    try:
        kernel = tk.parse_kernel(data.decode(errors="replace"))
    except tk.TreeKernelsError:
        return
    assert tk.parse_kernel(tk.format_kernel(kernel)) == kernel


def embed(data: bytes) -> None:
    """Vectors of any dimension are finite, and the same each time."""
    dimension = 1 + (data[0] if data else 0)
    trees = _small_trees(data[1:], 1) or TREES[:1]
    embedding = tk.DistributedTrees(dimension, composition="product" if len(data) % 2 else "sign")
    first = embedding.transform(trees)
    embedding.transform(TREES)
    assert np.array_equal(first, embedding.transform(trees))
    assert np.isfinite(first).all()


def _small_trees(data: bytes, count: int) -> list[str] | None:
    """Return trees of few nodes that bytes describe, or None."""
    texts, size = [], len(data) // count
    for number in range(count):
        text, depth = "(S", 1
        for byte in data[number * size : (number + 1) * size][:14]:
            if byte % 4 == 0 and depth < 5:
                text, depth = f"{text} ({'ABC'[byte // 4 % 3]}", depth + 1
            elif byte % 4 == 1 and depth > 1:
                text, depth = text + ")", depth - 1
            else:
                text += " " + "abcd"[byte // 4 % 4]
        texts.append(text + ")" * depth)
    return texts if size else None


def _written(format: str) -> bytes:
    path = FOLDER / "seed"
    tk.write(path, {"label": KINDS, "tree": TREES} if format != "penn" else TREES, format)
    return path.read_bytes()


def _model(learner: Any) -> bytes:
    tk.save(learner, FOLDER / "seed")
    return (FOLDER / "seed").read_bytes()


def _forest_arrays() -> bytes:
    parts = [bytes(part) for part in tk.Forest(TREES).__getstate__()]
    return b"".join(struct.pack("<H", len(part)) + part for part in parts)


_SEEDS = {
    "conllu": [
        b"1\tMary\tMary\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    ],
    "json": [b'{"a": [1, 2.5, null, true], "b": {"c": "x"}}'],
    "xml": [
        b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE a [<!ENTITY e "f">]><a x="&e;">b<c/></a>'
    ],
    "html": [b"<!doctype html><p class=a>one <b>two</b><script>three</script>"],
}
TARGETS: dict[str, Target] = {
    "brackets": Target(
        read_brackets, [tree.encode() for tree in TREES] + [rb"(A\x28 (\x5cx b) c)"]
    ),
    **{
        format: Target(read_format(format), _SEEDS.get(format) or [_written(format)])
        for format in FORMATS
    },
    "models": Target(
        load_model,
        [
            _model(tk.TreeSVC(random_state=0).fit(TREES, KINDS)),
            _model(tk.TreePerceptron(tk.PartialTreeKernel(), random_state=0).fit(TREES, KINDS)),
            _model(tk.DistributedTrees(64, min_df=2).fit(TREES)),
            _model(tk.WeightedForest(tk.SubpathKernel(), columns=2)),
        ],
    ),
    "pickles": Target(unpickle_forest, [_forest_arrays()]),
    "oracle": Target(compare_with_oracle, [bytes(range(28)), bytes(range(0, 112, 4))]),
    "learners": Target(replay_learner, [bytes(range(0, 240, 10))]),
    "expressions": Target(
        parse_expression, [b"0.5 * sst(decay=0.4, on='tree') + linear(on=['a', 'b']) ** 2"]
    ),
    "vectors": Target(embed, [bytes([8, *range(20)]), bytes([99, *range(50)])]),
}

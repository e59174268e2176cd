"""Files that are fuzzed: each format of trees, models, indexes, and arrays of pickled forests."""

from __future__ import annotations

import atexit
import copy
import gzip
import hashlib
import json
import pickle
import shutil
import struct
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from helpers import sentences

TREES, KINDS = sentences(6)
_MEMORY = Path("/dev/shm")  # where Linux has files that no disk has to write
FOLDER = Path(
    tempfile.mkdtemp(prefix="treekernels-fuzz-", dir=_MEMORY if _MEMORY.is_dir() else None)
)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
_WRITTEN = ("svmlight-tk", "kelp", "penn", "tsv", "csv", "jsonl")
_OPTIONS: dict[str, dict[str, Any]] = {"tree-sitter": {"language": "java"}}
# What numbers and other parts of a model are replaced with.
_PARTS: tuple[Any, ...] = (0, 1, -1, 2**31, 2**63, 1e308, True, None, "", "subset", [], {}, [0, 1])
_NUMBERS = (
    *(struct.pack("<q", number) for number in (0, 1, 2, -1, 7, 2**31, 2**32 - 1, 2**62)),
    *(struct.pack("<d", number) for number in (float("nan"), float("inf"), -1e308, 1e-308)),
)


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
    """Return a function that reads bytes in a format, strictly and without what is bad."""

    def run(data: bytes) -> None:
        path = FOLDER / "input"
        path.write_bytes(data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for skip_bad in (False, True):
                try:
                    read = tk.read(path, format, skip_bad=skip_bad, **_OPTIONS.get(format, {}))
                except (tk.TreeKernelsError, ImportError):
                    continue
                forests = list(read.values()) if isinstance(read, tk.Table) else [read]
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
            small = int(getattr(model, "dimension", 0)) <= 1 << 16
            values = model.transform(TREES) if small else np.zeros(1)
        else:
            values = (getattr(model, "predict", None) or model.score)(TREES)
    except (tk.TreeKernelsError, MemoryError):
        return
    if values.dtype.kind == "f":
        assert np.isfinite(values).all()


def load_index(data: bytes) -> None:
    """Load an index whose checksum is right, with and without looking at all of it."""
    path = FOLDER / "index"
    path.write_bytes(data[:-32] + hashlib.sha256(data[:-32]).digest())
    for verify in (True, False):
        try:
            index = tk.TreeIndex.load(path, verify=verify)
            for hits in index.search(TREES, k=2):
                assert all(np.isfinite(hit.similarity) for hit in hits)
            index.add(TREES[:1])
            index.save(FOLDER / "saved")
        except (tk.TreeKernelsError, OSError, MemoryError):
            pass


def edited(check: Callable[[bytes], None], seeds: list[bytes]) -> Callable[[bytes], None]:
    """Return a function that changes numbers and other parts of a good file, and has it checked.

    An input is a list of changes: the first byte says which file, and each four after it are a
    place, of two bytes, what it becomes, and whether that is a part of the description or a number
    of the arrays.
    """

    def run(data: bytes) -> None:
        if not data:
            return
        seed = seeds[data[0] % len(seeds)]
        (length,) = struct.unpack_from("<Q", seed, 12)
        description = json.loads(seed[20 : 20 + length])
        body = bytearray(seed[20 + length : -32])
        for place, what, where in struct.iter_unpack("<HBB", data[1 : 1 + len(data[1:]) // 4 * 4]):
            places = list(_places(description))
            if where % 2 and places:
                holder, key = places[place % len(places)]
                holder[key] = copy.deepcopy(_PARTS[what % len(_PARTS)])  # or it may hold itself
            elif body:
                at = place % len(body) // 4 * 4
                body[at : at + 8] = _NUMBERS[what % len(_NUMBERS)][: len(body) - at]
        text = json.dumps(description).encode()
        check(seed[:12] + struct.pack("<Q", len(text)) + text + bytes(body) + bytes(32))

    return run


def _places(part: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where something in a document can be replaced."""
    stack = [part]
    while stack:
        holder = stack.pop()
        keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])


def read_word_vectors(data: bytes) -> None:
    """Look words up in a file of vectors, twice: the second time their places are known."""
    path = FOLDER / "vectors"
    path.write_bytes(data)
    try:
        vectors = tk.WordVectors(path)
        for words in (["dog", "the cat", "a" * 40], ["dog", "", "str\xe4\xdfe"]):
            for vector in vectors.find(words).values():
                assert np.isfinite(vector).all()
        value = tk.PartialTreeKernel(similarity=vectors)(["(N dog::n)"], ["(N the::n)"])
    except tk.TreeKernelsError:
        return
    assert np.isfinite(value).all()


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


def _saved(object_: Any) -> bytes:
    path = FOLDER / "seed"
    object_.save(path) if isinstance(object_, tk.TreeIndex) else tk.save(object_, path)
    return path.read_bytes()


def _index(kernel: tk.Kernel) -> tk.TreeIndex:
    index = tk.TreeIndex(kernel)
    index.add(TREES, ids=[f"tree {number}" for number in range(6)])
    index.remove(["tree 3"])
    return index


def _forest_arrays() -> bytes:
    parts = [bytes(part) for part in tk.Forest(TREES).__getstate__()]
    return b"".join(struct.pack("<H", len(part)) + part for part in parts)


def _parquet() -> list[bytes]:
    try:
        from pyarrow import parquet, table
    except ImportError:  # pragma: no cover
        return [b"PAR1"]
    path = FOLDER / "seed.parquet"
    parquet.write_table(table({"label": KINDS, "tree": TREES}), path, compression="none")
    return [path.read_bytes()]


def _fasttext() -> bytes:
    """Return a model of fastText of two words, with vectors of three numbers."""
    head = struct.pack("<2i", 793712314, 12)
    head += struct.pack("<12id", 3, 5, 5, 1, 5, 1, 1, 1, 4, 2, 3, 100, 1e-4)
    head += struct.pack("<3i2q", 2, 2, 0, 9, -1)
    words = b"".join(word + b"\0" + struct.pack("<qb", 1, 0) for word in (b"dog", b"the"))
    matrix = np.arange(18, dtype="<f4").tobytes()
    return head + words + b"\0" + struct.pack("<2q", 6, 3) + matrix


def _written(format: str) -> bytes:
    path = FOLDER / "seed"
    tk.write(path, {"label": KINDS, "tree": TREES} if format != "penn" else TREES, format)
    return path.read_bytes()


BRACKETS = [tree.encode() for tree in TREES] + [rb"(A\x28 (\x5cx b) c)"]
FORMATS: dict[str, list[bytes]] = {
    **{format: [_written(format)] for format in _WRITTEN},
    "conllu": [
        b"1\tMary\tMary\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n"
        b"2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
    ],
    "json": [b'{"a": [1, 2.5, null, true], "b": {"c": "x"}}'],
    "xml": [
        b'<?xml version="1.0" encoding="utf-8"?><!DOCTYPE a [<!ENTITY e "f">]><a x="&e;">b<c/></a>'
    ],
    "html": [b"<!doctype html><p class=a>one <b>two</b><script>three</script>"],
    "parquet": _parquet(),
    "newick": [b"((A:0.1,'B ''x':2)[c]n:3,C)r;\n(A,B);"],
    "nexus": [
        b"#NEXUS\n[c] begin trees; translate 1 A, 2 'B c'; tree 'x y' = [&R] (1,(2:3)); end;"
    ],
    "dot-bracket": [b">one\nGGAACUC\n((..).) (-1.2)\n([)]\n"],
    "glycans": [b"Gal(b1-4)[Fuc(a1-3)]GlcNAc(b1-2)Man\n"],
    "penman": [b'# ::id 1 ::snt x\n(w / want-01~e.1 :ARG0 (b / boy) :ARG1 b :name "New \\"Y")\n'],
    "terms": [rb"a(b, c(d e\()f)"],
    "braces": [rb"{a{b c}{\{{}}}"],
    "mathml": [
        b"<math><semantics><mrow><mi>x</mi></mrow><annotation>y</annotation></semantics></math>"
    ],
    "latex": [rb"$\frac{a+b}{\sqrt{x_1}} = \sum_{i=0}^n i$"],
    "yaml": [b"a: [1, &x {b: yes}]\nc: *x\n---\n? [k]\n: 'q r'\n"],
    "toml": [b'a = 1\n[b]\nc = [1.5, true, 1979-05-27T07:32:00Z]\n[[d]]\ne = "f"\n'],
    "sql": [
        b"select a.x as y, count(*) from t a join u on a.i = u.i where x > 1 or y in (1, 'z');"
    ],
    "python": [b"class A:\n    def f(self, x: int = 1) -> str:\n        return f'{x!r}' + \"y\"\n"],
    "tree-sitter": [b"class A { int f(String x) { /* c */ return x == null ? 1 : -2; } }"],
    "anchored-pairs": [b"1\t(S (#1 a) b)\t(S (#1 a) c)\n0\t(A b)\t(A c)\n"],
    "text": ["It rains. We stay at home.\r\n\n(Really?)\n\u2028x\n".encode()],
    "notebook": [
        b'{"cells": [{"cell_type": "code", "source": ["%time\\n", "x = !ls\\n", "f(y)?"]}]}'
    ],
}
MODELS = [
    _saved(tk.TreeSVC("sst", random_state=0).fit(TREES, KINDS)),
    _saved(tk.TreePerceptron(tk.PartialTreeKernel(), random_state=0).fit(TREES, KINDS)),
    _saved(tk.DistributedTrees(64, min_df=2).fit(TREES)),
    _saved(tk.WeightedForest(tk.SubpathKernel(), columns=2)),
    _saved(
        tk.TreeSVC(
            tk.PartialTreeKernel(
                similarity=tk.WordVectors({"dog": [1, 2], "the": [2, 1]}, classes=None)
            ),
            random_state=0,
        ).fit(TREES, KINDS)
    ),
    _saved(tk.TreeRanker("sst").fit(TREES, range(6))),
    _saved(tk.TreeNystroem(n_components=3, random_state=0).fit(TREES)),
]
WORD_VECTORS = [
    b"2 3\ndog 1 2 3\nthe 0.5 -1 2e-3\n",
    b"dog 1 2 3\nthe cat 1 2 4\n",
    b"2 3\ndog " + np.arange(3, dtype="<f4").tobytes() + b"the " + np.ones(3, "<f4").tobytes(),
    gzip.compress(b"dog 1 2 3\nthe 1 2 4\n", mtime=0),
    _fasttext(),
]
INDEXES = [_saved(_index(kernel)) for kernel in (tk.SubsetTreeKernel(), tk.PQGramKernel())]
ARRAYS = [_forest_arrays()]

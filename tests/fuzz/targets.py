"""What is fuzzed: one function of bytes a target, which must not raise anything but our own errors.

Each target takes bytes that a fuzzer has made, from seeds that are good inputs. An assertion that
fails, any other exception, a crash of the core or a hang is a finding; its input then goes into
`findings`, where `test_findings.py` replays it with every change. `corpora` has inputs that fuzzers
came across and that go where no other one goes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fuzz import file_targets as files
from fuzz import value_targets as values

CORPORA = Path(__file__).parent / "corpora"


class Target(NamedTuple):
    """A function to be fuzzed, and inputs to begin with."""

    run: Callable[[bytes], None]
    seeds: list[bytes]


TARGETS: dict[str, Target] = {
    "brackets": Target(files.read_brackets, files.BRACKETS),
    **{format: Target(files.read_format(format), seeds) for format, seeds in files.FORMATS.items()},
    "models": Target(files.load_model, files.MODELS),
    "model-parts": Target(
        files.edited(files.load_model, files.MODELS), [b"\0", bytes(range(1, 30)), bytes(61)]
    ),
    "indexes": Target(files.load_index, files.INDEXES),
    "index-parts": Target(files.edited(files.load_index, files.INDEXES), [b"\0", bytes(range(30))]),
    "word-vectors": Target(files.read_word_vectors, files.WORD_VECTORS),
    "pickles": Target(files.unpickle_forest, files.ARRAYS),
    "oracle": Target(
        values.compare_with_oracle,
        [bytes([kernel, 7, *range(28)]) for kernel in range(5)] + [bytes(range(0, 112, 4))],
    ),
    "pairs": Target(values.compare_pairs, [bytes(range(29)), bytes(range(0, 250, 7))]),
    "forests": Target(
        values.replay_forest, [bytes([kernel, *range(0, 240, 10)]) for kernel in range(5)]
    ),
    "learners": Target(
        values.replay_perceptron, [bytes([kernel, *range(0, 240, 13)]) for kernel in range(5)]
    ),
    "expressions": Target(
        values.parse_expression,
        [b"0.5 * sst(decay=0.4, on='tree') + linear(on=['a', 'b']) ** 2", b"normalize(pt + st)"],
    ),
    "vectors": Target(values.embed, [bytes([8, *range(20)]), bytes([99, *range(50)])]),
}


def corpus(name: str) -> list[bytes]:
    """Return the inputs to begin with: the seeds, and what was kept of earlier runs."""
    path = CORPORA / f"{name}.zip"
    if not path.exists():
        return TARGETS[name].seeds
    with zipfile.ZipFile(path) as kept:
        return TARGETS[name].seeds + [kept.read(entry) for entry in sorted(kept.namelist())]

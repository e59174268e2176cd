"""Every target runs on its seeds and some mutations, and on every input that ever failed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fuzz import run
from fuzz.run import FINDINGS, mutated
from fuzz.targets import TARGETS, Target, corpus


def replay(folder: Path) -> None:
    """Run every target on what it once failed on."""
    for path in sorted(folder.glob("*")):
        if path.suffix != ".current":
            names = (name for name in TARGETS if path.name.startswith(f"{name}-"))
            TARGETS[max(names, key=len)].run(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_and_some_mutations(name: str) -> None:
    target = TARGETS[name]
    rng = random.Random(0)
    for data in [*corpus(name), b"", *(mutated(rng, target.seeds) for _ in range(30))]:
        target.run(data)


def test_a_finding_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(data: bytes) -> None:
        if b"((" in data:
            raise AssertionError("found")

    monkeypatch.setattr(run, "FINDINGS", tmp_path)
    monkeypatch.setitem(TARGETS, "brackets", Target(fail, [b"(A (B b))"]))
    with pytest.raises(AssertionError, match="found"):
        run.mutate("brackets", 60, 0)
    (found,) = (path for path in tmp_path.iterdir() if path.suffix != ".current")
    assert b"((" in found.read_bytes()
    with pytest.raises(AssertionError, match="found"):
        replay(tmp_path)


def test_what_failed_once() -> None:
    replay(FINDINGS)

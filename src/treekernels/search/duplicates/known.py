"""What was known before: a baseline of the code that a build has accepted.

All pieces are known, whether there are copies of them or not, and by their content: what hash their
trees have. So code that moved or was laid out anew stays known, and so do two pieces that were both
there before, whatever the kernel says of them by now: its weights, or its threshold, may be others.
A piece that was edited is new, and so is one of which there are more copies than there were.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treekernels.errors import DataError
from treekernels.io.files.atomic import write_lines
from treekernels.search.duplicates.near_copies import AllCopies, Copies
from treekernels.search.duplicates.pieces import Piece

_VERSION = 2
_LETTERS = (
    12  # of a fingerprint: one in five hundred sets of a million pieces has two that share them
)


@dataclass(frozen=True)
class Baseline:
    """What was known.

    Attributes
    ----------
    files : dict
        For each file the fingerprints of its pieces, in order, each as often as it had one.
    reading : dict
        How files were read, as far as it shapes the trees.
    """

    files: dict[str, list[str]]
    reading: dict[str, Any]

    @classmethod
    def of(
        cls, pieces: list[Piece], fingerprints: list[str], reading: Mapping[str, Any]
    ) -> Baseline:
        """Take all pieces for known."""
        files: dict[str, list[str]] = {}
        for piece, fingerprint in zip(pieces, fingerprints, strict=True):
            files.setdefault(piece.file, []).append(fingerprint[:_LETTERS])
        return cls({file: sorted(prints) for file, prints in files.items()}, dict(reading))

    @classmethod
    def load(cls, path: str | os.PathLike[str], reading: Mapping[str, Any]) -> Baseline:
        """Read what `save` wrote; trees that were read in another way have other fingerprints."""
        try:
            content = json.loads(Path(path).read_text("utf-8"))
            if content["version"] != _VERSION:
                raise ValueError("another version wrote it")
            files = {str(name): str(prints).split() for name, prints in content["files"].items()}
            known = cls(files, dict(content["reading"]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(
                f"{path} is not a baseline ({error}): --update-baseline writes a new one"
            ) from None
        if known.reading != dict(reading):
            raise DataError(
                f"{path} was written with other settings ({_listed(known.reading)}, and not "
                f"{_listed(reading)}): --update-baseline writes a new one"
            )
        return known

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, a file on each line, so that revisions of it can be compared."""
        files = [
            f"{json.dumps(k)}: {json.dumps(' '.join(v))}" for k, v in sorted(self.files.items())
        ]
        entries = [f"  {text}," for text in files[:-1]] + [f"  {text}" for text in files[-1:]]
        reading = json.dumps(self.reading, sort_keys=True)
        begin = ["{", f' "version": {_VERSION},', f' "reading": {reading},', ' "files": {']
        write_lines(path, [*begin, *entries, " }", "}"])

    def without_known(self, copies: AllCopies) -> list[Copies]:
        """Return the groups in which something is new, and say of each piece whether it is."""
        known = {file: Counter(prints) for file, prints in self.files.items()}
        counts = Counter(name for prints in self.files.values() for name in prints)
        new: set[Piece] = set()
        for fingerprint, pieces in copies.fingerprints.items():
            name = fingerprint[:_LETTERS]
            if len(pieces) > counts[name]:
                new.update(_surplus(name, pieces, known))
        groups = [
            replace(group, new=frozenset(new.intersection(group.pieces))) for group in copies.groups
        ]
        return [group for group in groups if group.new]


def _surplus(name: str, pieces: list[Piece], known: dict[str, Counter[str]]) -> list[Piece]:
    """Return the pieces of which there are more than before: those in files without any.

    Of pieces that have moved and pieces that were copied, nobody can tell which is which.
    """
    others = []
    taken: Counter[str] = Counter()
    for piece in pieces:
        taken[piece.file] += 1
        if taken[piece.file] > known.get(piece.file, Counter())[name]:
            others.append(piece)
    return others


def _listed(reading: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(reading.items()))

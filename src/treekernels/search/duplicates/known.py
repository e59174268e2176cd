"""What was known before: a baseline of copies that a build has accepted.

Copies are known by their content: what hash their trees have. So code that moved or was laid out
anew stays known, and a piece that was edited is new. A group is new if two of its pieces were not
known to be alike, or if there are more copies of a piece than there were.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

from treekernels.errors import DataError
from treekernels.io.files.atomic import write_lines
from treekernels.search.duplicates.near_copies import AllCopies, Copies
from treekernels.search.duplicates.pieces import Piece

_VERSION = 1


@dataclass(frozen=True)
class Baseline:
    """What was known.

    Attributes
    ----------
    files : dict
        For each fingerprint the files that its pieces were in, each as often as it had one.
    pairs : set
        The fingerprints that were alike.
    """

    files: dict[str, list[str]]
    pairs: set[tuple[str, str]]

    @classmethod
    def of(cls, copies: AllCopies) -> Baseline:
        """Take all that there is for known."""
        files = {
            fingerprint: sorted(piece.file for piece in pieces)
            for fingerprint, pieces in copies.fingerprints.items()
        }
        return cls(files, copies.pairs)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Baseline:
        """Read what `save` wrote."""
        try:
            content = json.loads(Path(path).read_text("utf-8"))
            if content["version"] != _VERSION:
                raise ValueError("its version is another one")
            files = {str(name): [str(f) for f in files] for name, files in content["files"].items()}
            pairs = {_pair(text) for text in content["pairs"]}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"{path} is not a baseline ({error}): --update-baseline writes a new one"
            ) from None
        return cls(files, pairs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, one entry a line, so that revisions of it can be compared."""
        files = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(self.files.items())]
        pairs = sorted(json.dumps(" ".join(pair)) for pair in self.pairs)
        begin = ["{", f' "version": {_VERSION},', ' "files": {']
        middle = [" },", ' "pairs": [']
        write_lines(path, [*begin, *_entries(files), *middle, *_entries(pairs), " ]", "}"])

    def without_known(self, copies: AllCopies) -> list[Copies]:
        """Return the groups in which something is new, and say of each piece whether it is."""
        surplus = {
            fingerprint: self._surplus(fingerprint, pieces)
            for fingerprint, pieces in copies.fingerprints.items()
        }
        groups = []
        for group in copies.groups:
            prints = sorted(set(group.fingerprints.values()))
            new = {piece for name in prints for piece in surplus[name] if piece in group.pieces}
            known = [name for name in prints if not surplus[name]]
            unknown_pairs = [
                pair
                for place, name in enumerate(known)
                for other in known[place + 1 :]
                if (pair := (name, other)) in copies.pairs and pair not in self.pairs
            ]
            apart = {name for pair in unknown_pairs for name in pair}
            new |= {piece for piece, name in group.fingerprints.items() if name in apart}
            if new:
                groups.append(replace(group, new=frozenset(new)))
        return groups

    def _surplus(self, fingerprint: str, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces of which there are more than before: those in files without any.

        Of pieces that have moved and pieces that were copied, nobody can tell which is which.
        """
        known = list(self.files.get(fingerprint, ()))
        if len(pieces) <= len(known):
            return []
        others = []
        for piece in pieces:
            if piece.file in known:
                known.remove(piece.file)
            else:
                others.append(piece)
        return others


def _pair(text: str) -> tuple[str, str]:
    one, other = text.split()
    return one, other


def _entries(texts: list[str]) -> list[str]:
    return [f"  {text}," for text in texts[:-1]] + [f"  {text}" for text in texts[-1:]]

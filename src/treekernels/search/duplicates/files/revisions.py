"""What has changed since a revision, as git says.

Git is called, and not imitated. It gets the revision as the number of a commit, so that nothing can
be taken for an option, and it runs no program that a repository names: no hooks, no monitor of
files, no filters, no other way to compare them, and nothing that would fetch what is missing.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treekernels.errors import DataError
from treekernels.search.duplicates.pieces import Piece

_SAFE = [
    *("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    *("-c", "diff.external=", "-c", "core.quotePath=false", "-c", "safe.bareRepository=explicit"),
]
_DIFF = [
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--ignore-submodules=all",
    "--find-renames",
    "--diff-filter=d",
]
_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_SECONDS = 120


@dataclass(frozen=True)
class Changes:
    """The lines that changed, by the absolute path of their file; None for a whole file."""

    lines: dict[str, list[tuple[int, int]] | None]

    def touch(self, piece: Piece) -> bool:
        """Return whether some line of a piece changed, or one was taken out of it."""
        path = os.path.realpath(piece.file)
        if path not in self.lines:
            return False
        changed = self.lines[path]
        return changed is None or any(
            first <= piece.last_line and piece.first_line <= last for first, last in changed
        )


def changes_since(revision: str, folder: str | os.PathLike[str] = ".") -> Changes:
    """Return what changed between a revision and the files as they are now, new ones included."""
    root = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel").rstrip(b"\r\n"))
    commit = _commit(root, revision)
    off = _filters_off(root)
    names = _names(_git(root, *_DIFF, "--name-only", "-z", commit, "--", settings=off))
    patch_form = ("--unified=0", "--src-prefix=a/", "--dst-prefix=b/")
    text = _git(root, *_DIFF, *patch_form, commit, "--", settings=off)
    patches = re.split(rb"^diff --git ", text, flags=re.MULTILINE)[1:]
    if len(patches) != len(names):
        raise DataError("git lists other files than it compares: did they change meanwhile?")
    lines: dict[str, list[tuple[int, int]] | None] = {}
    for name, patch in zip(names, patches, strict=True):
        lines[os.path.realpath(Path(root, name))] = _ranges(patch)
    for name in _names(_git(root, "ls-files", "--others", "--exclude-standard", "-z")):
        lines[os.path.realpath(Path(root, name))] = None
    return Changes(lines)


def _commit(root: str, revision: str) -> str:
    if revision.startswith("-"):
        raise DataError(f"{revision!r} is not a revision: none begins with a dash")
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except DataError:
        raise DataError(
            f"git knows no revision {revision!r} here; in a build, fetch it first, as with "
            "fetch-depth: 0"
        ) from None
    return found.decode().strip()


def _filters_off(root: str) -> list[str]:
    """Return the settings by which git would run a program on the content of files."""
    listed = _git(root, "config", "--list", "--name-only", "-z")
    return [
        name
        for name in dict.fromkeys(_names(listed))
        if name.startswith("filter.") and name.endswith((".clean", ".process", ".required"))
    ]


def _ranges(patch: bytes) -> list[tuple[int, int]]:
    """Return the new lines of a patch; where lines went, those before and after the place."""
    ranges = []
    for found in _HUNK.finditer(patch):
        first, count = int(found[1]), int(found[2] or 1)
        ranges.append((first, first + count - 1) if count else (first, first + 1))
    return ranges


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]


def _git(folder: str | os.PathLike[str], *arguments: str, settings: Sequence[str] = ()) -> bytes:
    """Return what git prints, with some of its settings empty."""
    environment = {
        **os.environ,
        **{"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"},
        # What is missing in a partial clone would be fetched by programs that its settings name.
        **{"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"},
    }
    for name in ("GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS"):
        environment.pop(name, None)
    # By the environment, since the name of a filter may have any characters.
    given = environment.get("GIT_CONFIG_COUNT", "")
    first = int(given) if given.isdecimal() else 0
    for number, name in enumerate(settings, start=first):
        environment[f"GIT_CONFIG_KEY_{number}"] = name
        environment[f"GIT_CONFIG_VALUE_{number}"] = ""
    if settings:
        environment["GIT_CONFIG_COUNT"] = str(first + len(settings))
    command = ["git", "-C", os.fspath(folder), "--no-pager", *_SAFE, *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, env=environment, timeout=_SECONDS, check=False
        )
    except FileNotFoundError:
        raise DataError("--since needs git, which is not installed here") from None
    except subprocess.TimeoutExpired:
        raise DataError(f"git took more than {_SECONDS} seconds") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or "no reason"
        raise DataError(f"git says: {said}")
    return done.stdout

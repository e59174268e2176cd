"""Files that commands write."""

from __future__ import annotations

from pathlib import Path

from treekernels.cli.shared.problem import Problem

__all__ = ["check_folder"]


def check_folder(path: str) -> None:
    """Complain early if a file cannot be where it is wanted."""
    if not Path(path).absolute().parent.is_dir():
        raise Problem(f"there is no folder {Path(path).parent} to put {Path(path).name} in")

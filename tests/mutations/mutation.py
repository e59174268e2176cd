"""A mistake that the tests must notice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Mutation", "native", "python"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Mutation:
    """A mistake: what it does, where, and who should notice."""

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    @property
    def native(self) -> bool:
        """Whether the core has to be built again."""
        return self.file.startswith("cpp/")

    @property
    def room(self) -> str:
        """Its folder."""
        return self.file.removeprefix("src/treekernels/").rpartition("/")[0] or self.file


def python(room: str, name: str, text: str, replacement: str, *tests: str) -> Mutation:
    """Return a mistake in the one file of a room of Python that has this text."""
    return _mutation(Path("src/treekernels", room), name, text, replacement, tests)


def native(room: str, name: str, text: str, replacement: str, *tests: str) -> Mutation:
    """Return a mistake in the one file of a room of C++ that has this text."""
    return _mutation(Path("cpp", room), name, text, replacement, tests)


def _mutation(
    room: Path, name: str, text: str, replacement: str, tests: tuple[str, ...]
) -> Mutation:
    """Return a mistake whose file is found by its text, so that files may move within a room.

    Where no file has it, or several do, the room itself stands for the file.
    """
    files = [room] if (ROOT / room).is_file() else _files(room)
    having = [file for file in files if text in (ROOT / file).read_text(encoding="utf-8")]
    file = having[0] if len(having) == 1 else room
    paths = tuple(f"tests/{test}" for test in tests)
    return Mutation(name, file.as_posix(), text, replacement, paths)


@cache
def _files(room: Path) -> list[Path]:
    folder = ROOT / room
    return [
        path.relative_to(ROOT)
        for path in sorted(folder.rglob("*.*"))
        if path.suffix in (".py", ".cpp", ".hpp")
    ]

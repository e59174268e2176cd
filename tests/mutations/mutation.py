"""A mistake that the tests must notice."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Mutation", "native", "python"]


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


def python(room: str, name: str, text: str, replacement: str, *tests: str, file: str) -> Mutation:
    """Return a mistake in a room of Python, or in none."""
    path = f"src/treekernels/{room}/{file}" if room else f"src/treekernels/{file}"
    return Mutation(name, path, text, replacement, tuple(f"tests/{test}" for test in tests))


def native(room: str, name: str, text: str, replacement: str, *tests: str, file: str) -> Mutation:
    """Return a mistake in a room of C++."""
    paths = tuple(f"tests/{test}" for test in tests)
    return Mutation(name, f"cpp/{room}/{file}", text, replacement, paths)

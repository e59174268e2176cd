"""Where data is read from: files, folders, patterns such as ``src/**/*.py``; and their formats.

``-`` is standard input. Folders are read with all folders below them.
"""

from __future__ import annotations

import errno
import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from treekernels.errors import DataError, ParameterError
from treekernels.io.formats import FORMATS, format_of, known_extension
from treekernels.io.reading.input.bad_input import Problems
from treekernels.io.reading.input.lines import PathLike, StandardInput, lines_of

Source: TypeAlias = PathLike | Iterable[PathLike]

_SIGNS = (
    ("kelp", re.compile(r"\|B[A-Z]+:[^|\s]*\|")),
    ("svmlight-tk", re.compile(r"\|(?:BT|BV|STD)\|")),
    ("kelp", re.compile(r"\|B[A-Z]+\|")),
    ("tsv", re.compile(r"\t")),
    (
        "svmlight-tk",
        re.compile(r"^[-+]?[\d.]+(?: +(?:qid|sid|cost):\S+)*(?: +\d+:\S+)+ *(?:#.*)?$"),
    ),
)


_BESIDE_OTHERS = ("toml", "yaml")
"""Formats of settings: in a folder they are passed over if there is anything else."""


class SourceFile(NamedTuple):
    """A file, and the folder that it was found in if that was given as a whole."""

    path: Any
    within: Path | None = None

    @property
    def folder(self) -> str:
        """The folder that labels the file: the first below the given one, or the one it is in."""
        path = Path(os.path.abspath(self.path))  # where a link stands, not where it leads
        if self.within is not None:
            below = path.relative_to(os.path.abspath(self.within)).parts
            if len(below) > 1:
                return below[0]
        return path.parent.name

    @property
    def stem(self) -> str:
        """The name of the file without its extension."""
        return Path(str(self.path).removesuffix(".gz")).stem


def files_of(source: Source, format: str | None = None) -> tuple[list[SourceFile], bool]:
    """Return the files that a source stands for, and whether it may stand for several.

    Parameters
    ----------
    source : path, or list of paths
    format : str, optional
        The format of the files to look for in folders; by default any, but the same for all.
    """
    if isinstance(source, str | os.PathLike):
        if str(source) == "-":
            return [SourceFile(StandardInput())], False
        files = list(_files_at(source, format))
        several = len(files) != 1 or Path(files[0].path) != Path(source)
        return files, several
    if isinstance(source, StandardInput):
        return [SourceFile(source)], False
    if not isinstance(source, Iterable):
        raise ParameterError(
            f"a path or a list of paths was expected, and not a {type(source).__name__}"
        )
    files = []
    for item in source:
        if not isinstance(item, str | os.PathLike):
            raise ParameterError(f"{item!r:.60} is not a path, and lists hold paths")
        files.extend(files_of(item, format)[0])
    if not files:
        raise DataError("the list of files is empty")
    return files, True


def _files_at(source: PathLike, format: str | None) -> Iterator[SourceFile]:
    path = Path(source)
    if path.is_dir():
        yield from _in_folder(path, format)
    elif path.exists() or not glob.has_magic(str(source)):
        if str(source).lstrip().startswith("(") and not path.exists():
            raise DataError(
                f"{str(source)!r:.60} is a tree, and not the name of a file: "
                "tk.Forest.from_brackets([text]) makes a forest of texts"
            )
        yield SourceFile(source)
    else:
        matching = sorted(glob.glob(str(source), recursive=True))
        files = [SourceFile(match) for match in matching if not Path(match).is_dir()]
        if files:
            yield from files
            return
        for match in matching:
            yield from _in_folder(Path(match), format)
        if not matching:
            raise FileNotFoundError(errno.ENOENT, "no file matches this pattern", str(source))


def _in_folder(folder: Path, format: str | None) -> list[SourceFile]:
    paths = [path for path in sorted(folder.rglob("*")) if _is_wanted(path, folder)]
    return [SourceFile(path, folder) for path in fitting_files(folder, paths, format)]


def fitting_files(folder: Path, paths: list[Path], format: str | None) -> list[Path]:
    """Return those files of a folder that are of a format, which must be the same for all.

    If the name of no file says its format, these are all files.
    """
    if format is not None:
        extensions = FORMATS[format].extensions if format in FORMATS else ()
        fitting = [path for path in paths if known_extension(path) in extensions]
        paths = fitting or paths
    else:
        known = [path for path in paths if known_extension(path)]
        alone = [path for path in known if format_of(path) not in _BESIDE_OTHERS]
        known = alone or known
        if len({format_of(path) for path in known}) > 1:
            counts = Counter(map(format_of, known))
            listed = ", ".join(f"{name}: {counts[name]}" for name in sorted(counts))
            (most, _), *_ = counts.most_common(1)
            example = next(known_extension(path) for path in known if format_of(path) == most)
            all_code = set(counts) <= {"python", "tree-sitter"}
            remedy = "say which with format=..."
            if all_code:
                remedy = "format='tree-sitter' reads them all"
            raise DataError(
                f"{folder} has files of several formats ({listed}): {remedy}, or "
                f"give a pattern such as {folder / '**' / ('*' + example)}"
            )
        paths = known or paths
    if not paths:
        raise DataError(f"{folder} has no files to read")
    return paths


def _is_wanted(path: Path, folder: Path) -> bool:
    parts = path.relative_to(folder).parts
    hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
    return not hidden and path.is_file()


def sniffed_format(path: PathLike) -> str:
    """Return the format that a file seems to be of, by its extension or else its first line."""
    by_name = format_of(path)
    if by_name != "brackets":
        return by_name
    lines = (line for _, line in lines_of(path, Problems(skip=True)))
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if first.lstrip().startswith("("):
        entry, tab, _ = first.strip().partition("\t")
        return "tsv" if tab and entry.count("(") == entry.count(")") else by_name
    if first.lstrip().startswith("{"):
        return "jsonl"
    return next((format for format, sign in _SIGNS if sign.search(first)), by_name)

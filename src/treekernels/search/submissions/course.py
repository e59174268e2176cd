"""Submissions as they are handed in: folders and files, each read as one tree of all its files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treekernels.common.progress import Progress
from treekernels.common.text import byte_count
from treekernels.data.forest import Forest
from treekernels.data.tree import Tree
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import FORMATS, known_extension
from treekernels.io.reading.input.sources import sniffed_format
from treekernels.io.reading.read import read
from treekernels.io.reading.trees.tree_builder import Builder
from treekernels.search.duplicates.files.choice import LARGEST
from treekernels.search.submissions.syntax import language_of, syntax_nodes, text_of

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

ROOT = "-SUBMISSION-"
"""The label of the node over all files of a submission."""

NOT_THEIRS = {
    *("node_modules", "bower_components", "site-packages", "vendor", "venv", "env", "target"),
    *("build", "dist", "out", "bin", "obj", "__pycache__", "__MACOSX"),
}
"""Folders of what students have installed or built, but not written."""

_FEWEST_NODES = 10  # with less there is nothing to compare

_OTHER_FORMATS = ("xml", "html", "json", "penn", "conllu", "brackets")


@dataclass
class SourceText:
    """A file of a submission.

    Attributes
    ----------
    name : str
        Its path within the submission.
    text : str
    spans : array of shape (nodes, 2)
        The bytes of each node of its tree, in the order of an `Outline`; of no node if the format
        does not tell.
    """

    name: str
    text: str
    spans: NDArray[np.int64]


@dataclass
class Submission:
    """What one student, or one group, has handed in."""

    name: str
    files: list[SourceText] = field(default_factory=list)

    @property
    def n_lines(self) -> int:
        """How many lines that are not blank it has."""
        return sum(bool(line.strip()) for file in self.files for line in file.text.splitlines())


@dataclass
class Course:
    """Submissions, and the tree of each.

    Attributes
    ----------
    submissions : list of Submission
    trees : Forest
        The files of a submission are the children of the root of its tree.
    left_out : list of str
        A sentence for everything that was not read.
    """

    submissions: list[Submission]
    trees: Forest
    left_out: list[str]

    def __len__(self) -> int:
        return len(self.submissions)


def read_course(paths: Paths, *, progress: Progress | None = None) -> Course:
    """Read the submissions in a folder, each of which is a folder or a file in it.

    Several paths are one submission each. Folders and files whose names begin with a dot are
    passed over, and so are those of packages and builds, in `NOT_THEIRS`.

    Raises
    ------
    DataError
        If there is nothing that can be read.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    places = [Path(path) for path in given]
    missing = next((path for path in places if not path.exists()), None)
    if missing is not None:
        raise FileNotFoundError(2, "there is no such file or folder", str(missing))
    if len(places) == 1 and places[0].is_dir():
        entries = sorted(
            path for path in places[0].iterdir() if _is_wanted(path) and not path.is_symlink()
        )
    else:
        entries = places
    files = {entry: list(_files_of(entry)) for entry in entries}
    wanted = _wanted_files([file for several in files.values() for file in several])
    reader = _Reader()
    names = _names(entries)
    for number, (entry, name) in enumerate(zip(entries, names, strict=True)):
        if progress is not None:
            progress(number, len(entries))
        reader.add(name, entry, [file for file in files[entry] if wanted(file)])
    if not reader.submissions:
        reasons = "".join(f"; {sentence}" for sentence in reader.sentences()[:3])
        raise DataError(f"{places[0]} has no submissions that can be read{reasons}")
    return Course(reader.submissions, reader.builder.forest("code"), reader.sentences())


class _Reader:
    """Reads one submission after the other."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.submissions: list[Submission] = []
        self.problems: list[str] = []
        self.without_grammar: dict[str, tuple[str, int]] = {}
        self.unread: list[str] = []
        self.nodes = 0

    def add(self, name: str, entry: Path, files: list[Path]) -> None:
        """Read a submission, if there is anything to read in it."""
        submission = Submission(name)
        self.nodes = 0  # of this one
        is_known = False  # why nothing of it can be read
        self.builder.open(ROOT)
        for file in files:
            shown = str(file.relative_to(entry)) if file != entry else file.name
            source = self._source(file, shown)
            if source is None:
                is_known = True
            else:
                submission.files.append(source)
        if self.nodes >= _FEWEST_NODES:
            self.builder.close()
            self.submissions.append(submission)
        else:
            self.builder.abandon()
            if not is_known:
                self.unread.append(name)

    def _source(self, file: Path, shown: str) -> SourceText | None:
        language = language_of(file)
        mistakes: list[ParseError] = []
        try:
            if file.stat().st_size > LARGEST:
                raise DataError(f"it has more than {byte_count(LARGEST)}")
            if language is None:
                return self._other(file, shown)
            text = text_of(file)
            nodes = syntax_nodes(text, language, str(file), mistakes)
        except ImportError as error:
            count = self.without_grammar.get(str(language), ("", 0))[1]
            self.without_grammar[str(language)] = str(error), count + 1
            return None
        except (ParseError, OSError, DataError) as error:
            self.problems.append(f"{file} was left out: {error}")
            return None
        if mistakes:
            self.problems.append(f"{mistakes[0]}; the rest was read")
        self.nodes += len(nodes)
        waiting: list[int] = []  # how many children each open node still wants
        for node in nodes:
            self.builder.open(node.kind)
            waiting.append(node.n_children)
            while waiting and waiting[-1] == 0:
                self.builder.close()
                waiting.pop()
                if waiting:
                    waiting[-1] -= 1
        spans = np.array([(node.begin, node.end) for node in nodes], np.int64)
        return SourceText(shown, text, spans)

    def _other(self, file: Path, shown: str) -> SourceText:
        """Read a file of another format, whose trees do not know their places."""
        table = read(str(file), sniffed_format(file))
        trees = table if isinstance(table, Forest) else _column_of_trees(table, file)
        self.builder.open("file")
        for tree in trees:
            self.nodes += tree.size
            _copy(self.builder, tree)
        self.builder.close()
        return SourceText(shown, text_of(file), np.empty((0, 2), np.int64))

    def sentences(self) -> list[str]:
        """Say what was left out."""
        said = [
            f"{count:,} of the files were left out: {reason}"
            for reason, count in self.without_grammar.values()
        ]
        if self.unread:
            names = ", ".join(self.unread[:5]) + (" ..." if len(self.unread) > 5 else "")
            said.append(
                f"{len(self.unread):,} with next to nothing to compare were left out: {names}"
            )
        return said + self.problems


def _column_of_trees(table: object, file: Path) -> Forest:
    columns: Iterable[object] = getattr(table, "values", tuple)()
    forest = next((column for column in columns if isinstance(column, Forest)), None)
    if forest is None:
        raise DataError(f"{file} has no trees")
    return forest


def _copy(builder: Builder, tree: Tree) -> None:
    stack: list[Tree | None] = [tree]
    while stack:
        node = stack.pop()
        if node is None:
            builder.close()
            continue
        builder.open(node.label)
        stack.append(None)
        stack.extend(reversed(node.children))


def _is_wanted(path: Path) -> bool:
    return not path.name.startswith(".") and path.name not in NOT_THEIRS


def _files_of(entry: Path) -> Iterator[Path]:
    """Yield the files of a submission, in the order of their names, and no links to elsewhere."""
    if entry.is_file():
        yield entry
    for folder, folders, names in os.walk(entry):
        folders[:] = sorted(name for name in folders if _is_wanted(Path(name)))
        for name in sorted(names):
            path = Path(folder, name)
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _wanted_files(files: Iterable[Path]) -> Callable[[Path], bool]:
    """Return which files to read: code, or where there is none at all, other trees."""
    if any(language_of(file) is not None for file in files):
        return lambda file: language_of(file) is not None
    others = {end for name in _OTHER_FORMATS for end in FORMATS[name].extensions}
    return lambda file: known_extension(file) in others


def _names(entries: Sequence[Path]) -> list[str]:
    """Return the shortest names that tell submissions apart."""
    names = [entry.stem if entry.is_file() else entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        names = [str(entry) for entry in entries]
    return names

"""``treekernels index build|frequencies|weights|add|update|info``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem, check_files, check_folder
from treekernels.common.screen import Screen, plain
from treekernels.common.text import byte_count, count_noun

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from treekernels.search.duplicates.searched_files import SearchedFiles, Update
    from treekernels.search.tree_index import TreeIndex


@click.group("index", short_help="Make an index of trees to search in.")
def command() -> None:
    """Make an index of trees for `treekernels search`.

    \b
    Examples:
      treekernels index build code.tki src          every function below a folder
      treekernels index build trees.tki data.tsv    every tree of a file
      treekernels index build texts.tki texts.txt --parser spacy:en_core_web_sm
      treekernels index add code.tki other/src      add more, without building anew
      treekernels index update code.tki             read what has changed since
      treekernels index info code.tki
      treekernels index frequencies rare.tkw other/code
      treekernels index weights telling.tkw labelled.tsv
      treekernels index build code.tki src --frequencies rare.tkw
    """


@command.command("build", short_help="Make an index of files.")
@click.argument("path", metavar="INDEX")
@options.data_argument()
@options.kernel("auto")
@options.frequencies
@options.file_format
@options.reader
@options.skip_bad
@options.parsing
@options.jobs
@options.quiet
def build(
    path: str,
    data: tuple[str, ...],
    kernel: str | None,
    frequencies: str | None,
    jobs: int,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Make the file INDEX from the trees in DATA. Code is read by functions, a page as a whole.

    Without --kernel, the kernel is chosen by what the trees are: code, pages, documents or
    sentences. For code, features that are rare in the first trees weigh more, and the index keeps
    these weights when you add further trees; --frequencies takes them from elsewhere.
    """
    from treekernels.cli.shared.reading import remember_reading
    from treekernels.io.files.lock import locked
    from treekernels.kernels.expressions.parsing import parse_kernel
    from treekernels.search.duplicates.searched_files import SearchedFiles
    from treekernels.search.tree_index import TreeIndex

    check_folder(path)
    chosen = None if kernel in (None, "auto") else parse_kernel(str(kernel))
    if frequencies is not None:
        from treekernels.cli.shared.columns import with_frequencies

        chosen = with_frequencies(chosen, frequencies)
    index, screen = TreeIndex(chosen, n_jobs=jobs), Screen(quiet=quiet)
    with locked(path):
        if "-" in data:
            _add(index, None, path, data, reading, screen)
            return
        kernel = str(kernel or "auto") if index.kernel.needs_fit else None
        files = SearchedFiles(list(data), dict(reading), kernel)
        check_files(data)
        index, _ = _updated(index, files, lambda: index, screen)
        if names := list(files.ids):
            remember_reading(index, names[:1], reading)
        index.save(path)
    screen.note(f"{count_noun(len(index), 'tree')} in {path}.")


@command.command("frequencies", short_help="Count how rare things are, for other indexes.")
@click.argument("path", metavar="FILE")
@options.data_argument()
@options.kernel("features")
@options.file_format
@options.reader
@options.skip_bad
@options.quiet
def frequencies(
    path: str,
    data: tuple[str, ...],
    kernel: str | None,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Count in how many trees of DATA each feature occurs, and write that to FILE.

    With --frequencies FILE, `treekernels index build` and `duplicates` let things weigh by how rare
    they are in DATA, rather than in the trees that are compared. That is best if those are few.
    """
    from treekernels.cli.shared.reading import read_pieces
    from treekernels.kernels import InverseDocumentFrequency
    from treekernels.kernels.expressions.parsing import parse_kernel
    from treekernels.persistence import save

    check_folder(path)
    screen = Screen(quiet=quiet)
    pieces = read_pieces(data, screen, reading)
    chosen = None if kernel is None else parse_kernel(kernel)
    table = InverseDocumentFrequency.learned_from(pieces.trees, chosen)
    save(table, path)
    screen.note(
        f"{len(table.frequencies or ()):,} features of {table.documents:,} trees in {path}."
    )


@command.command("weights", short_help="Learn what tells classes apart, for other indexes.")
@click.argument("path", metavar="FILE")
@options.data_argument()
@options.kernel("features")
@options.reading
@options.quiet
def weights(
    path: str,
    data: tuple[str, ...],
    kernel: str | None,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Learn from the labelled trees in DATA what each feature weighs, and write that to FILE.

    The fewer classes have a feature, the more it weighs, also between trees of other classes. Use
    FILE as that of `treekernels index frequencies`, with --frequencies FILE. With --label folder,
    programs in one folder are those that belong together.
    """
    from treekernels.cli.shared.reading import read_data
    from treekernels.kernels import LearnedWeights
    from treekernels.kernels.base.counted_features import CountedFeaturesKernel
    from treekernels.kernels.expressions.parsing import parse_kernel
    from treekernels.persistence import save

    check_folder(path)
    chosen = parse_kernel(kernel or "features")
    if not isinstance(chosen, CountedFeaturesKernel):
        raise Problem("no weights can be learned for this kernel: use features, pqgram or subpath")
    screen = Screen(quiet=quiet)
    examples = read_data(data, screen, **reading)
    table = LearnedWeights().fit(
        chosen.examples(examples.table).trees(chosen.on), examples.labels(), kernel=chosen
    )
    save(table, path)
    screen.note(
        f"{len(table.frequencies):,} features of {count_noun(len(examples), 'tree')} of "
        f"{count_noun(table.documents, 'class', 'classes')} in {path}."
    )


@command.command("add", short_help="Add files to an index.")
@click.argument("path", metavar="INDEX")
@options.data_argument()
@options.file_format
@options.reader
@options.skip_bad
@options.parsing
@options.jobs
@options.quiet
def add(
    path: str,
    data: tuple[str, ...],
    jobs: int,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Add the trees of more files to INDEX. A file takes the place of what was there of it."""
    from treekernels.io.files.lock import locked
    from treekernels.search.duplicates.searched_files import SearchedFiles
    from treekernels.search.tree_index import TreeIndex

    check_files([path])
    with locked(path):
        index = TreeIndex.load(path, verify=True, n_jobs=jobs)
        files = SearchedFiles.of(index, path)
        _add(index, files, path, data, reading, Screen(quiet=quiet))


@command.command("update", short_help="Bring an index up to date with its files.")
@click.argument("path", metavar="INDEX")
@click.argument("data", metavar="[DATA]...", nargs=-1)
@options.jobs
@options.quiet
def update(path: str, data: tuple[str, ...], jobs: int, quiet: bool) -> None:
    """Bring INDEX up to date with the files and folders that it was made of, and with DATA.

    Files that are new are added, those that have changed are read again, and those that are gone
    are removed. All others are not read. The index is the same as one that is built anew.
    """
    from treekernels.io.files.lock import locked
    from treekernels.kernels.expressions.parsing import parse_kernel
    from treekernels.search.duplicates.searched_files import SearchedFiles
    from treekernels.search.tree_index import TreeIndex

    check_files([path, *data])
    screen = Screen(quiet=quiet)
    with locked(path):
        index = TreeIndex.load(path, verify=True, n_jobs=jobs)
        files = SearchedFiles.of(index, path)
        if files is None:
            raise Problem(
                f"{path} does not know which files its trees are from: make it anew, with "
                "treekernels index build"
            )
        files.paths += [name for name in data if name not in files.paths]

        def new_index() -> TreeIndex:
            if files.kernel is None:
                return TreeIndex(index.kernel, n_jobs=jobs)
            kernel = None if files.kernel == "auto" else parse_kernel(files.kernel)
            return TreeIndex(kernel, n_jobs=jobs)

        updated, done = _updated(index, files, new_index, screen)
        if updated is not index or data:
            files.note_in(updated)
            updated.save(path)
    screen.note(
        f"{count_noun(len(updated), 'tree')} in {path}; {count_noun(done.new, 'file')} new, "
        f"{done.changed:,} changed, {done.gone:,} gone."
    )


@command.command("info", short_help="Say what is in an index.")
@click.argument("path", metavar="INDEX")
@click.option("--verify", is_flag=True, help="Read the whole file, and compare its checksum.")
@options.json
def info(path: str, verify: bool, as_json: bool) -> None:
    """Say what is in INDEX: how many trees, and the kernel that compares them."""
    from treekernels.search.tree_index import TreeIndex

    index = TreeIndex.load(path, verify=verify)
    screen, kernel = Screen(), _written(index)
    if as_json:
        screen.json({"trees": len(index), "kernel": kernel, "bytes": index.nbytes})
        return
    size = byte_count(Path(path).stat().st_size)
    screen.show(f"{len(index):,} trees, {size}, {plain(kernel)}")


def _updated(
    index: TreeIndex, files: SearchedFiles, new_index: Callable[[], TreeIndex], screen: Screen
) -> tuple[TreeIndex, Update]:
    """Return an index of files as they are now, and what that took."""
    from treekernels.cli.shared.reading import list_left_out, read_pieces

    reading = cast("options.Reading", files.reading)
    with screen.progress("index") as progress:
        updated, done = files.update(
            index, new_index, lambda names: read_pieces(names, screen, reading), progress
        )
    list_left_out([], done.left_out, screen)
    return updated, done


def _add(
    index: TreeIndex,
    files: SearchedFiles | None,
    path: str,
    data: tuple[str, ...],
    reading: options.Reading,
    screen: Screen,
) -> None:
    from treekernels.cli.shared.reading import as_remembered, read_pieces, remember_reading
    from treekernels.search.duplicates.searched_files import origin_of

    pieces = read_pieces(data, screen, as_remembered(index, data, reading, screen))
    if not len(index) and pieces.pieces:
        remember_reading(index, [pieces.pieces[0].file], reading)
    if files is None:
        ids = _new_ids([str(piece) for piece in pieces.pieces], index)
    else:
        ids = files.replace(index, pieces, data)
    with screen.progress("index") as progress:
        index.add(pieces.trees, ids, origins=list(map(origin_of, pieces.pieces)), progress=progress)
    index.save(path)
    screen.note(f"{count_noun(len(index), 'tree')} in {path}, {len(ids):,} of them new.")


def _written(index: TreeIndex) -> str:
    """Return the kernel as an expression, or as Python shows it if it has learned weights."""
    from treekernels.errors import TreeKernelsError
    from treekernels.kernels.expressions.parsing import format_kernel

    try:
        return format_kernel(index.kernel)
    except TreeKernelsError:
        return repr(index.kernel)


def _new_ids(names: list[str], index: TreeIndex) -> list[str]:
    """Return names that differ from each other and from those of the index: file and lines."""
    taken = set(index.ids)
    ids = []
    for name in names:
        number, id_ = 1, name
        while id_ in taken:
            number += 1
            id_ = f"{name}#{number}"
        taken.add(id_)
        ids.append(id_)
    return ids

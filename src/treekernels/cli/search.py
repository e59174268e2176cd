"""``treekernels search INDEX QUERY...``."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

import click

from treekernels.cli.shared import options
from treekernels.common.screen import Screen, new_table, plain

if TYPE_CHECKING:
    from typing_extensions import Unpack


@click.command("search", short_help="Find the trees of an index that are most similar to others.")
@click.argument("path", metavar="INDEX")
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@options.number("-n", "--hits", help="Number of trees to find for each query.", default=10)
@click.option(
    "--threshold", metavar="NUMBER", type=float,
    help="Find all trees that are at least this similar to the query, however many there are.",
)  # fmt: skip
@options.file_format
@options.reader
@options.parsing
@options.jobs
@options.json
@options.quiet
def command(
    path: str,
    queries: tuple[str, ...],
    hits: int,
    threshold: float | None,
    jobs: int,
    as_json: bool,
    quiet: bool,
    **reading: Unpack[options.Reading],
) -> None:
    """Find the trees of INDEX that are most similar to each QUERY.

    \b
    Examples:
      treekernels search code.tki parser.py                      each function of a file
      treekernels search trees.tki "(NP (D the) (N dog))" -n 3
      treekernels search code.tki parser.py --threshold 0.8 --json

    A QUERY is a tree in brackets, or a file or folder, which is read in the same way as the trees
    of the index. If the index was made of texts with --parser, a QUERY can also be a sentence.
    """
    from treekernels.cli.shared.reading import as_remembered, parsed_sentence, read_pieces
    from treekernels.data.forest import Forest, as_forest
    from treekernels.drawing.markup import visible_text
    from treekernels.search.tree_index import TreeIndex

    screen = Screen(quiet=quiet)
    index = TreeIndex.load(path, n_jobs=jobs)
    forests: list[Forest] = []
    names: list[str] = []
    for query in queries:
        if query.lstrip().startswith("("):
            forests.append(as_forest([query]))
            names.append(query if len(query) <= 60 else f"{query[:57]}...")
            continue
        remembered = as_remembered(index, [query], reading, screen)
        is_file = Path(query).exists() or glob.has_magic(query)
        parsed = None if is_file else parsed_sentence(query, screen, remembered)
        if parsed is not None:
            forests.append(parsed)
            names.append(query)
            continue
        pieces = read_pieces([query], screen, remembered)
        forests.append(pieces.trees)
        names += [
            f"{piece} {piece.name or ''} {piece.sentence or ''}".rstrip() for piece in pieces.pieces
        ]
    trees = Forest.concatenate(forests)
    X = trees if index.column is None else {index.column: trees}
    with screen.progress("search") as progress:
        if threshold is None:
            results = index.search(X, hits, progress=progress)
        else:
            results = index.within(X, threshold, progress=progress)
    if as_json:
        screen.json(
            [
                {
                    "query": name,
                    "hits": [
                        {"id": h.id, "similarity": h.similarity, **index.origin(h.id)}
                        for h in nearest
                    ],
                }
                for name, nearest in zip(names, results, strict=True)
            ]
        )
        return
    for name, nearest in zip(names, results, strict=True):
        origins = [index.origin(hit.id) for hit in nearest]
        keys = [key for key in ("name", "text") if any(key in origin for origin in origins)]
        table = new_table(">similarity", "found", *keys, title=plain(visible_text(name)))
        for hit, origin in zip(nearest, origins, strict=True):
            texts = (str(hit.id), *(origin.get(key, "") for key in keys))
            table.add_row(f"{hit.similarity:.4f}", *(plain(visible_text(text)) for text in texts))
        screen.show(table)

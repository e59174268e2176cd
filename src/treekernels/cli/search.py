"""``treekernels search INDEX QUERY...``."""

from __future__ import annotations

from typing import Any

import click

from treekernels.cli.shared.options import (
    format_option,
    jobs_option,
    json_option,
    quiet_option,
    reader_option,
)

__all__ = ["command"]


@click.command("search", short_help="Find the trees of an index that are most like others.")
@click.argument("path", metavar="INDEX")
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@click.option(
    "-n", "--hits", metavar="NUMBER", type=click.IntRange(min=1), default=10, show_default=True,
    help="How many to find for each query.",
)  # fmt: skip
@click.option(
    "--threshold", metavar="NUMBER", type=float,
    help="Find all that are at least this similar to the query, however many there are.",
)  # fmt: skip
@format_option
@reader_option
@jobs_option
@json_option
@quiet_option
def command(
    path: str,
    queries: tuple[str, ...],
    hits: int,
    threshold: float | None,
    format_: str | None,
    reader_options: tuple[str, ...],
    jobs: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the trees of INDEX that are most like each QUERY.

    \b
    Examples:
      treekernels search code.tki parser.py                      each function of a file
      treekernels search trees.tki "(NP (D the) (N dog))" -n 3
      treekernels search code.tki parser.py --threshold 0.8 --json

    A QUERY is a tree in brackets, or a file or folder, which is read as the trees of the index
    were.
    """
    from treekernels.cli.shared.pieces import pieces_of
    from treekernels.cli.shared.remembered_reading import as_remembered
    from treekernels.common.screen import Screen, new_table, plain
    from treekernels.data.forest import Forest, as_forest
    from treekernels.drawing.markup import shown
    from treekernels.search.tree_index import TreeIndex

    screen = Screen(quiet=quiet)
    index = TreeIndex.load(path, n_jobs=jobs)
    forests: list[Forest] = []
    names: list[str] = []
    reading = {"format_": format_, "reader_options": reader_options}
    for query in queries:
        if query.lstrip().startswith("("):
            forests.append(as_forest([query]))
            names.append(query if len(query) <= 60 else f"{query[:57]}...")
        else:
            known = as_remembered(index, [query], reading, screen)
            found = pieces_of([query], screen, known["format_"], known["reader_options"], False)
            forests.append(found.trees)
            names += [_name(piece) for piece in found.pieces]
    asked = Forest.concatenate(forests)
    X = asked if index.column is None else {index.column: asked}
    with screen.progress("search") as progress:
        if threshold is None:
            results = index.search(X, hits, progress=progress)
        else:
            results = index.within(X, threshold, progress=progress)
    if as_json:
        listed: list[dict[str, Any]] = [
            {
                "query": name,
                "hits": [{"id": hit.id, "similarity": hit.similarity} for hit in found_hits],
            }
            for name, found_hits in zip(names, results, strict=True)
        ]
        screen.json(listed)
        return
    for name, found_hits in zip(names, results, strict=True):
        table = new_table(">similarity", "found", title=plain(shown(name)))
        for hit in found_hits:
            table.add_row(f"{hit.similarity:.4f}", plain(shown(str(hit.id))))
        screen.show(table)


def _name(piece: Any) -> str:
    return str(piece) if piece.name is None else f"{piece} {piece.name}"

"""The part of the demo that searches: functions of one package that nearly equal another's."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import treekernels as tk
from treekernels.demo.functions import names_of_functions

if TYPE_CHECKING:
    from treekernels.common.screen import Screen

_THRESHOLD = 0.5
_SHOWN = 6


def show_search(forest: tk.Forest, jobs: int, screen: Screen) -> None:
    """Search for near-copies across packages, and say how long it took."""
    from treekernels.common.screen import new_table, plain
    from treekernels.common.text import seconds

    names = names_of_functions()
    start = time.perf_counter()
    with screen.progress("searching"):
        # Rare productions weigh more, and repeats count less: functions are large trees.
        index = tk.TreeIndex(tk.SubsetTreeKernel(weights="idf", counts="log"), n_jobs=jobs)
        index.add(forest)
        built = time.perf_counter()
        pairs = index.duplicates(_THRESHOLD)
        done = time.perf_counter()
    abroad = [
        pair
        for pair in sorted(pairs, key=lambda pair: -pair.similarity)
        if names[pair.first].partition(".")[0] != names[pair.second].partition(".")[0]
    ]
    table = new_table(
        ">similarity", "a function", "and one of another package", title="Which are nearly alike"
    )
    for pair in abroad[:_SHOWN]:
        table.add_row(f"{pair.similarity:.3f}", plain(names[pair.first]), plain(names[pair.second]))
    screen.show(
        "",
        table,
        f"An index of these functions took {seconds(built - start)} to build, and all "
        f"{len(pairs):,} pairs whose similarity is at least {_THRESHOLD:g} took "
        f"{seconds(done - built)}; {len(abroad):,} of them are between packages. On folders of "
        "your own: treekernels duplicates FOLDER",
    )

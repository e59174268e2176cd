"""The demo itself: what is compared, and what the screen says about it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import treekernels as tk
from treekernels.demo.functions import PACKAGES, functions, names_of_functions
from treekernels.demo.learners import LEARNERS, TREES, WORDS, Chosen, Task, task_of

if TYPE_CHECKING:
    from rich.table import Table

    from treekernels.common.screen import Screen

__all__ = ["main"]

_FRAGMENTS = 2  # of each package
_THRESHOLD = 0.5  # of pairs that are nearly alike
_SHOWN = 6


def main(
    jobs: int = -1, save: str | None = None, report: str | None = None, explore: str | None = None
) -> None:
    """Compare learners, and print what they achieve.

    The functions and a report are saved in the files `save` and `report`, the model and the test
    functions in the folder `explore`.
    """
    from treekernels.common.screen import Screen, new_table
    from treekernels.common.text import seconds

    screen = Screen()
    start = time.perf_counter()
    with screen.progress("reading Python's standard library"):
        forest, labels = functions()
        bare, _ = functions(hidden=True)
    screen.show(
        f"[bold]From which package does a function come?[/bold] {len(forest):,} functions of "
        f"Python's standard library as syntax trees of {forest.n_nodes:,} nodes, from "
        f"{len(PACKAGES)} packages: {', '.join(PACKAGES)}. "
        f"(Read in {seconds(time.perf_counter() - start)}. One third is held out for testing; "
        "the settings are chosen on a third of the others.)\n"
        "Trees are compared by the subset-tree kernel (sst). In the support vector machines the "
        "subtree kernel (st) is added; productions are weighted (idf), and counts are damped. Bags "
        "of words are weighted by TF-IDF and go into scikit-learn's linear SVM."
    )
    written, without_names = task_of(forest, labels, jobs), task_of(bare, labels, jobs)
    table = new_table("", ">accuracy", ">names hidden", ">learned in", ">predicted in")
    outcomes: dict[str, tuple[Chosen, Chosen]] = {}
    with screen.progress("learning") as moving:
        for number, (name, learner) in enumerate(LEARNERS.items()):
            named, nameless = outcomes[name] = (
                learner.choose(written),
                learner.choose(without_names),
            )
            figures = (f"{named.accuracy:.3f}", f"{nameless.accuracy:.3f}")
            table.add_row(
                name, *figures, seconds(named.fit_seconds), seconds(named.predict_seconds)
            )
            if moving is not None:
                moving(number + 1, len(LEARNERS))
    screen.show(table, _conclusion(outcomes), "")
    with screen.progress("fragments"):
        heaviest = _heaviest(*outcomes[TREES])
    screen.show(heaviest)
    _show_search(forest, jobs, screen)
    if save is not None:
        tk.write(save, tk.Table({"label": labels, "tree": forest}), "tsv")
        screen.show(f"\nThe functions are in {save}. Try: treekernels evaluate {save}")
    if report is not None:
        _report(report, written, outcomes, screen)
    if explore is not None:
        command = _explorable(Path(explore), written, outcomes[TREES][0])
        screen.show("\nTo explore in your browser what was learned, and what it was tested on:")
        screen.lines([f"  {command}"])  # in one piece, however long it is


def _conclusion(outcomes: dict[str, tuple[Chosen, Chosen]]) -> str:
    named, nameless = (
        [outcomes[name][part].accuracy for name in (WORDS, TREES)] for part in (0, 1)
    )
    return (
        "The names in a function give its package away. A bag of words has them all and gets "
        f"{named[0]:.1%} of the functions right; the trees, which have them too, {named[1]:.1%}. "
        "If you hide names and constants, only the form of the code is left: then the words get "
        f"{nameless[0]:.0%}, and the trees {nameless[1]:.0%}."
    )


def _heaviest(*machines: Chosen) -> Table:
    """List the fragments that weigh most for each package, with names and without."""
    from treekernels.common.screen import new_table, plain

    table = new_table("package", "what speaks for it", "with names hidden", title="What decides")
    lists = [tk.explain(machine.model, top=_FRAGMENTS) for machine in machines]
    for package in PACKAGES:
        # Once each: the kernel is a sum, in which a fragment may have a weight in both parts.
        texts = [
            dict.fromkeys(plain(item.text) for item in listed if item.class_ == package)
            for listed in lists
        ]
        for row, pair in enumerate(zip_longest(*texts, fillvalue="")):
            table.add_row(package if row == 0 else "", *pair)
    return table


def _explorable(folder: Path, task: Task, machine: Chosen) -> str:
    """Write the model and what it was tested on, and return the command to look at both."""
    folder.mkdir(parents=True, exist_ok=True)
    model, test = folder / "model.tkm", folder / "test.tsv"
    tk.save(machine.model, model)
    functions = tk.Table({"label": task.labels[task.test], "tree": task.X["tree"][task.test]})
    tk.write(test, functions, "tsv")
    command = "treekernels"
    if shutil.which(command) is None:  # as after `make demo`, in an environment of its own
        command = f"{os.path.relpath(sys.executable)} -m treekernels"
    return f"{command} explore {model} {test}"


def _report(
    path: str, task: Task, outcomes: dict[str, tuple[Chosen, Chosen]], screen: Screen
) -> None:
    """Write a page about all learners, and about the SVM on trees in particular."""
    from treekernels.common.text import seconds
    from treekernels.report import ScoreTable, Split, study, write_report

    rows = [
        [name, f"{named.accuracy:.3f}", f"{nameless.accuracy:.3f}", seconds(named.fit_seconds),
         seconds(named.predict_seconds), named.settings]
        for name, (named, nameless) in outcomes.items()
    ]  # fmt: skip
    headings = ["", "accuracy", "names hidden", "learned in", "predicted in", "settings"]
    best = outcomes[TREES][0]
    X, labels = task.X["tree"], task.labels
    split = Split(
        best.model, X[task.train], labels[task.train], X[task.test], labels[task.test],
        best.predicted,
    )  # fmt: skip
    with screen.progress("report") as moving:
        contents = study(
            [split],
            ScoreTable(headings, rows, _conclusion(outcomes)),
            title="From which package does a function come?",
            facts={
                "data": f"{len(X):,} functions of Python's standard library as syntax trees of "
                f"{X.n_nodes:,} nodes",
                "learned from": f"{len(task.train):,} functions; of these {len(task.check):,} "
                "for choosing settings",
                "tested on": f"{len(task.test):,} functions",
                "shown below": f"TreeSVC, {best.settings}, functions as written",
            },
            progress=moving,
        )
        write_report(path, contents)
    screen.show(f"\nPictures of all this are in {path}.")


def _show_search(forest: tk.Forest, jobs: int, screen: Screen) -> None:
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

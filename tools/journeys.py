"""How far five common calls travel through the package, on twelve trees.

For each journey it prints how many files of treekernels it visits, how many Python calls into them
it makes, and how often one call is in another file than the call before it. Imports are done
first and do not count. ``docs/architecture.md`` draws the journeys with these numbers:

    .venv/bin/python tools/journeys.py            # the table
    .venv/bin/python tools/journeys.py TreeSVC    # the calls of one journey, in order
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import treekernels as tk
from treekernels.cli.main import main as command_line

PACKAGE = str(Path(tk.__file__).parent) + os.sep
TEXTS = [
    f"({root} (NP (D the) (N {noun})) (VP (V {verb})))"
    for root, verb in (("S", "barks"), ("SQ", "bark"))
    for noun in ("dog", "cat", "cow", "hen", "fox", "owl")
]
LABELS = ["statement"] * 6 + ["question"] * 6


def journeys(folder: Path) -> dict[str, Callable[[], object]]:
    """Return what is called, by name."""
    forest = tk.Forest.from_brackets(TEXTS)
    kernel = tk.SubsetTreeKernel()
    learned = tk.TreeSVC(kernel, random_state=0).fit(forest, LABELS)
    online = tk.TreePerceptron(kernel).partial_fit(forest, LABELS)
    data = folder / "trees.tsv"
    data.write_text(
        "".join(f"{label}\t{text}\n" for label, text in zip(LABELS, TEXTS, strict=True))
    )

    def add_and_search() -> None:
        index = tk.TreeIndex(kernel)
        index.add(forest)
        index.search(forest)

    def fit_in_a_shell() -> None:
        out = io.StringIO()
        with (
            contextlib.suppress(SystemExit),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            command_line(["fit", str(data), str(folder / "model.tkm")])

    return {
        "kernel(forest)": lambda: kernel(forest),
        "TreeSVC(kernel).fit(forest, y)": lambda: tk.TreeSVC(kernel, random_state=0).fit(
            forest, LABELS
        ),
        "tk.explain(model)": lambda: tk.explain(learned),
        "TreeIndex(kernel): add and search": add_and_search,
        "treekernels fit": fit_in_a_shell,
        "model.predict(forest[:1])": lambda: learned.predict(forest[:1]),
        "learner.partial_fit(forest[:1], y[:1])": lambda: online.partial_fit(
            forest[:1], LABELS[:1]
        ),
    }


def calls_of(journey: Callable[[], object]) -> list[tuple[str, str]]:
    """Return the file and the name of each function of the package that a journey calls."""
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE):
            calls.append((code.co_filename.removeprefix(PACKAGE), code.co_name))

    sys.setprofile(note)
    try:
        journey()
    finally:
        sys.setprofile(None)
    return calls


def main() -> None:
    chosen = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        if chosen is None:
            print(f"{'journey':46} {'files':>5} {'calls':>6} {'changes':>8}")
        for name, journey in journeys(Path(folder)).items():
            if chosen is not None and chosen not in name:
                continue
            journey()  # the first time, modules are imported
            calls = calls_of(journey)
            if chosen is not None:
                print("\n".join(f"{file}: {function}" for file, function in calls))
                continue
            files = [file for file, _ in calls]
            changes = sum(a != b for a, b in pairwise(files))
            print(f"{name:46} {len(set(files)):5} {len(files):6} {changes:8}")


if __name__ == "__main__":
    main()

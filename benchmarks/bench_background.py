"""Whether the standard library of Python is a good background for finding Python functions.

Functions of the packages that this one depends on, without their names, among which the others of
the same name in other files are to come first (MAP@R): among all of them, and among 40. What is
rare is counted in the functions themselves, or in the standard library.
"""

from __future__ import annotations

import re
import sysconfig
import time
from pathlib import Path
from typing import Any

import numpy as np

import treekernels as tk
from common import Row, arguments, report, say

NOTES = [
    "TreeFeaturesKernel; functions of 25 to 2,000 nodes; none such as __init__ is asked for.",
    "few: mean of 20 draws of 20 names, two functions of each, and its standard error.",
]
PACKAGES = ("sklearn", "click", "rich", "joblib")
LEFT_OUT = {"test", "tests", "idlelib", "site-packages", "dist-packages"}
DRAWS, NAMES = 20, 20
_ITS_NAME = re.compile(r"^(\(\w+) [^\s()]+")


def main() -> None:
    args = arguments(__doc__ or "", repeat=1)
    start = time.process_time()
    table = background()
    seconds = time.process_time() - start
    trees, names, files = functions()
    weights = {"none": None, "of the functions": "idf", "of the standard library": table}
    rows = []
    for label, weight in weights.items():
        kernel = tk.TreeFeaturesKernel(weights=weight)
        among_all = quality(kernel.fitted_on(trees)(trees), names, files)
        scores = []
        for draw in range(DRAWS):
            some = few(names, files, np.random.RandomState(draw))
            values = kernel.fitted_on(trees[some])(trees[some])
            scores.append(quality(values, names[some], files[some]))
        error = float(np.std(scores, ddof=1) / np.sqrt(DRAWS))
        rows.append(
            {
                "weights": label,
                f"all {len(trees):,}": among_all,
                "few": float(np.mean(scores)),
                "error": error,
            }
        )
        say(str(rows[-1]))
    counted: list[Row] = [{"functions": table.documents, "seconds": seconds}]
    report(__file__, args, {"MAP@R": rows, "Background": counted}, NOTES)


def background() -> tk.InverseDocumentFrequency:
    """Return the frequencies of what the functions of the standard library have."""
    return tk.InverseDocumentFrequency.learned_from(
        tk.read(sources(Path(sysconfig.get_path("stdlib"))), each="function", skip_bad=True)
    )


def sources(folder: Path) -> list[Path]:
    """Return the Python files below a folder, without tests and what is installed there."""
    paths = sorted(folder.rglob("*.py"))
    return [path for path in paths if not LEFT_OUT & set(path.relative_to(folder).parts)]


def functions() -> tuple[tk.Forest, Any, Any]:
    """Return functions without their names, the names, and the files that they are in."""
    root = Path(sysconfig.get_path("purelib"))
    paths = [path for name in PACKAGES for path in sources(root / name)]
    table = tk.read(paths, each="function", skip_bad=True)
    texts = [_ITS_NAME.sub(r"\1", text) for text in table["tree"].to_brackets()]
    trees = tk.Forest.from_brackets(texts)
    kept = (trees.sizes >= 25) & (trees.sizes <= 2000)
    names = np.array([str(name).rpartition(".")[2] for name in table["name"]], object)
    return trees[kept], names[kept], np.array(list(table["file"]), object)[kept]


def few(names: Any, files: Any, random: np.random.RandomState) -> Any:
    """Return two functions each of some names, in different files."""
    order = random.permutation(len(names))
    places: dict[str, list[int]] = {}
    for place in order:
        listed = places.setdefault(names[place], [])
        if len(listed) < 2 and all(files[place] != files[other] for other in listed):
            listed.append(int(place))
    pairs = [pair for name, pair in places.items() if len(pair) == 2 and not name.startswith("__")]
    return np.array(pairs[:NAMES]).ravel()


def quality(values: np.ndarray, names: Any, files: Any) -> float:
    """Return MAP@R of the functions that have others of their name in other files."""
    precisions = []
    for row, name in enumerate(names):
        elsewhere = files != files[row]
        right = (names == name) & elsewhere
        if not right.any() or name.startswith("__"):
            continue
        nearest = np.argsort(-np.where(elsewhere, values[row], -np.inf), kind="stable")
        hits = right[nearest[: right.sum()]]
        at = np.arange(1, len(hits) + 1)
        precisions.append(float((np.cumsum(hits) / at * hits).sum() / len(hits)))
    return float(np.mean(precisions))


if __name__ == "__main__":
    main()

"""What `import treekernels` adds to `import numpy`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Row, arguments, report, say, target

OWN = "treekernels"
# What is run for each: treekernels imports its parts when they are first asked for.
MODULES = {
    OWN: "import treekernels; treekernels.Forest, treekernels.SubsetTreeKernel, treekernels.read",
    "scipy.sparse": "import scipy.sparse",
    "sklearn.svm": "import sklearn.svm",
}
NOTES = [
    "Each time is the best of so many new interpreters, with the files in the system's cache",
    "and compiled to bytecode, as those of an installed package are.",
    "treekernels: with Forest, the kernels and read, as most programs use them.",
    "The other modules are there for scale. Times are beyond numpy, which was imported before.",
]
TIMED = """
import sys, time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
{statement}
end = time.perf_counter()
print(middle - start, end - middle, int("sklearn" in sys.modules))
"""


def main() -> None:
    args = arguments(__doc__ or "", repeat=10)
    if args.quick:
        args.trees, args.repeat = None, min(args.repeat, 3)  # no trees here to take a slice of
    say(f"imports, {args.repeat} of each")
    runs: dict[str, list[tuple[float, float, bool]]] = {module: [] for module in MODULES}
    with tempfile.TemporaryDirectory() as folder:
        for module in MODULES:
            timed(module, Path(folder))  # compiles
        for _ in range(args.repeat):
            for module, times in runs.items():
                times.append(timed(module, Path(folder)))
    numpy_ms = 1000 * min(run[0] for times in runs.values() for run in times)
    rows: list[Row] = [{"import": "numpy", "ms": numpy_ms, "ratio to numpy": 1.0}]
    for module, times in runs.items():
        ms = 1000 * min(run[1] for run in times)
        row = {"import": f"{module}, after numpy", "ms": ms, "ratio to numpy": ms / numpy_ms}
        rows.append(row | (target(ms, "ms", at_most=50.0) if module == OWN else {}))
    loaded = "is" if runs[OWN][0][2] else "is not"
    notes = [*NOTES, f"scikit-learn {loaded} imported along with treekernels."]
    report(__file__, args, {"Imports": rows}, notes)


def timed(module: str, bytecode: Path) -> tuple[float, float, bool]:
    """Import in a new interpreter; give the seconds of numpy, of the module beyond it, and sklearn.

    The last says whether scikit-learn was loaded in the end. Bytecode is kept in a folder.
    """
    command = [sys.executable, "-c", TIMED.format(statement=MODULES[module])]
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    first, second, loaded = done.stdout.split()
    return float(first), float(second), loaded == "1"


if __name__ == "__main__":
    main()

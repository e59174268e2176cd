"""Near-copies in repositories: `treekernels duplicates` as it comes, beside jscpd.

repositories: the first fifty groups of three packages, looked up in `judged_copies.json`, where
people have said which groups are near-copies: pieces that do the same in the same order but for
details, so that one of them could serve for all, or a change of one is probably due in the others.
It holds names and places alone. pandas: all of it from nothing, on one thread, and again by an
index, with nothing and with ten files changed. many: 100,000 functions of several packages. jscpd,
which finds runs of equal tokens, is tried where Node has it: see `code_tools.py`.

The packages are fetched by pip and npm into `benchmarks/sources`, or the folder that the
environment variable CODE_SOURCES names. Times are of the processor, of whole commands.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from code_tools import jscpd_clones, missing_tools
from common import Row, arguments, in_fresh_process, report, say, target

HERE = Path(__file__).resolve().parent
JUDGED = HERE / "judged_copies.json"
FIRST = 50
PANDAS = "pandas==3.1.1"
MANY = ["pandas==3.1.1", "sympy==1.14.0", "transformers==4.57.1", "django==5.2.8", "scipy==1.16.3"]
CHANGED = 10

NOTES = [
    "precision: groups judged to be near-copies, of the first fifty. A group of which all pieces "
    "are in a judged one counts as that does; any other would be listed as not judged.",
    "jscpd looks at the same folders with its defaults, but for files of up to 2 MB.",
]


def main() -> None:
    parts = ["repositories", "pandas", "many"]
    args = arguments(__doc__ or "", repeat=2, quick=60, parts=parts)
    missing = missing_tools().get("jscpd")
    tables: dict[str, Any] = {}
    wanted: list[Row] = []
    if "repositories" in args.only:
        tables["First fifty groups"] = rows = [
            judged(package, groups) for package, groups in json.loads(JUDGED.read_text()).items()
        ]
        right, all_ = (sum(row[name] for row in rows) for name in ("near-copies", "groups"))
        bound = target(right / all_, at_least=0.9)
        wanted.append({"what": "precision", "value": right / all_, **bound})
    if "pandas" in args.only:
        folder = sources_of(PANDAS) / "pandas"
        rows = runs_of(folder, args.repeat)
        tables["pandas"] = rows + ([] if missing else [jscpd(folder)])
        by_name = {row["run"]: row for row in rows}
        for name, seconds, memory in (
            ("from nothing", 10.0, 500),
            ("ten files changed", 1.5, None),
        ):
            row = by_name[name]
            value = row["processor s"]
            wanted.append({"what": f"{name}, s", "value": value, **target(value, at_most=seconds)})
            if memory is not None:
                bound = target(row["peak MB"], at_most=memory)
                wanted.append({"what": f"{name}, MB", "value": row["peak MB"], **bound})
    if "many" in args.only:
        row = many()
        tables["100,000 functions"] = [row]
        for name, most in (("processor s", 45.0), ("peak MB", 1000)):
            bound = target(row[name], at_most=most)
            wanted.append({"what": f"100,000 functions, {name}", "value": row[name], **bound})
    tables["What is aimed at"] = wanted
    report(__file__, args, tables, [*NOTES, *([missing] if missing else [])])


def sources_of(package: str) -> Path:
    """Return the folder of a package in one version, which is fetched if it is not there."""
    folder = Path(os.environ.get("CODE_SOURCES", HERE / "sources"))
    place = folder / package.replace("==", "-").replace("@", "-")
    if place.is_dir():
        return place
    folder.mkdir(parents=True, exist_ok=True)
    say(f"fetching {package}")
    with tempfile.TemporaryDirectory(dir=folder) as name:
        made = Path(name, "unpacked")
        if "==" in package:
            options = ["--no-deps", "--only-binary=:all:", "--quiet", "--dest", name]
            subprocess.run([sys.executable, "-m", "pip", "download", *options, package], check=True)
            with zipfile.ZipFile(next(Path(name).glob("*.whl"))) as wheel:
                wheel.extractall(made)
        else:
            subprocess.run(["npm", "pack", "--silent", package], cwd=name, check=True)
            with tarfile.open(next(Path(name).glob("*.tgz"))) as archive:
                archive.extractall(made, filter="data")
        made.rename(place)
    return place


def duplicates(folder: Path, *options: str) -> tuple[Row, Any]:
    """Run the command in a folder; return what it took, and its report."""
    with tempfile.TemporaryDirectory() as name:
        out = Path(name, "report.json")
        command = [sys.executable, "-m", "treekernels", "duplicates", ".", "--jobs", "1", "--quiet"]
        command += ["--exit-zero", "--format", f"json={out}", *options]
        took = in_fresh_process(_run, command, str(folder))
        found = json.loads(out.read_text())
    return {"functions": found["trees"], "groups": len(found["groups"]), **took}, found


def _run(command: list[str], folder: str) -> Row:
    """Run a program, in a process of which it is the only child."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"processor s": used.ru_utime + used.ru_stime, "peak MB": used.ru_maxrss * 1024 / 1e6}


def judged(package: str, groups: list[Any]) -> Row:
    """Look up the first groups of a package."""
    package, _, folder = package.partition(" ")
    say(package)
    took, found = duplicates(sources_of(package) / folder)
    near, unknown = 0, []
    for group in found["groups"][:FIRST]:
        places = {place_of(piece) for piece in group["pieces"]}
        known = next((each for each in groups if places <= set(each["pieces"])), None)
        if known is None:
            unknown.append(" ".join(sorted(places)))
        else:
            near += known["near_copies"]
    for places in unknown:
        say(f"not judged: {places}")
    count = len(found["groups"][:FIRST])
    return {
        **{"package": package, "functions": took["functions"], "groups": count - len(unknown)},
        **{"near-copies": near, "not judged": len(unknown)},
        "processor s": took["processor s"],
    }


def place_of(piece: Any) -> str:
    return f"{Path(piece['file']).as_posix()}:{piece['first_line']}-{piece['last_line']}"


def runs_of(folder: Path, repeat: int) -> list[Row]:
    """Time the command from nothing, and with an index before and after changes."""
    best: dict[str, Row] = {}
    for _ in range(repeat):
        with tempfile.TemporaryDirectory() as name:
            code, index = Path(name, "code"), ["--index", str(Path(name, "kept.tki"))]
            shutil.copytree(folder, code)
            times = {
                "from nothing": duplicates(code)[0],
                "making an index": duplicates(code, *index)[0],
            }
            times["nothing changed"] = duplicates(code, *index)[0]
            change_some(code)
            times["ten files changed"] = duplicates(code, *index)[0]
        for run, row in times.items():
            if run not in best or row["processor s"] < best[run]["processor s"]:
                best[run] = {"run": run, **row}
    return list(best.values())


def change_some(folder: Path) -> None:
    """Add a function to some files."""
    files = sorted(path for path in folder.rglob("*.py") if path.stat().st_size > 5000)
    for number, path in enumerate(files[:: len(files) // CHANGED][:CHANGED]):
        lines = "".join(f"    x{line} = f(x, {line + number})\n" for line in range(20))
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef added_{number}(x, f):\n{lines}    return x0\n")


def jscpd(folder: Path) -> Row:
    start = time.monotonic()
    clones, seconds = jscpd_clones(folder, "python")
    say(f"jscpd took {time.monotonic() - start:.1f} s")
    return {"run": "jscpd (clones in place of groups)", "groups": clones, "processor s": seconds}


def many() -> Row:
    """Look at all functions of several packages at once."""
    with tempfile.TemporaryDirectory() as name:
        for package in MANY:
            shutil.copytree(sources_of(package), Path(name, package.partition("==")[0]))
        return duplicates(Path(name))[0]


if __name__ == "__main__":
    main()

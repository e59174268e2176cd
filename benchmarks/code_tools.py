"""Tools that others compare code with, for `bench_code_search.py`: jscpd and Dolos, both of Node.

They are looked for in the folder that the environment variable CODE_TOOLS names, after
``npm install jscpd @dodona/dolos-lib`` there. What is missing is named in a sentence.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["TOOLS", "jscpd_clones", "missing_tools"]

# Reads {"files": [...], "pairs": [[i, j], ...] or null} and writes [[i, j, similarity], ...].
_DOLOS = """
const {readFileSync} = require("fs");
const {Dolos} = require("@dodona/dolos-lib");
(async () => {
  const {files, pairs} = JSON.parse(readFileSync(0, "utf8"));
  const found = [];
  const compare = async (numbers) => {
    const many = numbers.length > 2 ? {maxFingerprintPercentage: 0.9} : {};
    const dolos = new Dolos({language: "java", ...many});
    const report = await dolos.analyzePaths(numbers.map(n => files[n]));
    const place = new Map(numbers.map(n => [files[n], n]));
    for (const pair of report.allPairs())
      found.push([place.get(pair.leftFile.path), place.get(pair.rightFile.path), pair.similarity]);
  };
  if (pairs === null) await compare(files.map((_, n) => n));
  else for (const pair of pairs) await compare(pair);
  process.stdout.write(JSON.stringify(found));
})();
"""


def tools_folder() -> Path:
    """Return where the packages of Node are."""
    return Path(os.environ.get("CODE_TOOLS", Path(__file__).resolve().parent / "node"))


class _Tool:
    """A program that compares files."""

    package: str

    def fit(self, sources: list[str]) -> None:
        """Learn nothing: the tools have no weights."""

    def matrix(self, sources: list[str]) -> np.ndarray:
        values = np.zeros((len(sources), len(sources)))
        for one, other, value in self.compare(sources, None):
            values[one, other] = values[other, one] = value
        return values

    def pairs(self, ones: list[str], others: list[str]) -> np.ndarray:
        values = np.zeros(len(ones))
        chosen = [(number, len(ones) + number) for number in range(len(ones))]
        for one, other, value in self.compare(ones + others, chosen):
            low, high = min(one, other), max(one, other)
            if high == len(ones) + low:
                values[low] = value
        return values

    def compare(
        self, sources: list[str], pairs: Sequence[tuple[int, int]] | None
    ) -> list[tuple[int, int, float]]:
        """Return what pairs of sources have in common, all pairs for None."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, source in enumerate(sources):
                path = Path(folder) / f"p{number:05}.java"
                path.write_text(source, encoding="utf-8")
                files.append(path)
            return self.compare_files(files, pairs)

    def compare_files(
        self, files: list[Path], pairs: Sequence[tuple[int, int]] | None
    ) -> list[tuple[int, int, float]]:
        raise NotImplementedError


class Dolos(_Tool):
    """Winnowed fingerprints of syntax trees."""

    package = "@dodona/dolos-lib"

    def compare_files(
        self, files: list[Path], pairs: Sequence[tuple[int, int]] | None
    ) -> list[tuple[int, int, float]]:
        question = {"files": [str(file) for file in files], "pairs": pairs}
        text = _run_node(["-e", _DOLOS], json.dumps(question))
        return [(int(one), int(other), float(value)) for one, other, value in json.loads(text)]


class Jscpd(_Tool):
    """Runs of equal tokens: how much of the smaller file is in them."""

    package = "jscpd"

    def compare_files(
        self, files: list[Path], pairs: Sequence[tuple[int, int]] | None
    ) -> list[tuple[int, int, float]]:
        numbers = {file.name: number for number, file in enumerate(files)}
        lengths = [len(file.read_text(encoding="utf-8").splitlines()) for file in files]
        with tempfile.TemporaryDirectory() as out:
            script = _program("jscpd")
            options = ["--min-tokens", "20", "--min-lines", "2", "--reporters", "json", "--silent"]
            options += ["--max-size", "1mb", "--max-lines", "100000", "--format", "java"]
            _run_node([str(script), *options, "--output", out, str(files[0].parent)])
            found = json.loads((Path(out) / "jscpd-report.json").read_text(encoding="utf-8"))
        common: dict[tuple[int, int], float] = {}
        for clone in found["duplicates"]:
            one, other = (
                numbers[Path(clone[side]["name"]).name] for side in ("firstFile", "secondFile")
            )
            if one != other:
                key = (min(one, other), max(one, other))
                common[key] = common.get(key, 0.0) + clone["lines"]
        return [
            (one, other, lines / max(1, min(lengths[one], lengths[other])))
            for (one, other), lines in common.items()
        ]


def jscpd_clones(folder: Path, language: str) -> tuple[int, float]:
    """Return how many clones jscpd finds in a folder, and what time its processes take."""
    with tempfile.TemporaryDirectory() as out:
        options = ["--reporters", "json", "--silent", "--format", language, "--output", out]
        options += ["--max-size", "2mb", "--max-lines", "100000"]
        before = os.times()
        _run_node([str(_program("jscpd")), *options, str(folder)])
        after = os.times()
        found = json.loads((Path(out) / "jscpd-report.json").read_text(encoding="utf-8"))
    took = after.children_user + after.children_system
    return len(found["duplicates"]), took - before.children_user - before.children_system


TOOLS: dict[str, Any] = {"Dolos": Dolos, "jscpd": Jscpd}


def missing_tools() -> dict[str, str]:
    """Return a sentence for each tool that is not there."""
    if shutil.which("node") is None:
        return {name: f"{name} was not tried: there is no Node." for name in TOOLS}
    folder = tools_folder()
    return {
        name: f"{name} was not tried: npm install {tool.package} in {folder.name}/ (CODE_TOOLS)."
        for name, tool in TOOLS.items()
        if not (folder / "node_modules" / tool.package).is_dir()
    }


def _program(package: str) -> Path:
    """Return the script that a package of Node puts on the command line."""
    folder = tools_folder() / "node_modules" / package
    scripts = json.loads((folder / "package.json").read_text(encoding="utf-8"))["bin"]
    return folder / (scripts if isinstance(scripts, str) else scripts[package])


def _run_node(arguments: list[str], question: str = "") -> str:
    done = subprocess.run(
        ["node", "--max-old-space-size=4096", *arguments],
        cwd=tools_folder(),
        input=question,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout

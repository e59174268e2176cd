"""Copies among the submissions of a course: `tk.compare_submissions` as it comes, beside Dolos.

conplag: all programs are one course, and the pairs that people have judged are ranked by similarity
(area under the ROC curve). The parts train and validation were looked at while the command was
made; the part test was not. gcj: 200 programs of one problem, and copies of 20 of them that were
changed on purpose (`plagiarism.py`); all pairs are ranked, and those above the threshold counted.
Speed: courses of 467 and 2,000 programs, with the page. Dolos is tried where Node has it: see
`code_tools.py`.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

import treekernels as tk
from bench_code_search import json_lines
from code_tools import Dolos, missing_tools
from common import Row, arguments, in_fresh_process, memory_now, report, say, target
from plagiarism import CHANGES, TEMPLATE, split_over_files

Submission = dict[str, bytes]
COPIED = 20
PROBLEMS = (6, 7)

NOTES = [
    "similarity: nine tenths of the larger share and one of the smaller, by which the command "
    "ranks. contained: the share of the subtrees of the smaller program that the other has, names "
    "hidden, each counting the same.",
    "found, wrong: of the copies, and of the other pairs, those above the command's threshold.",
    "Dolos compares files: of a submission with several it gets one with all of them.",
]


def main() -> None:
    args = arguments(__doc__ or "", repeat=1, quick=60, parts=["conplag", "gcj", "speed"])
    missing = missing_tools().get("Dolos")
    tables: dict[str, Any] = {}
    wanted: list[Row] = []
    if "conplag" in args.only:
        pairs = json_lines(args.data / "conplag.java.jsonl.gz")[:: 1 if args.trees is None else 10]
        rows = conplag(pairs, dolos=missing is None)
        tables["conplag, AUC"] = rows
        best = rows[0]["test"]
        wanted.append({"what": "conplag, AUC of test", "value": best} | target(best, at_least=0.92))
    programs = json_lines(args.data / "gcj.java.jsonl.gz")
    if "gcj" in args.only:
        size = 200 if args.trees is None else args.trees
        tables["Copies made on purpose, AUC"] = changed(programs, size, dolos=missing is None)
    if "speed" in args.only:
        rows = [in_fresh_process(speed, programs, count) for count in (467, 2000)]
        tables["Speed"] = rows
        for row, most in zip(rows, (10.0, 60.0), strict=True):
            took = row["processor s"]
            name = f"{row['submissions']} submissions, s"
            wanted.append({"what": name, "value": took} | target(took, at_most=most))
    tables["What is aimed at"] = wanted
    report(__file__, args, tables, [*NOTES, *([missing] if missing else [])])


def conplag(pairs: list[Any], *, dolos: bool) -> list[Row]:
    """Rank the pairs by what a course of all programs says about them."""
    sources: dict[str, int] = {}
    for pair in pairs:
        for side in ("source_1", "source_2"):
            sources.setdefault(pair[side], len(sources))
    ones, others = (
        np.array([sources[pair[side]] for pair in pairs]) for side in ("source_1", "source_2")
    )
    copied = np.array([pair["plagiarized"] for pair in pairs])
    parts = np.array([pair["part"] for pair in pairs])
    course: dict[str, Submission] = {
        f"s{number:05}": {"Main.java": _encoded(source)} for source, number in sources.items()
    }
    methods = {"similarity": compared(course)[0], "contained": contained(course)}
    if dolos:
        say("Dolos")
        left, right = ([pair[side] for pair in pairs] for side in ("source_1", "source_2"))
        methods["Dolos, pair by pair"] = Dolos().pairs(left, right)
        methods["Dolos, as a course"] = Dolos().matrix(list(sources))
    rows: list[Row] = []
    for name, values in methods.items():
        scores = values if values.ndim == 1 else values[ones, others]
        row: Row = {"method": name}
        for part in ("train", "validation", "test"):
            chosen = parts == part
            row[part] = float(roc_auc_score(copied[chosen], scores[chosen]))
        rows.append(row)
    return rows


def changed(programs: list[Any], size: int, *, dolos: bool) -> list[Row]:
    """Hide changed copies among the programs of a problem, one kind of change after the other."""
    rows: list[Row] = []
    for problem in PROBLEMS:
        for change in [*CHANGES, "split over files", "with a template"]:
            say(f"problem {problem}, {change}")
            course, copies = course_with_copies(programs, problem, size, change)
            values, result = compared(course, with_template=change == "with a template")
            names = {name: number for number, name in enumerate(result.names)}
            is_copy = np.zeros(values.shape, bool)
            for original, copy in copies:
                is_copy[names[original], names[copy]] = is_copy[names[copy], names[original]] = True
            upper = np.triu_indices(len(values), 1)
            truth = is_copy[upper]
            above = values[upper] >= result.threshold
            row: Row = {
                "problem": problem,
                "change": change,
                "similarity": float(roc_auc_score(truth, values[upper])),
                "contained": float(roc_auc_score(truth, contained(course)[upper])),
            }
            if dolos:
                texts = [b"\n".join(files.values()).decode() for _, files in sorted(course.items())]
                row["Dolos"] = float(roc_auc_score(truth, Dolos().matrix(texts)[upper]))
            row |= {
                "threshold": result.threshold,
                "found": float((above & truth).sum() / truth.sum()),
                "wrong": int((above & ~truth).sum()),
            }
            rows.append(row)
    return rows


def course_with_copies(
    programs: list[Any], problem: int, size: int, change: str
) -> tuple[dict[str, Submission], list[tuple[str, str]]]:
    """Return submissions, and which of them are copies of which."""
    rng = random.Random(0)
    sources = [_encoded(program["source"]) for program in programs if program["problem"] == problem]
    rng.shuffle(sources)
    course: dict[str, Submission] = {
        f"s{number:04}": {"Main.java": source} for number, source in enumerate(sources[:size])
    }
    copies = []
    for number in range(COPIED):
        original, copy = f"s{number:04}", f"t{number:04}"
        source = course[original]["Main.java"]
        if change == "split over files":
            course[copy] = split_over_files(source, rng)
        else:
            change_ = CHANGES["all of these" if change == "with a template" else change]
            course[copy] = {"Main.java": change_(source, rng)}
        copies.append((original, copy))
    if change == "with a template":
        for files in course.values():
            files["CourseReader.java"] = TEMPLATE.encode()
    return course, copies


def compared(
    course: dict[str, Submission], *, with_template: bool = False
) -> tuple[np.ndarray, Any]:
    """Return the similarities that the command has by default, and all that it found."""
    with tempfile.TemporaryDirectory() as folder:
        write(course, Path(folder, "course"))
        template = Path(folder, "Given.java")
        template.write_text(TEMPLATE, encoding="utf-8")
        result = tk.compare_submissions(
            Path(folder, "course"), template=template if with_template else None
        )
    assert len(result.names) == len(course), result.left_out
    return result.similarities, result


def contained(course: dict[str, Submission]) -> np.ndarray:
    """Return which share of the subtrees of the smaller program is in the other one."""
    kernel = tk.TreeFeaturesKernel(1, 0, 0, 0, normalize=False)
    options: dict[str, Any] = {"names": "none", "literals": False, "errors": True}
    trees = tk.Forest(
        [
            tk.readers.from_code(b"\n".join(files.values()), "java", **options)
            for _, files in sorted(course.items())
        ]
    )
    values = kernel(trees)
    sizes = np.diag(values)
    return np.asarray(values / np.minimum.outer(sizes, sizes))


def speed(programs: list[Any], count: int) -> Row:
    """Return what a course of so many programs takes, from its folder to its page."""
    chosen = [programs[number % len(programs)] for number in range(count)]
    course = {
        f"s{number:05}": {"Main.java": _encoded(program["source"])}
        for number, program in enumerate(chosen)
    }
    with tempfile.TemporaryDirectory() as folder:
        write(course, Path(folder, "course"))
        start = time.process_time()
        result = tk.compare_submissions(Path(folder, "course"))
        compare = time.process_time() - start
        result.to_html(Path(folder, "page.html"))
        result.to_csv(Path(folder, "pairs.csv"), most=200_000)
        return {
            "submissions": count,
            "compare s": compare,
            "processor s": time.process_time() - start,
            "peak MB": memory_now("VmHWM") / 1e6,
            "page MB": Path(folder, "page.html").stat().st_size / 1e6,
        }


def write(course: dict[str, Submission], folder: Path) -> None:
    for name, files in course.items():
        (folder / name).mkdir(parents=True)
        for file, source in files.items():
            (folder / name / file).write_bytes(source)


def _encoded(source: str) -> bytes:
    return source.replace("\0", " ").encode("utf-8", "replace")


if __name__ == "__main__":
    main()

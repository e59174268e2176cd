"""Writes docs/papers.md from the results of the scripts in this folder; no number is its own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from shared import PAPERS  # first: it sets the path

from common import RESULTS, Row, shown

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [
    "ftk_fig5",
    "ftk_fig6",
    "ftk_accuracy",
    "dtk_properties",
    "dtk_table2",
    "dtk_fig3",
    "dtk_fig4",
    "dtk_fig5",
    "dtk_pruning",
    "dag_fig3",
    "dag_fig6",
    "pairs_fig7",
    "pairs_fig8",
    "pairs_table1",
]
INTRODUCTION = """# The papers' experiments, run again

What four papers on tree kernels report, beside what this library finds. `make papers` runs all
experiments and writes this page: every figure of ours comes from a file in `benchmarks/results/`,
every published one stands in the script with its source. Times are of a machine that others use as
well: the best of several runs by turns, with the load average beside.

In the tables, *holds* says whether what the paper says is so here: yes, no, or open if our examples
are too few to tell (p of 0.05 or more by a paired bootstrap over sentences). It is empty for a
figure that is only put beside ours because the data are not the same, and for what goes beyond the
paper.
"""
VERDICTS = {True: "yes", False: "**no**", "open": "open", None: ""}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "papers.md")
    args = parser.parse_args()
    results = {name: load(args.results / f"{name}.json") for name in SCRIPTS}
    pictures = Path("../benchmarks/results")
    args.page.write_text("\n".join(lines(results, pictures)) + "\n")
    print(f"written: {args.page.name}")


def load(path: Path) -> Row | None:
    """Return what a script has found, None if it was not run."""
    return json.loads(path.read_text()) if path.exists() else None


def lines(results: dict[str, Row | None], pictures: Path) -> Iterator[str]:
    """Return the lines of the page."""
    yield INTRODUCTION
    yield from summary(results)
    for paper, title in PAPERS.items():
        yield f"\n## {title}"
        for name, found in results.items():
            if name.split("_")[0] == paper:
                yield from section(name, found, pictures)


def summary(results: dict[str, Row | None]) -> Iterator[str]:
    """Count what holds, and list what does not."""
    claims = [(found, claim) for found in results.values() if found for claim in found["claims"]]
    judged = [claim["holds"] for _, claim in claims if claim["holds"] is not None]
    holding, undecided = judged.count(True), judged.count("open")
    missing = [name for name, found in results.items() if found is None]
    yield (
        f"Of {len(judged)} statements, {holding} hold here, {undecided} are open, because the "
        "difference is within chance on as many examples. Those that do not hold:\n"
    )
    for found, claim in claims:
        if claim["holds"] is False:
            first, year = found["paper"].split(",")[0].split(" and ")[0], found["paper"][-4:]
            yield f"- {first} {year}, {found['what'].split(':')[0]}: {claim['says']}"
    if missing:
        yield f"\nNot yet run: {', '.join(f'`{name}.py`' for name in missing)}."


def section(name: str, found: Row | None, pictures: Path) -> Iterator[str]:
    """Return what is said of one experiment."""
    command = f"`python benchmarks/papers/{name}.py`"
    if found is None:
        yield f"\n### {name}\n\nNot yet run: {command}"
        return
    yield f"\n### {found['what']}\n"
    yield f"{found['data']}\n"
    if found["plot"]:
        yield f"![{found['what']}]({(pictures / found['plot']).as_posix()})\n"
    yield from claims_table(found["claims"])
    machine, settings = found["machine"], found["parameters"]
    yield "\n<details><summary>All figures, and how they were measured</summary>\n"
    yield " ".join(found["notes"]).replace("<", "&lt;") + "\n"
    yield "Parameters: " + "; ".join(f"{key} {plainly(value)}" for key, value in settings.items())
    if found["arguments"]["trees"] != "None":
        yield f"\n**A slice only**: at most {found['arguments']['trees']} trees of each file."
    yield (
        f"\n{command}: {found['seconds']:.0f} s, commit {machine['commit']}, {machine['cores']} "
        f"cores ({machine['cpu']}), load {machine['load']}, Python {machine['python']}.\n"
    )
    for title, rows in found["tables"].items():
        yield f"{title}\n"
        yield from table(rows)
        yield ""
    yield "</details>"


def claims_table(claims: Sequence[Row]) -> Iterator[str]:
    """Put the paper's figures beside ours."""
    rows = [
        {
            "the paper says": claim["says"],
            "paper": with_unit(claim["published"], claim["unit"]),
            "ours": with_unit(claim["ours"], claim["unit"]),
            "difference": signed(claim["difference"]),
            "holds": VERDICTS[claim["holds"]],
            "why": claim["why"],
        }
        for claim in claims
    ]
    yield from table(rows)


def with_unit(value: float | None, unit: str) -> str:
    return "" if value is None else f"{rounded(value)} {unit}".rstrip()


def signed(value: float | None) -> str:
    if value is None:
        return ""
    return rounded(value) if value < 0 else f"+{rounded(value)}"


def rounded(value: float) -> str:
    """Return three digits, and no exponents for what people read."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) < 1 else f"{value:.3g}"


def plainly(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else shown(value)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Return rows as a table."""
    headers = list(dict.fromkeys(name for row in rows for name in row))
    yield "| " + " | ".join(headers) + " |"
    yield "|" + "---|" * len(headers)
    for row in rows:
        cells = (shown(row.get(name)).replace("|", "\\|") for name in headers)
        yield "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()

"""Writes docs/papers.md from the results of the scripts in this folder; no number is its own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from shared import PAPERS  # first: it sets the path
from verdicts import CHOSEN, MARGINS

from common import RESULTS, Row, shown

ROOT = Path(__file__).resolve().parents[2]
BEYOND = PAPERS["beyond"]
WHOLE = "papers"  # what run.py says of all scripts
SCRIPTS = [
    "ftk_fig5",
    "ftk_fig6",
    "ftk_propbank",
    "ftk_framenet",
    "ftk_web",
    "dtk_table1",
    "dtk_properties",
    "dtk_table2",
    "dtk_fig3",
    "dtk_fig4",
    "dtk_fig5",
    "dtk_pruning",
    "dag_fig3",
    "dag_fig6",
    "dag_kernels",
    "pairs_constraints",
    "pairs_fig7",
    "pairs_fig8",
    "pairs_table1",
    "pairs_anchors",
    "pairs_sick",
    "beyond_inex",
    "beyond_programs",
    "beyond_curves",
]
INTRODUCTION = """# The papers' experiments, run again

What four papers on tree kernels report, beside what you get from this library, and then tasks that
they do not have, judged in the same way. `make papers` runs
all the experiments in one go and writes this page: every figure of ours comes from a file in
`benchmarks/results/`, and every published one stands in a script, with its source.

We list every statement of the papers that has a number in it or compares two things, including
those that we could not confirm. Where our corpora are not those of a paper, we say which stand in.

## How we decide whether a statement holds

We wrote the rule down before we ran the experiments, and the same few lines of code
(`benchmarks/papers/verdicts.py`) apply it everywhere:

- **One thing is better, faster or larger than another**: yes if it is so by a paired t-test with p
  below 0.05 over at least five seeds, folds or samples, and **no** if the opposite is. Where folds
  are of one corpus, so that their training parts overlap, the variance is corrected for it (Nadeau
  and Bengio, 2003).
- **Two things are equal, or a figure is the published one**: yes if the 90 % interval over at least
  five runs lies within a margin that was given beforehand (two one-sided tests at 5 %), and **no**
  if it lies outside.
- **Everything else is open**: the runs are too few, or chance is too large, to tell.
- A table counts as one statement. It holds if all its cells do, and below it you can read how far
  each cell is off.
- Every statement is tested on its own. With so many of them, one verdict or another will be due to
  chance.
- A row without a verdict is a figure that is only put beside the published one, because the data
  or the machines differ, or something that goes beyond the paper.
"""
MARGINS_TABLE = {
    "points": "accuracy or F1, in percent points",
    "exponent": "power of the size with which a time grows",
    "factor": "times that are about equal, or about so many times apart (half to twice as much)",
    "correlation": "rank correlation",
}
VERDICTS = {True: "yes", False: "**no**", "open": "open", None: ""}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the results")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "papers.md")
    args = parser.parse_args()
    results = {name: load(args.results / f"{name}.json") for name in SCRIPTS}
    pictures = Path("../benchmarks/results")
    whole = load(args.results / f"{WHOLE}.json")
    args.page.write_text("\n".join(lines(results, pictures, whole)) + "\n")
    print(f"written: {args.page.name}")


def load(path: Path) -> Row | None:
    """Return what a script has found, None if it was not run."""
    return json.loads(path.read_text()) if path.exists() else None


def lines(results: dict[str, Row | None], pictures: Path, whole: Row | None) -> Iterator[str]:
    """Return the lines of the page; `whole` tells of the run of all scripts."""
    yield INTRODUCTION
    yield from margins()
    yield "\n## What holds\n"
    yield from summary(results)
    yield f"\n{about_run(results, whole)}"
    for paper, title in PAPERS.items():
        yield f"\n## {title}"
        for name, found in results.items():
            if name.split("_")[0] == paper:
                yield from section(name, found, pictures)


def margins() -> Iterator[str]:
    """Return the table of margins, and when they were chosen."""
    rows = [
        {"what is equal": text, "margin": f"{'±' if key != 'factor' else ''}{MARGINS[key]:g}"}
        for key, text in MARGINS_TABLE.items()
    ]
    yield from table(rows)
    yield f"\n{CHOSEN}"


def summary(results: dict[str, Row | None]) -> Iterator[str]:
    """Count what holds, and list what does not and what is open."""
    claims = [(item, claim) for item in results.values() if item for claim in item["claims"]]
    ours, theirs = (
        [claim["holds"] for item, claim in claims if (item["paper"] == BEYOND) is beyond]
        for beyond in (True, False)
    )
    yield f"Of {counted(theirs)}."
    if ours:
        yield f"Beyond the papers, of {counted(ours)}."
    yield ""
    yield from table([counts(title, claims) for title in PAPERS.values()])
    for verdict, heading in ((False, "These do not hold"), ("open", "These are open")):
        chosen = [(item, claim) for item, claim in claims if claim["holds"] == verdict]
        if chosen:
            yield f"\n{heading}:\n"
        for item, claim in chosen:
            yield f"- {short(item['paper'])}, {item['what'].split(':')[0]}: {claim['says']}"
    missing = [name for name, item in results.items() if item is None]
    if missing:
        yield f"\nNot yet run: {', '.join(f'`{name}.py`' for name in missing)}."


def counted(held: Sequence[object]) -> str:
    """Count verdicts in words."""
    judged = len(held) - held.count(None)
    return (
        f"{judged} statements {held.count(True)} hold here, {held.count(False)} do not, and "
        f"{held.count('open')} are open"
    )


def short(paper: str) -> str:
    """Return the first author and the year of a paper."""
    if paper == BEYOND:
        return paper
    return f"{paper.split(',')[0].split(' and ')[0]} {paper[-4:]}"


def counts(title: str, claims: Sequence[tuple[Row, Row]]) -> Row:
    """Count the verdicts on the statements of one paper."""
    held = [claim["holds"] for found, claim in claims if found["paper"] == title]
    row: Row = {"paper": title, "hold": held.count(True), "do not": held.count(False)}
    return row | {"open": held.count("open"), "only put beside": held.count(None)}


def about_run(results: dict[str, Row | None], whole: Row | None) -> str:
    """Say how long the whole run took, and whether all figures are from it."""
    others = {item["machine"]["commit"] for item in results.values() if item}
    if whole is None:
        return "The scripts were run one by one, not by `make papers`; each says at which commit."
    machine = whole["machine"]
    text = (
        f"`make papers` took {whole['seconds'] / 60:.0f} minutes at commit {machine['commit']} on "
        f"{machine['cores']} cores ({machine['cpu']}). Times are of the processor, one thread, "
        "unless a section says otherwise."
    )
    if others - {machine["commit"]}:
        text += " Some scripts were run again since then; each says at which commit."
    return text


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
    yield from claims_table(found["claims"], beyond=found["paper"] == BEYOND)
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


def claims_table(claims: Sequence[Row], *, beyond: bool) -> Iterator[str]:
    """Put the paper's figures beside ours."""
    rows = [
        {
            "what is said" if beyond else "the paper says": claim["says"],
            "published" if beyond else "paper": with_unit(claim["published"], claim["unit"]),
            "ours": with_unit(claim["ours"], claim["unit"]),
            "difference": signed(claim["difference"]),
            "holds": VERDICTS[claim["holds"]],
            "test": claim["test"],
            "why": claim["why"],
        }
        for claim in claims
    ]
    yield from table(rows)
    for claim in claims:
        if claim["cells"]:
            yield f"\n{claim['says']}: how far each cell is off\n"
            yield from table(claim["cells"])


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

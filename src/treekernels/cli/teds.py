"""``treekernels teds PREDICTED RIGHT``."""

from __future__ import annotations

import json
from typing import Any

import click

from treekernels.cli.shared import options
from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen
from treekernels.common.text import count_noun

_NAMES = ("id", "filename")
_SHOWN = 5  # problems


@click.command("teds", short_help="Score predicted tables in HTML against the right ones.")
@click.argument("predicted", type=click.Path(exists=True, dir_okay=False))
@click.argument("right", type=click.Path(exists=True, dir_okay=False))
@click.option("--structure-only", is_flag=True, help="Leave out the contents of cells.")
@options.jobs
@options.json
@options.quiet
def command(
    predicted: str, right: str, structure_only: bool, jobs: int, as_json: bool, quiet: bool
) -> None:
    """Score predicted tables against the right ones by TEDS, the measure of PubTabNet.

    \b
    Examples:
      treekernels teds predicted.jsonl right.jsonl
      treekernels teds predicted.jsonl right.jsonl --structure-only --json

    Both files have a JSON object on each line: the table as "html", and what it is called as "id"
    or "filename". Without names, tables are compared line by line. A table of RIGHT that was not
    predicted has the score 0. Tables that cannot be read are listed, and the others are scored.
    """
    from treekernels.metrics import teds

    screen = Screen(quiet=quiet)
    wanted, given = _tables(right), _tables(predicted)
    strangers = [name for name in given if name not in wanted]
    if strangers:
        raise Problem(f"{predicted} has a table {strangers[0]!r}, which {right} has not")
    with screen.progress("tables") as progress:
        scores = teds(
            [given.get(name) for name in wanted],
            list(wanted.values()),
            structure_only=structure_only,
            n_jobs=jobs,
            progress=progress,
        )
    names = list(wanted)
    if as_json:
        screen.json(
            {
                "mean": _number(scores.mean),
                "scores": {
                    str(name): _number(score) for name, score in zip(names, scores, strict=True)
                },
                "problems": {str(names[place]): text for place, text in scores.problems.items()},
            }
        )
        return
    for place, text in list(scores.problems.items())[:_SHOWN]:
        screen.note(f"{names[place]}: {text}.")
    if len(scores.problems) > _SHOWN:
        screen.note(f"There are problems with {len(scores.problems) - _SHOWN} more tables.")
    measure = "TEDS-Struct" if structure_only else "TEDS"
    of = "" if quiet else f"{measure} of {count_noun(len(scores), 'table')}: "
    click.echo(f"{of}{scores.mean:.4f}")


def _number(value: float) -> float | None:
    return None if value != value else value


def _tables(path: str) -> dict[Any, Any]:
    """Return the tables of a file by name, or by the number of their line."""
    from treekernels.io.reading.input.bad_input import Problems
    from treekernels.io.reading.input.lines import lines_of

    tables: dict[Any, Any] = {}
    for number, line in lines_of(path, Problems()):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            raise Problem(f"{path}, line {number}: this is not JSON") from None
        if not isinstance(item, dict) or "html" not in item:
            raise Problem(f'{path}, line {number}: there is no "html" in this object')
        name = next((item[key] for key in _NAMES if key in item), number)
        if not isinstance(name, str | int):
            raise Problem(f"{path}, line {number}: a name is a text or a number, not {name!r}")
        if name in tables:
            raise Problem(f"{path}, line {number}: there was a table {name!r} before")
        tables[name] = item["html"]
    return tables

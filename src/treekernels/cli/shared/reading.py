"""Reading for commands: data, single trees, and the pieces of files that are searched.

A model or an index remembers the options that shaped its trees, so that other trees are read in the
same way: functions that were learned from with ``-o each=function`` should not be compared with
whole files because somebody forgot the option the second time.
"""

from __future__ import annotations

import glob
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from treekernels.cli.shared.data import Data, data_of
from treekernels.cli.shared.options import PieceReading, Reading
from treekernels.cli.shared.problem import Problem, check_files
from treekernels.cli.shared.texts import TEXT_FORMATS, Parsing, holds_trees
from treekernels.common.screen import Screen
from treekernels.common.text import count_noun
from treekernels.data.forest import Forest
from treekernels.data.table import Table
from treekernels.errors import DataError, ParseError
from treekernels.io.formats import SHAPING_OPTIONS, reader_of
from treekernels.io.reading.input.lines import StandardInput
from treekernels.io.reading.input.sources import Source, files_of, sniffed_format
from treekernels.io.reading.read import read
from treekernels.io.sentences.names import SHAPING

if TYPE_CHECKING:
    from treekernels.search.duplicates.files.choice import FileChoice, LeftOut
    from treekernels.search.duplicates.pieces import Pieces

_OTHER_OPTIONS = {
    "format": "use --format",
    "label": "use --label",
    "trees": "use --tree",
    "skip_bad": "use --skip-bad",
    "problems": "--skip-bad lists bad lines",
    "origin": "files and lines are noted where they are needed",
    "verbose": "progress is shown on a terminal",
    "progress": "progress is shown on a terminal",
    "columns": "the first line of the file may name the columns",
}
_MOST_LISTED = 20


def read_data(
    data: str | Sequence[str],
    screen: Screen,
    *,
    format_: str | None = None,
    label: str | None = None,
    trees: Sequence[str] = (),
    reader_options: Sequence[str] = (),
    skip_bad: bool = False,
    origin: bool = False,
    parser: str | None = None,
    texts: Sequence[str] = (),
    cache: str | None = None,
    remembered: dict[str, Any] | None = None,
    to_keep: Literal["texts", "sentences"] | None = None,
) -> Data:
    """Read files, folders and patterns as `treekernels.read` does, and find out what columns are.

    The table knows the file and line of each example if there are several files or `origin`. With
    a parser, columns of texts become trees, beside which the texts are kept, or rows of sentences.
    """
    paths = [data] if isinstance(data, str) else list(data)
    check_files(path for path in paths if path != "-")
    options = reader_options_of(reader_options)
    parsing = Parsing.asked_for(parser, texts, cache, options, remembered)
    if origin:
        options["origin"] = True
    problems: list[ParseError] = []
    if skip_bad:
        options["problems"] = problems
    source: Source = paths[0] if len(paths) == 1 else paths
    if source == "-":
        source = StandardInput()
    name = str(source) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    read_as_trees: Sequence[str] = ()
    if parsing is not None:
        table = _read_texts(source, format_, label, skip_bad, trees, options, parsing, screen)
        if table is not None:
            _list_problems(problems, "bad line", screen)
            if to_keep == "sentences":
                table = parsing.with_sentences(table, name, screen)
            else:
                table = parsing.with_trees(table, name, screen, keep=to_keep == "texts")
            parsed = data_of(table, name, has_labels=label is not None, trees=(), read_as_trees=())
            parsed.parsed = parsing.columns
            return parsed
        problems.clear()
    if trees:
        reader = reader_of(_format_of(source, format_))
        if "trees" in inspect.signature(reader).parameters:
            options["trees"] = read_as_trees = list(trees)
    with screen.progress("read") as progress:
        table = read(source, format_, label=label, skip_bad=skip_bad, progress=progress, **options)
    _list_problems(problems, "bad line", screen)
    if not isinstance(table, Table):
        table = Table({"tree": table})
    return data_of(
        table, name, has_labels=label is not None, trees=trees, read_as_trees=read_as_trees
    )


def _read_texts(
    source: Source,
    format_: str | None,
    label: str | None,
    skip_bad: bool,
    trees: Sequence[str],
    options: dict[str, Any],
    parsing: Parsing,
    screen: Screen,
) -> Table | None:
    """Return a table with columns of texts, or None if files hold trees, which need no parser."""
    kind = _format_of(source, format_)
    if kind == "brackets" and format_ is None:
        kind = "text"
    if kind not in TEXT_FORMATS:
        if parsing.remembered:
            return None
        raise Problem(
            f"a parser reads texts, in files of the formats {', '.join(TEXT_FORMATS)}, and this is "
            f"{kind}, which has trees already: leave --parser out"
        )
    options = dict(options)
    if kind != "text":
        options["trees"] = list(trees)
        named = any(not name.isdecimal() for name in parsing.columns if not parsing.remembered)
        if named and kind in ("tsv", "csv"):
            options.setdefault("header", True)
    with screen.progress("read") as progress:
        table: Table = read(
            source, kind, label=label, skip_bad=skip_bad, progress=progress, **options
        )
    return None if parsing.remembered and holds_trees(table) else table


def one_tree(text: str, screen: Screen, **reading: Any) -> Forest:
    """Return the tree that a text is in brackets, the only one of a file, or of a sentence."""
    if text.lstrip().startswith("("):
        try:
            return Forest.from_brackets([text])
        except ParseError as error:
            start = text if len(text) <= 60 else f"{text[:57]}..."
            raise Problem(f"{start!r}, column {error.column}: {error.reason}") from None
    if not Path(text).exists():
        if (parsed := parsed_sentence(text, screen, reading)) is not None:
            return parsed
        raise Problem(f"{text!r} is neither a tree in brackets, such as (A b), nor a file")
    data = read_data(text, screen, **reading)
    if len(data) != 1 or len(data.trees) != 1:
        raise Problem(f"{text} holds {len(data) * len(data.trees):,} trees, and one is wanted here")
    return data.table.forest(data.trees[0])


def parsed_sentence(text: str, screen: Screen, reading: Any) -> Forest | None:
    """Return the tree of a text that was typed, or None if there is no parser for it."""
    options = reader_options_of(reading["reader_options"])
    parsing = Parsing.asked_for(
        reading.get("parser"), (), reading.get("cache"), options, reading.get("remembered")
    )
    if parsing is None:
        return None
    forest: Forest = parsing.trees_of([text], screen)["tree"]
    return forest


def read_pieces(
    paths: Sequence[str],
    screen: Screen,
    reading: Reading,
    *,
    choice: FileChoice | None = None,
    without_names: bool = False,
) -> Pieces:
    """Read files, folders and patterns as the pieces that are searched, such as functions."""
    from treekernels.search.duplicates.pieces import Piece, Pieces, read_pieces

    check_files(paths)
    if reading.get("parser") is not None or reading.get("remembered") is not None:
        data = read_data(paths, screen, origin=True, to_keep="texts", **reading)
        files, lines = (data.table[name].tolist() for name in ("file", "line"))
        texts = data.table[data.parsed[0]] if len(data.parsed) == 1 else [None] * len(files)
        places = [
            Piece(file, line, line, None, None if text is None else str(text))
            for file, line, text in zip(files, lines, texts, strict=True)
        ]
        return Pieces(data.table.forest(data.trees[0]), places)
    problems: list[ParseError] = []
    pieces = read_pieces(
        paths,
        format=reading["format_"],
        problems=problems if reading.get("skip_bad") else None,
        without_names=without_names,
        choice=choice,
        **reader_options_of(reading["reader_options"]),
    )
    list_left_out(problems, pieces.left_out, screen)
    return pieces


def list_left_out(problems: list[ParseError], left_out: LeftOut, screen: Screen) -> None:
    """Say which files and pieces were not looked at, and why."""
    _list_problems(problems, "part that cannot be read", screen, "parts that cannot be read")
    for sentence in left_out.sentences():
        screen.note(sentence)


def file_choice_of(reading: PieceReading, base: Path | None = None) -> FileChoice:
    """Return which files of folders are to be looked at."""
    from treekernels.search.duplicates.files.choice import FileChoice

    return FileChoice(
        reading.get("include", ()),
        reading.get("exclude", ()),
        reading.get("no_ignore", False),
        base or Path(),
    )


def reader_options_of(options: Sequence[str]) -> dict[str, Any]:
    """Read NAME=VALUE, with numbers and true and false as what they are."""
    values: dict[str, Any] = {}
    for text in options:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise Problem(f"an option is written NAME=VALUE, and not {text!r}")
        if name in _OTHER_OPTIONS:
            raise Problem(f"{name} is not an option of a format: {_OTHER_OPTIONS[name]}")
        words = {"true": True, "false": False}
        number = value.isdecimal() and len(value) < 19
        values[name] = int(value) if number else words.get(value.lower(), value)
    return values


def remember_reading(
    model: Any, data: Sequence[str], reading: Reading, parsed: Sequence[str] = ()
) -> None:
    """Note in a fitted model how its data were read: format, parser, and what shaped the trees.

    `parsed` are the columns of texts that became trees.
    """
    options = reader_options_of(reading["reader_options"])
    format_ = _known_format(data, reading)
    parser = reading.get("parser")
    note: dict[str, Any] | None = None
    if parser is not None:
        of_parser = {name: options.pop(name) for name in sorted(SHAPING & set(options))}
        note = {"name": parser, "columns": list(parsed), "options": of_parser}
        format_ = format_ or "text"
    shaping = {name: options[name] for name in sorted(SHAPING_OPTIONS & set(options))}
    known = {"format": format_, "options": shaping}
    if note is not None:
        model.reading_ = {**known, "parser": note}
    else:
        model.reading_ = known if shaping and format_ else None


def as_remembered(model: Any, data: Sequence[str], reading: Reading, screen: Screen) -> Reading:
    """Return how to read data for a model: as its own were read, unless options say otherwise."""
    remembered = getattr(model, "reading_", None)  # a weighted forest has none
    if remembered is None:
        return reading
    if (parsing := remembered.get("parser")) is not None:
        if reading.get("parser") is not None:  # another parser has its own shapes
            same = reading["parser"] == parsing["name"]
            parsing = {**parsing, "options": parsing["options"] if same else {}}
        reading = {**reading, "remembered": parsing}
    if _known_format(data, reading) != remembered["format"]:
        return reading
    options = reader_options_of(reading["reader_options"])
    missing = {name: value for name, value in remembered["options"].items() if name not in options}
    if not missing:
        return reading
    texts = [
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in missing.items()
    ]
    screen.note(f"Reading with {' '.join(f'-o {text}' for text in texts)}, as the first time.")
    return {**reading, "reader_options": (*reading["reader_options"], *texts)}


def _known_format(data: Sequence[str], reading: Reading) -> str | None:
    """Return the format of the first file, or None if there is no file to look into."""
    format_, name = reading["format_"], data[0] if data else "-"
    if format_ is None and (name == "-" or not (Path(name).exists() or glob.has_magic(name))):
        return None
    try:
        return _format_of(name, format_)
    except DataError:  # such as files of several formats, of which reading will complain
        return None


def _format_of(source: Source, format_: str | None) -> str:
    """Return the format that was given, or that the first file seems to be of."""
    return sniffed_format(files_of(source)[0][0].path) if format_ is None else format_


def _list_problems(
    problems: list[ParseError], noun: str, screen: Screen, nouns: str | None = None
) -> None:
    if problems:
        screen.note(f"Left out {count_noun(len(problems), noun, nouns)}:")
        for problem in problems[:_MOST_LISTED]:
            screen.note(f"  {problem}")
        if len(problems) > _MOST_LISTED:
            screen.note(f"  and {len(problems) - _MOST_LISTED:,} more")

"""Columns of texts that become columns of trees, by a parser that was named or is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treekernels.cli.shared.problem import Problem
from treekernels.common.screen import Screen
from treekernels.data.forest import Forest
from treekernels.data.from_objects import is_nothing
from treekernels.data.table import Table
from treekernels.errors import DataError, ParseError
from treekernels.io.reading.input.origins import ORIGINS
from treekernels.io.reading.tables.columns import column_at
from treekernels.io.sentences.names import SHAPING, parser_name
from treekernels.io.sentences.parse import parse

TEXT_FORMATS = ("text", "tsv", "csv", "jsonl", "parquet")
_FEW = 20


@dataclass
class Parsing:
    """How a command makes trees of texts."""

    parser: str
    # They hold texts; if there are none, a column is looked for.
    columns: list[str] = field(default_factory=list)
    # These are the parser's, such as the shape of trees.
    options: dict[str, Any] = field(default_factory=dict)
    cache: str | None = None
    # Whether a model has named the parser, and not the person: then data may be trees already.
    remembered: bool = False

    @classmethod
    def asked_for(
        cls,
        parser: str | None,
        columns: Sequence[str],
        cache: str | None,
        options: dict[str, Any],
        remembered: dict[str, Any] | None,
    ) -> Parsing | None:
        """Return what the options of a command and the note in a model say, None for nothing.

        Options that are the parser's are taken out of those of the reader.
        """
        if parser is None and remembered is None:
            if columns or cache is not None:
                raise Problem("--text and --cache go with --parser, which makes trees of texts")
            return None
        if parser is not None:
            parser_name(parser)
        note = remembered or {"name": parser, "columns": [], "options": {}}
        of_parser = {name: options.pop(name) for name in list(options) if name in SHAPING}
        return cls(
            parser or note["name"],
            list(columns) or note["columns"],
            {**note["options"], **of_parser},
            cache,
            parser is None,
        )

    def trees_of(self, texts: Sequence[str], screen: Screen, each: str = "text") -> Table:
        """Parse texts."""
        with screen.progress("parse") as progress:
            return parse(
                texts,
                self.parser,
                each=each,  # type: ignore[arg-type]
                cache=self.cache,
                progress=progress,
                **self.options,
            )

    def text_columns(self, table: Table, path: str) -> list[str]:
        """Return the columns of texts, and remember them."""
        if self.remembered and not all(name in table for name in self.columns):
            self.columns = []
        if self.columns:
            names = [table.columns[column_at(name, table.columns, path)] for name in self.columns]
            for name in names:
                if not _holds_texts(table[name]):
                    raise Problem(f"{path}: the column {name!r} does not hold texts")
        else:
            names = [_likeliest(table, path)]
        self.columns = names
        return names

    def with_trees(self, table: Table, path: str, screen: Screen, keep: bool = False) -> Table:
        """Return a table in which the columns of texts are columns of trees.

        If the texts are to be kept, the trees are columns beside them.
        """
        columns = dict(table)
        names = self.text_columns(table, path)
        for name in names:
            screen.note(f"Parsing the column {name!r} with {self.parser}.")
            trees = self._parsed(table[name], name, path, screen)["tree"]
            beside = "tree" if len(names) == 1 else f"{name}_tree"
            columns[beside if keep else name] = trees
        return Table(columns)

    def with_sentences(self, table: Table, path: str, screen: Screen) -> Table:
        """Return a table with a row for each sentence, of the only column of texts."""
        names = self.text_columns(table, path)
        if len(names) > 1:
            raise Problem(
                f"rows are sentences of one column, and there are {len(names)} ({', '.join(names)})"
                ": leave out --each sentence, or name one column with --text"
            )
        sentences = self._parsed(table[names[0]], names[0], path, screen, "sentence")
        rows = sentences["document"]
        beside = {name: column[rows] for name, column in table.items() if name != names[0]}
        return Table({**beside, **sentences})

    def _parsed(
        self, column: Any, name: str, path: str, screen: Screen, each: str = "text"
    ) -> Table:
        for row, text in enumerate(column, start=1):
            if is_nothing(text):
                raise Problem(f"{path}: example {row} has no text in the column {name!r}")
        return self.trees_of(column, screen, each)


def holds_trees(table: Table) -> bool:
    """Return whether texts in a table are really trees in brackets."""
    return any(_are_trees(column) for column in table.values())


def _are_trees(column: Any) -> bool:
    if not _holds_texts(column):
        return False
    first = [text for text in column[:_FEW] if not is_nothing(text) and text.strip()]
    if not first or not all(text.lstrip().startswith("(") for text in first):
        return False
    try:
        Forest.from_brackets(first)
    except (ParseError, DataError):
        return False
    return True


def _holds_texts(column: Any) -> bool:
    if not isinstance(column, np.ndarray) or column.dtype.kind != "O" or column.ndim != 1:
        return False
    return all(isinstance(text, str) or is_nothing(text) for text in column)


def _likeliest(table: Table, path: str) -> str:
    """Return the column named text, or else the one with the longest texts of several words."""
    lengths = {
        name: sum(len(text) for text in column if isinstance(text, str))
        for name, column in table.items()
        if (name == "text" or name not in (*ORIGINS, "label"))
        and _holds_texts(column)
        and any(isinstance(text, str) and " " in text.strip() for text in column)
    }
    if not lengths:
        has = ", ".join(table.columns)
        raise Problem(
            f"{path} has no column that looks like sentences, only {has}: say which holds texts "
            "with --text COLUMN"
        )
    return "text" if "text" in lengths else max(lengths, key=lambda name: lengths[name])

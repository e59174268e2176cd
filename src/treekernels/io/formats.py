"""The one table of formats: what each is called, who reads and writes it, and its extensions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["FORMATS", "LANGUAGES", "Format", "format_of", "known_extension"]


class Format(NamedTuple):
    """How files of a format are read and written.

    Attributes
    ----------
    reader : tuple of str
        A module of `treekernels.io.readers`, and its function.
    writer : tuple of str or None
        A module of `treekernels.io.writers`, and its function.
    extensions : tuple of str
        The extensions of the files that are taken for this format.
    takes_names : bool
        Whether the reader itself takes the names of columns.
    can_rename : bool
        Whether it returns a table whose columns may be renamed.
    takes_trees : bool
        Whether the reader takes the names of columns of trees, but finds the others itself.
    """

    reader: tuple[str, str]
    writer: tuple[str, str] | None = None
    extensions: tuple[str, ...] = ()
    takes_names: bool = False
    can_rename: bool = False
    takes_trees: bool = False


LANGUAGES = {
    ".c": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cs": "c_sharp",
    ".go": "go",
    ".h": "c",
    ".hpp": "cpp",
    ".java": "java",
    ".js": "javascript",
    ".kt": "kotlin",
    ".php": "php",
    ".rb": "ruby",
    ".rs": "rust",
    ".scala": "scala",
    ".sh": "bash",
    ".swift": "swift",
    ".ts": "typescript",
}
"""Languages by extension."""

FORMATS = {
    # Also for all extensions that no other format has.
    "brackets": Format(("brackets", "read_brackets"), ("brackets", "bracket_lines")),
    "tsv": Format(("tsv", "read_tsv"), ("tsv", "tsv_lines"), (".tsv", ".tab"), takes_names=True),
    "csv": Format(("csv", "read_csv"), ("csv", "csv_lines"), (".csv",), takes_names=True),
    "penn": Format(("penn", "read_penn"), ("brackets", "penn_lines"), (".mrg",)),
    "svmlight-tk": Format(
        ("svmlight", "read_svmlight"),
        ("svmlight", "svmlight_lines"),
        (".svmlight", ".svmtk"),
        can_rename=True,
    ),
    "kelp": Format(
        ("kelp", "read_kelp"), ("kelp", "kelp_lines"), (".klp", ".kelp"), can_rename=True
    ),
    "conllu": Format(("conllu", "read_conllu"), None, (".conllu",)),
    "python": Format(("python", "read_python"), None, (".py",)),
    "tree-sitter": Format(("treesitter", "read_code"), None, tuple(LANGUAGES)),
    "xml": Format(("xml", "read_xml"), None, (".xml",)),
    "html": Format(("html", "read_html"), None, (".html", ".htm")),
    "json": Format(("json", "read_json"), None, (".json",)),
    "jsonl": Format(
        ("json_lines", "read_json_lines"),
        ("json_lines", "json_lines"),
        (".jsonl", ".ndjson"),
        takes_trees=True,
    ),
    "anchored-pairs": Format(("pairs", "read_pairs"), takes_names=True),
    "parquet": Format(("data_frames", "read_parquet"), None, (".parquet",), takes_names=True),
}


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format of a file, told by its extension."""
    extension = known_extension(path)
    fitting = (name for name, entry in FORMATS.items() if extension in entry.extensions)
    return next(fitting, "brackets")


def known_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file that a format goes by, or nothing if none does."""
    suffixes = [suffix for suffix in Path(str(path).lower()).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    return suffix if any(suffix in entry.extensions for entry in FORMATS.values()) else ""

"""The one table of formats: what each is called, who reads and writes it, and its extensions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["FORMATS", "LANGUAGES", "Format", "format_of"]


class Format(NamedTuple):
    """How files of a format are read and written.

    Attributes
    ----------
    reader : tuple of str
        A module of `treekernels.io.readers`, and its function.
    writer : tuple of str or None
        A module of `treekernels.io.writers`, and its function.
    extensions : tuple of str
        Of the files that are taken for this format.
    columns : bool
        Whether the reader itself takes the names of columns.
    renamed : bool
        Whether it gives a table whose columns may be named.
    """

    reader: tuple[str, str]
    writer: tuple[str, str] | None = None
    extensions: tuple[str, ...] = ()
    columns: bool = False
    renamed: bool = False


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
    "tsv": Format(("tsv", "read_tsv"), ("tsv", "tsv_lines"), (".tsv", ".tab"), columns=True),
    "penn": Format(("penn", "read_penn"), ("brackets", "penn_lines"), (".mrg",)),
    "svmlight-tk": Format(
        ("svmlight", "read_svmlight"),
        ("svmlight", "svmlight_lines"),
        (".svmlight", ".svmtk"),
        renamed=True,
    ),
    "kelp": Format(("kelp", "read_kelp"), ("kelp", "kelp_lines"), (".klp", ".kelp"), renamed=True),
    "conllu": Format(("conllu", "read_conllu"), None, (".conllu",)),
    "python": Format(("python", "read_python"), None, (".py",)),
    "tree-sitter": Format(("treesitter", "read_code"), None, tuple(LANGUAGES)),
    "xml": Format(("xml", "read_xml"), None, (".xml",)),
    "html": Format(("html", "read_html"), None, (".html", ".htm")),
    "json": Format(("json", "read_json"), None, (".json",)),
    "jsonl": Format(("json", "read_json_lines"), None, (".jsonl", ".ndjson")),
    "anchored-pairs": Format(("pairs", "read_pairs"), columns=True),
    "parquet": Format(("data_frames", "read_parquet"), None, (".parquet",), columns=True),
}


def format_of(path: str | os.PathLike[str]) -> str:
    """Tell the format of a file by its extension."""
    suffixes = [s for s in Path(str(path).lower()).suffixes if s != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    fitting = (name for name, known in FORMATS.items() if suffix in known.extensions)
    return next(fitting, "brackets")

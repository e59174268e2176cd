"""The one table of formats: what each is called, what reads and writes it, and its extensions.

Models and indexes note in their files how their trees were read: the format, and the options that
shape trees. Options that say what a file looks like, such as the delimiter, belong to that file.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from treekernels.data.forest import Source
from treekernels.io.sentences.names import parsing_of


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
    can_rename : bool
        Whether it returns a table whose columns may be renamed.
    source : str or None
        What trees of this format are of, which their forest remembers.
    """

    reader: tuple[str, str]
    writer: tuple[str, str] | None = None
    extensions: tuple[str, ...] = ()
    can_rename: bool = False
    source: Source | None = None


_LANGUAGES = """
ada: adb ads
agda: agda
bash: sh bash
c: c h
c_sharp: cs csx
commonlisp: lisp lsp
cpp: cpp cc cxx hpp hh hxx
cuda: cu cuh
dart: dart
elixir: ex exs
fortran: f90 f95 f03 f08
gdscript: gd
glsl: glsl vert frag
go: go
graphql: graphql gql
groovy: groovy
haskell: hs
hcl: hcl tf
hlsl: hlsl
java: java
javascript: js jsx cjs mjs
jsonnet: jsonnet libsonnet
julia: jl
kotlin: kt kts
llvm: ll
lua: lua
luau: luau
nix: nix
objc: mm
ocaml: ml
ocaml_interface: mli
odin: odin
pascal: pas dpr
perl: pl pm
php: php
powershell: ps1 psm1
python: py pyi
ql: ql qll
qmljs: qml
ruby: rb
rust: rs
scala: scala
solidity: sol
sparql: rq sparql
starlark: bzl star
svelte: svelte
swift: swift
systemverilog: sv svh
tlaplus: tla
tsx: tsx
typescript: ts cts mts
verilog: v
vhdl: vhd vhdl
zig: zig
zsh: zsh
"""
LANGUAGES = {
    f".{extension}": language
    for language, extensions in (line.split(": ") for line in _LANGUAGES.split("\n") if line)
    for extension in extensions.split()
}
"""Languages by extension. Python is read by its own parser unless tree-sitter is asked for."""

_GRAMMARS_WITH_OTHERS = {"ocaml_interface": "ocaml", "tsx": "typescript"}


def grammar_module(language: str) -> str:
    """Return the module that has the grammar of a language; hyphens make it the package's name."""
    name = language.replace("-", "_")
    return f"tree_sitter_{_GRAMMARS_WITH_OTHERS.get(name, name)}"


FORMATS = {
    # This is also the format of files whose extension no other format has.
    "brackets": Format(("brackets.brackets", "read_brackets"), ("brackets", "bracket_lines")),
    "tsv": Format(("tables.tsv", "read_tsv"), ("columns", "tsv_lines"), (".tsv", ".tab")),
    "csv": Format(("tables.csv", "read_csv"), ("columns", "csv_lines"), (".csv",)),
    "penn": Format(
        ("treebanks.penn", "read_penn"), ("brackets", "penn_lines"), (".mrg",), source="sentences"
    ),
    "svmlight-tk": Format(
        ("tables.svmlight", "read_svmlight"),
        ("svmlight", "svmlight_lines"),
        (".svmlight", ".svmtk"),
        can_rename=True,
    ),
    "kelp": Format(
        ("tables.kelp", "read_kelp"), ("kelp", "kelp_lines"), (".klp", ".kelp"), can_rename=True
    ),
    "conllu": Format(("treebanks.conllu", "read_conllu"), None, (".conllu",), source="sentences"),
    "python": Format(("code.python", "read_python"), None, (".py", ".pyi"), source="code"),
    "notebook": Format(("code.notebooks", "read_notebook"), None, (".ipynb",), source="code"),
    "tree-sitter": Format(("code.treesitter", "read_code"), None, tuple(LANGUAGES), source="code"),
    "xml": Format(("documents.xml", "read_xml"), None, (".xml",), source="documents"),
    "html": Format(("documents.html", "read_html"), None, (".html", ".htm"), source="pages"),
    "newick": Format(("biology.newick", "read_newick"), None, (".nwk", ".newick", ".tre")),
    "nexus": Format(("biology.newick", "read_nexus"), None, (".nex", ".nexus", ".nxs")),
    "dot-bracket": Format(("biology.rna", "read_dot_bracket"), None, (".dbn", ".db")),
    "glycans": Format(("biology.glycans", "read_glycans"), None, (".iupac",)),
    "penman": Format(
        ("treebanks.penman", "read_penman"), None, (".amr", ".penman"), source="sentences"
    ),
    "terms": Format(("brackets.terms", "read_terms")),
    "braces": Format(("brackets.terms", "read_braces")),
    "mathml": Format(("documents.formulas", "read_mathml"), None, (".mml", ".mathml")),
    "latex": Format(("documents.formulas", "read_latex"), None, (".latex",)),
    "yaml": Format(("documents.yaml", "read_yaml"), None, (".yaml", ".yml"), source="documents"),
    "toml": Format(("documents.toml", "read_toml"), None, (".toml",), source="documents"),
    "sql": Format(("code.sql", "read_sql"), None, (".sql",), source="code"),
    "json": Format(("documents.json", "read_json"), None, (".json",), source="documents"),
    "jsonl": Format(
        ("tables.json_lines", "read_json_lines"),
        ("json_lines", "json_lines"),
        (".jsonl", ".ndjson"),
    ),
    "anchored-pairs": Format(("tables.pairs", "read_pairs")),
    "text": Format(("tables.text", "read_text"), can_rename=True),
    "parquet": Format(("tables.data_frames", "read_parquet"), None, (".parquet",)),
}


_BY_EXTENSION: dict[str, str] = {}
for _name, _entry in FORMATS.items():
    for _extension in _entry.extensions:
        _BY_EXTENSION.setdefault(_extension, _name)

SHAPING_OPTIONS = frozenset(
    [
        *("attributes", "comments", "each", "fields", "inner", "keys", "lexeme", "linkages"),
        *("literals", "names", "namespaces", "normalize", "operators", "pseudoknots"),
        *("reentrancies", "shape", "sort", "tag", "text", "tokens", "values"),
    ]
)
"""The options of readers that shape trees."""


def reader_of(format: str) -> Callable[..., Any]:
    """Return the function that reads a format, which is imported when it is needed."""
    module, name = FORMATS[format].reader
    reader: Callable[..., Any] = getattr(
        importlib.import_module(f"treekernels.io.readers.{module}"), name
    )
    return reader


def format_of(path: str | os.PathLike[str]) -> str:
    """Return the format of a file, by its extension."""
    return _BY_EXTENSION.get(known_extension(path), "brackets")


def known_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file that a format goes by, or nothing if none does."""
    suffixes = [suffix for suffix in Path(str(path).lower()).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    return suffix if suffix in _BY_EXTENSION else ""


def reading_of(content: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return how the trees in a model or an index were read, or None if its file does not say.

    Raises
    ------
    ValueError
        If the file names a format, a parser or an option that does not exist.
    """
    note = content.get("reading")
    if note is None:
        return None
    format_, options = note["format"], dict(note["options"])
    parsing = note.get("parser")
    if format_ not in FORMATS:
        raise ValueError(f"{format_!r:.60} is not a format")
    for name, value in options.items():
        if name not in SHAPING_OPTIONS or not isinstance(value, str | int):
            raise ValueError(f"{name!r:.60} is not an option that shapes trees")
    reading = {"format": format_, "options": options}
    return reading if parsing is None else {**reading, "parser": parsing_of(parsing)}

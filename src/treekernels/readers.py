"""Readers: files and objects to forests and tables.

`read` takes files; the functions whose names start with `from_` take what is in memory. They are in
`treekernels.io.readers`, one small file per format.
"""

from treekernels.io.readers.biology.glycans import from_glycan
from treekernels.io.readers.biology.newick import from_newick
from treekernels.io.readers.biology.rna import from_dot_bracket
from treekernels.io.readers.brackets.terms import from_braces, from_term
from treekernels.io.readers.code.python import from_ast, from_python_source
from treekernels.io.readers.code.sql import from_sql
from treekernels.io.readers.code.treesitter import from_code, from_tree_sitter
from treekernels.io.readers.documents.formulas import from_latex, from_mathml
from treekernels.io.readers.documents.html import from_element, from_html_string
from treekernels.io.readers.documents.json import from_json, from_json_string
from treekernels.io.readers.documents.toml import from_toml_string
from treekernels.io.readers.documents.xml import from_xml_string
from treekernels.io.readers.documents.yaml import from_yaml_string
from treekernels.io.readers.tables.data_frames import from_table
from treekernels.io.readers.treebanks.penman import from_penman
from treekernels.io.readers.treebanks.spacy import from_spacy
from treekernels.io.reading.input.bad_input import SkippedWarning
from treekernels.io.reading.read import read

__all__ = [
    "SkippedWarning",
    "from_ast",
    "from_braces",
    "from_code",
    "from_dot_bracket",
    "from_element",
    "from_glycan",
    "from_html_string",
    "from_json",
    "from_json_string",
    "from_latex",
    "from_mathml",
    "from_newick",
    "from_penman",
    "from_python_source",
    "from_spacy",
    "from_sql",
    "from_table",
    "from_term",
    "from_toml_string",
    "from_tree_sitter",
    "from_xml_string",
    "from_yaml_string",
    "read",
]

"""Readers: files and objects to forests and tables. One small file per format.

`read` takes files; the functions whose names start with `from_` take what is in memory.
"""

import importlib
import typing

from treekernels.io.reading.bad_input import SkippedWarning
from treekernels.io.reading.read import read

if typing.TYPE_CHECKING:
    from treekernels.io.readers.data_frames import from_table
    from treekernels.io.readers.html import from_element, from_html_string
    from treekernels.io.readers.json import from_json, from_json_string
    from treekernels.io.readers.python import from_ast, from_python_source
    from treekernels.io.readers.spacy import from_spacy
    from treekernels.io.readers.treesitter import from_code, from_tree_sitter
    from treekernels.io.readers.xml import from_xml_string

__all__ = [
    "SkippedWarning",
    "from_ast",
    "from_code",
    "from_element",
    "from_html_string",
    "from_json",
    "from_json_string",
    "from_python_source",
    "from_spacy",
    "from_table",
    "from_tree_sitter",
    "from_xml_string",
    "read",
]

_MODULES = {
    "from_ast": "python",
    "from_code": "treesitter",
    "from_element": "html",
    "from_html_string": "html",
    "from_json": "json",
    "from_json_string": "json",
    "from_python_source": "python",
    "from_spacy": "spacy",
    "from_table": "data_frames",
    "from_tree_sitter": "treesitter",
    "from_xml_string": "xml",
}


def __getattr__(name: str) -> typing.Any:
    """Import what is seldom needed when it is first asked for."""
    if name in _MODULES:
        module = importlib.import_module(f"treekernels.io.readers.{_MODULES[name]}")
        return getattr(module, name)
    raise AttributeError(f"module 'treekernels.io.readers' has no attribute {name!r}")

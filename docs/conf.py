"""Sphinx configuration. `make docs` builds docs/_build/html, with warnings as errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
sys.path.append(str(HERE.parent / "tests"))  # the oracles, which list the fragments in pictures

from docutils import nodes  # noqa: E402

import treekernels  # noqa: E402

project = "treekernels"
author = "The treekernels developers"
copyright = author
version = release = treekernels.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "command_help",
    "fragment_pictures",
    "math_as_mathml",
]
exclude_patterns = ["_build", "_templates"]
suppress_warnings = ["config.cache"]  # what sphinx-gallery is given cannot be pickled
nitpicky = False

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc says the types, in words
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
templates_path = ["_templates"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "examples",
    "filename_pattern": r"/\w+\.py$",
    "ignore_pattern": r"__init__\.py",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "within_subsection_order": "gallery_order.Place",
    "doc_module": (),
    "capture_repr": ("_repr_html_",),
}

# What is copied from an example is what you would type: no prompts, and nothing that was printed.
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_selector = "div:not(.sphx-glr-script-out) > div.highlight > pre"

html_theme = "furo"
html_title = "treekernels"
html_static_path = ["_static"]
html_css_files = ["pictures.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#0072b2"},
    "dark_css_variables": {"color-brand-primary": "#56b4e9", "color-brand-content": "#56b4e9"},
}
highlight_language = "none"
pygments_style = "default"
pygments_dark_style = "monokai"

# What scikit-learn asks of a kernel beside what a reader does.
_PROTOCOL = {
    "bounds",
    "clone_with_theta",
    "get_params",
    "hyperparameters",
    "is_stationary",
    "n_dims",
    "set_params",
    "theta",
}


def _is_foreign(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out what classes have from other packages, which document it themselves."""
    function = getattr(obj, "fget", obj)
    module = getattr(function, "__module__", None) or ""
    return True if name in _PROTOCOL or not module.startswith("treekernels") else None


def _trim(app: Any, doctree: Any) -> None:
    """Take off the empty line that doctest needs at the end of an example."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.children = [nodes.Text(text)]


def setup(app: Any) -> None:
    """Register what is left out."""
    app.connect("autodoc-skip-member", _is_foreign)
    app.connect("doctree-read", _trim)

"""A model of spaCy, installed for a test: a package as ``spacy download`` would fetch one.

Its parser is not much of one: the first word of a sentence depends on the second, and so do all
others.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

NAME = "en_tiny"
_PACKAGE = """
import spacy
from spacy.language import Language

@Language.component("second_word")
def second_word(doc):
    for sentence in doc.sents:
        words = [token for token in sentence if not token.is_space] or list(sentence)
        root = words[min(1, len(words) - 1)]
        for token in sentence:
            token.lemma_, token.pos_, token.tag_ = token.text.lower(), "X", "XX"
            token.dep_ = "ROOT" if token.i == root.i else "dep"
        for token in sentence:
            token.head = root
    return doc

def load(**options):
    pipeline = spacy.blank("en")
    pipeline.meta["name"], pipeline.meta["version"] = "tiny", "1.0"
    pipeline.add_pipe("sentencizer")
    pipeline.add_pipe("second_word")
    return pipeline
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the model where Python finds packages, and return the name of the parser."""
    (folder / NAME).mkdir(parents=True)
    (folder / NAME / "__init__.py").write_text(_PACKAGE)
    about = folder / f"{NAME}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[spacy_models]\n{NAME} = {NAME}\n")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    importlib.invalidate_caches()
    return f"spacy:{NAME}"

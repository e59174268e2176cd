"""Sentences for the explorer."""

from __future__ import annotations

from typing import Any

import pytest

import treekernels as tk
from treekernels.cli.explore import _with_parser
from treekernels.explorer.session.notations import Notations, sentence_parser


def test_a_sentence_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    notations = Notations(sentence_parser(lambda text: [("S", *text.split()), "(S b)"][:1]))
    assert "text" in notations.names()
    assert str(notations.read("dogs bark", "text").tree) == "(S dogs bark)"


def test_a_named_parser_is_loaded_once_and_when_it_is_needed() -> None:
    parse = sentence_parser("spacy:en_other")
    if pytest.importorskip("spacy", reason="spaCy is not installed"):
        with pytest.raises(ValueError, match="python -m spacy download en_other"):
            parse("Dogs bark.")


@pytest.mark.parametrize("remembered", [False, True])
def test_the_parser_of_the_command_or_of_the_model(remembered: bool) -> None:
    reading: Any = {"parser": "spacy:x", "texts": ("a",), "cache": None}
    reading["reader_options"] = ("shape=LCT",)
    note = {"name": "spacy:x", "columns": ["a"], "options": {"shape": "LCT"}}
    if remembered:
        reading |= {"parser": None, "texts": (), "reader_options": (), "remembered": note}
    new, parser = _with_parser(reading)
    assert parser is not None
    assert new["parser"] is None
    assert new["remembered"] == note
    nothing: Any = {"parser": None, "texts": (), "cache": None, "reader_options": ()}
    assert _with_parser(nothing) == (nothing, None)


def test_an_explorer_takes_every_parser() -> None:
    model = tk.TreeSVC(random_state=0).fit(["(S a)", "(S b)"], ["x", "y"])
    with tk.explore(model, parser=lambda text: f"(S {text})", browser=False) as explorer:
        assert explorer.address

"""Sentences for the explorer, through packages that are played by others here."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import treekernels as tk
from treekernels.cli.explore import parser_for
from treekernels.cli.shared.problem import Problem
from treekernels.explorer.session.notations import spacy_parser


def token(i: int, text: str, pos: str, dep: str, head: int) -> Any:
    own = SimpleNamespace(i=i, text=text, lemma_=text, pos_=pos, tag_=pos, dep_=dep)
    own.head = SimpleNamespace(i=head)
    return own


class Sentence(list[Any]):
    _ = SimpleNamespace(parse_string="(S (NP (NNS dogs)) (VP (VBP bark)))")


class Pipeline:
    """Takes every text for the same two words."""

    def __init__(self) -> None:
        self.pipes: list[Any] = []

    def add_pipe(self, name: str, config: Any) -> None:
        self.pipes.append((name, config))

    def __call__(self, text: str) -> Any:
        words = [token(0, "dogs", "NOUN", "nsubj", 1), token(1, "bark", "VERB", "ROOT", 1)]
        return SimpleNamespace(sents=[Sentence(words)])


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    pipeline = Pipeline()

    def load(name: str) -> Pipeline:
        if name != "en_small":
            raise OSError(f"[E050] Can't find model {name!r}.")
        return pipeline

    module = ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    return pipeline


def test_dependencies(spacy: Pipeline) -> None:
    trees = tk.Forest(parser_for("en_small", None, ("shape=LCT",), with_data=False)("Dogs bark."))  # type: ignore[misc]
    assert trees == tk.readers.from_spacy(spacy("Dogs bark."), shape="LCT")
    assert "dogs" in {node.label for node in trees[0].preorder()}


def test_constituents(spacy: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "benepar", ModuleType("benepar"))
    parse = spacy_parser("en_small", "benepar_en3")
    assert tk.Forest(parse("Dogs bark."))[0].leaves() == ["dogs", "bark"]
    assert spacy.pipes == [("benepar", {"model": "benepar_en3"})]


def test_models_that_are_missing(spacy: Pipeline) -> None:
    with pytest.raises(ValueError, match="python -m spacy download en_large"):
        spacy_parser("en_large")
    with pytest.raises(Problem, match="with --spacy"):
        parser_for(None, "benepar_en3", (), with_data=False)
    assert parser_for(None, None, (), with_data=True) is None

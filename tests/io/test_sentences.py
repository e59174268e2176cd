"""tk.parse: parsers of other packages and functions, shapes, documents, errors."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tiny_spacy
import treekernels as tk
from treekernels.io.formats import reading_of

TEXTS = ["Dogs bark\n loudly (now). Cats sleep.", " ", "Birds sing.", "Dogs bark\n loudly (now). "]


@pytest.fixture
def spacy_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    return tiny_spacy.install(tmp_path / "site", monkeypatch)


def words(text: str) -> list[Any]:
    """Take what is between full stops for a sentence, and its words for a tree."""
    return [("S", *part.split()) for part in text.split(".") if part.strip()]


def test_sentences_of_a_document_stay_together() -> None:
    table = tk.parse(["a b. c d. e", "", "f g"], words)
    assert table.columns == ["document", "sentence", "text", "tree"]
    assert table["document"].tolist() == [0, 0, 0, 2]
    assert table["sentence"].tolist() == [0, 1, 2, 0]
    assert table["text"].tolist() == ["a b", "c d", "e", "f g"]
    assert table["tree"].to_brackets() == ["(S a b)", "(S c d)", "(S e)", "(S f g)"]
    assert table["tree"].source == "sentences"
    assert np.array(["x", "y", "z"])[table["document"]].tolist() == ["x", "x", "x", "z"]


def test_texts_as_rows() -> None:
    table = tk.parse(["a b. c d.", "", "f g"], words, each="text")
    assert table["text"].tolist() == ["a b. c d.", "", "f g"]
    assert table["tree"].to_brackets() == ["(TEXT (S a b) (S c d))", "(-EMPTY-)", "(S f g)"]
    assert len(tk.parse([], words)) == len(tk.parse([], words, each="text")) == 0


def test_a_text_is_parsed_once_and_progress_is_told() -> None:
    seen: list[str] = []
    steps: list[tuple[int, int]] = []

    def counted(text: str) -> str:
        seen.append(text)
        return "(A b)"

    texts = ["x", "y", "x", " "]
    table = tk.parse(texts, counted, progress=lambda done, total: steps.append((done, total)))
    assert seen == ["x", "y"]
    assert table["document"].tolist() == [0, 1, 2]
    assert steps == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    "result",
    ["(A b)", ["(A b)"], ("A", "b"), [("A", "b")], tk.Forest(["(A b)"]), tk.Forest(["(A b)"])[0]],
    ids=lambda result: type(result).__name__,
)
def test_what_a_function_may_return(result: Any) -> None:
    assert tk.parse(["x"], lambda _: result)["tree"].to_brackets() == ["(A b)"]


def test_spacy_by_name_and_loaded(spacy_name: str) -> None:
    import spacy

    table = tk.parse(TEXTS, spacy_name)
    assert table["document"].tolist() == [0, 0, 2, 3]
    assert table["text"].tolist()[:2] == ["Dogs bark loudly (now).", "Cats sleep."]
    assert str(table["tree"][1]) == "(ROOT (dep (X Cats)) (X sleep) (dep (X .)))"
    pipeline = spacy.load(tiny_spacy.NAME)
    loaded = tk.parse(TEXTS, pipeline, shape="LCT", lexeme="{lemma}", tag="xpos")
    assert str(loaded["tree"][1]) == "(sleep (cats XX dep) (. XX dep) XX ROOT)"
    by_function = tk.parse(TEXTS[2:3], lambda text: pipeline(text), shape="LOCT")
    assert by_function["tree"].to_brackets() == ["(sing Birds .)"]
    direct = tk.readers.from_spacy(pipeline("Birds\n sing."))
    assert direct == table["tree"][2:3], "white space is no word"


def test_spacy_that_cannot_parse(spacy_name: str) -> None:
    import spacy

    blank = spacy.blank("en")
    with pytest.raises(ValueError, match=r"parses; it has nothing but a tokenizer: load a model"):
        tk.parse(["a b"], blank)
    with pytest.raises(ValueError, match="'constituency' needs benepar: name the parser benepar:"):
        tk.parse(["a b"], spacy_name, shape="constituency")
    with pytest.raises(ValueError, match="python -m spacy download en_other"):
        tk.parse(["a b"], "spacy:en_other")


def test_a_folder_with_the_name_of_a_model_is_not_loaded(
    spacy_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "en_local").mkdir()
    (tmp_path / "en_local" / "config.cfg").write_text("[nlp]\nlang = 'en'\n")
    for name in ("spacy:en_local", "spacy:pytest"):
        with pytest.raises(ValueError, match="spaCy has no model"):
            tk.parse(["a b"], name)


class Stanza:
    """A pipeline of stanza, as far as `parse` looks at it."""

    def __init__(self, *processors: str) -> None:
        self.processors = dict.fromkeys(processors)
        self.config = {"lang": "en"}
        self.calls: list[int] = []

    def bulk_process(self, texts: list[str]) -> list[Any]:
        self.calls.append(len(texts))
        return [SimpleNamespace(sentences=[self._sentence(text)]) for text in texts]

    def _sentence(self, text: str) -> Any:
        rows = [(word, 0 if place == 0 else 1) for place, word in enumerate(text.split())]
        words = [
            SimpleNamespace(text=w, lemma=None, upos="X", xpos=None, head=h, deprel="d")
            for w, h in rows
        ]
        below = tk.Forest([("S", *text.split())])[0]
        root = SimpleNamespace(label="ROOT", children=[below])
        return SimpleNamespace(text=text, words=words, constituency=root)


def test_stanza() -> None:
    both = Stanza("tokenize", "depparse", "constituency")
    texts = [f"a b{number}" for number in range(40)]
    assert str(tk.parse(texts, both)["tree"][0]) == "(d (X a) (d (X b0)))"
    assert both.calls == [32, 8]
    assert str(tk.parse(texts, both, shape="constituency")["tree"][39]) == "(S a b39)"
    assert str(tk.parse(texts, Stanza("constituency"))["tree"][0]) == "(S a b0)"
    with pytest.raises(ValueError, match="no depparse, only tokenize: add it to processors"):
        tk.parse(texts, Stanza("tokenize"), shape="LCT")


@pytest.mark.slow
def test_stanza_itself(tmp_path: Path) -> None:
    stanza = pytest.importorskip("stanza", reason="stanza and PyTorch are not installed")
    from stanza.models.constituency.parse_tree import Tree
    from stanza.pipeline.processor import Processor, register_processor

    # Without any model: tokens stand between blanks, and depend on the first of their sentence.
    @register_processor("depparse")
    class FirstWord(Processor):  # type: ignore[misc]
        OVERRIDE = True
        _requires: set[str] = set()  # noqa: RUF012
        _provides = {"depparse"}  # noqa: RUF012

        def __init__(self, device: Any, config: Any, pipeline: Any) -> None:
            pass

        def process(self, doc: Any) -> Any:
            for sentence in doc.sentences:
                for place, word in enumerate(sentence.words):
                    word.head, word.deprel = (1, "dep") if place else (0, "root")
                    word.upos = "X"
                below = [Tree("N", [Tree(word.text)]) for word in sentence.words]
                sentence.constituency = Tree("ROOT", [Tree("S", below)])
                sentence.build_dependencies()
            return doc

    languages = {"en": {"packages": {"default": {}}}}
    (tmp_path / "resources.json").write_text(json.dumps(languages))
    pipeline = stanza.Pipeline(
        "en",
        dir=str(tmp_path),
        package=None,
        processors="tokenize,depparse",
        tokenize_pretokenized=True,
        download_method=None,
        verbose=False,
    )
    table = tk.parse(["Dogs bark\nCats sleep", "Birds (sing)"], pipeline, cache=tmp_path / "cache")
    assert table["document"].tolist() == [0, 0, 1]
    assert table["text"].tolist() == ["Dogs bark", "Cats sleep", "Birds (sing)"]
    assert str(table["tree"][2]) == r"(root (X Birds) (dep (X \x28sing\x29)))"
    with pytest.raises(ValueError, match="no constituency, only depparse, tokenize"):
        tk.parse(["a"], pipeline, shape="constituency")
    pipeline.processors["constituency"] = pipeline.processors["depparse"]
    constituents = tk.parse(["Dogs bark"], pipeline, shape="constituency")
    assert str(constituents["tree"][0]) == "(S (N Dogs) (N bark))"
    with pytest.raises(ValueError, match=r"stanza has no dependencies for 'xx' here: python -c"):
        tk.parse(["a"], "stanza:xx")


@pytest.mark.parametrize(
    ("module", "name", "hint"),
    [
        ("spacy", "spacy:x", r"needs the package spacy: pip install .*spacy"),
        ("stanza", "stanza:en", r"needs the package stanza: pip install .*stanza"),
        ("benepar", "benepar:benepar_en3", r"pip install .*benepar"),
    ],
)
def test_packages_that_are_missing(
    module: str, name: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "spacy", SimpleNamespace() if module == "benepar" else None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=hint):
        tk.parse(["a"], name)


@pytest.mark.parametrize(
    ("arguments", "options", "match"),
    [
        (("a b", words), {}, r"write \[text\]"),
        ((["a", None], words), {}, "text 2 is missing"),
        ((["a", 3], words), {}, "text 2 is not a text but of type int"),
        ((tk.Table({"text": ["a"]}), words), {}, "give the one with the texts"),
        ((3, words), {}, "a list of texts was expected"),
        ((["a"], words), {"each": "word"}, "each is 'word', and may be 'sentence' or 'text'"),
        ((["a"], words), {"shape": "tree"}, "shape is 'tree', and may be constituency, GRCT"),
        ((["a"], words), {"lexeme": "{x}"}, "lexeme is"),
        ((["a"], 7), {}, "or a function from a text to trees, and not of type int"),
        ((["a"], "corenlp:en"), {}, "names are such as spacy:en_core_web_sm"),
        ((["a"], "spacy:../x"), {}, "is not the name of a model"),
        ((["a"], "spacy:a:b"), {}, "names are such as"),
        ((["a"], "benepar:benepar_en3"), {"shape": "LCT"}, "is one of dependencies"),
        ((["a"], lambda _: "(A"), {}, "should return the trees of the sentences"),
        ((["a"], lambda _: None), {}, "should return the trees of the sentences"),
    ],
)
def test_errors(arguments: Any, options: Any, match: str) -> None:
    with pytest.raises(tk.TreeKernelsError, match=match):
        tk.parse(*arguments, **options)


@pytest.mark.parametrize(
    "note",
    [
        {"name": "os:system", "columns": [], "options": {}},
        {"name": "spacy:/somewhere/model", "columns": [], "options": {}},
        {"name": "spacy:x", "columns": [1], "options": {}},
        {"name": "spacy:x", "columns": [], "options": {"cache": "x"}},
        {"name": "spacy:x", "columns": [], "options": {"shape": 1}},
        {"name": "spacy:x"},
        "spacy:x",
    ],
)
def test_a_note_of_a_parser_that_makes_no_sense_is_refused(note: Any) -> None:
    good = {"name": "spacy:x", "columns": ["a"], "options": {"shape": "LCT"}}
    reading = {"format": "csv", "options": {}, "parser": good}
    assert reading_of({"reading": reading}) == reading
    with pytest.raises((ValueError, KeyError)):
        reading_of({"reading": {**reading, "parser": note}})

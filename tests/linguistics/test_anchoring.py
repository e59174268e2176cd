"""From plain trees to pairs with placeholders."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles import kernels as oracle
from treekernels.linguistics import Word, WordWeights, english_lemma
from treekernels.linguistics.words import is_content
from treekernels.testing.strategies import trees

TEXT = (
    "(S (NP (DT The) (NNS farmers)) (VP (MD will) (VP (VB feed) (NP (DT the) (NNS cows)) "
    "(PP (IN with) (NP (NN animal) (NNS extracts))))))"
)
HYPOTHESIS = (
    "(S (NP (NNS Cows)) (VP (VBZ has) (VP (VBN eaten) (NP (NN animal) (NNS extracts)))) (. .))"
)


def anchored(text: str, hypothesis: str, **parameters: object) -> tuple[str, str]:
    pair = tk.anchor([text], [hypothesis], **parameters)[0]  # type: ignore[arg-type]
    return str(pair.text), str(pair.hypothesis)


def test_words_are_linked_and_climb() -> None:
    text, hypothesis = anchored(TEXT, HYPOTHESIS)
    assert text == (
        "(S (NP (DT The) (NNS farmers)) (VP (MD will) (VP (VB feed) (NP:1 (DT the) (NNS:1 cows)) "
        "(PP:3 (IN with) (NP:3 (NN:2 animal) (NNS:3 extracts))))))"
    )
    assert hypothesis == (
        "(S (NP:1 (NNS:1 Cows)) (VP (VBZ has) (VP (VBN eaten) "
        "(NP:3 (NN:2 animal) (NNS:3 extracts)))) (. .))"
    )


def test_verbs_climb_past_auxiliaries() -> None:
    text = "(S (NP (NNS cows)) (VP (MD will) (VP (VB have) (VP (VBN eaten)))))"
    _, hypothesis = anchored(text, "(SBAR (IN that) (S (VP (TO to) (VP (VBN eaten)))))")
    assert hypothesis == "(SBAR:1 (IN that) (S:1 (VP:1 (TO to) (VP:1 (VBN:1 eaten)))))"


def test_links_are_one_to_one_and_prefer_neighbours() -> None:
    text = "(X (N cow) (N x) (N big) (N cow) (N eats))"
    hypothesis = "(X (N big) (N cow) (N eats) (N cow) (N cow))"
    first, second = anchored(text, hypothesis, head=lambda label, children: None)
    assert first == "(X (N:4 cow) (N x) (N:1 big) (N:2 cow) (N:3 eats))"
    assert second == "(X (N:1 big) (N:2 cow) (N:3 eats) (N:4 cow) (N cow))"


def test_own_match_and_head() -> None:
    def same_initial(one: Word, other: Word) -> bool:
        return one.form[0] == other.form[0]

    first, second = anchored(
        "(A (B xa) (C ya))", "(A (C yb))", match=same_initial, head=lambda label, children: -1
    )
    assert (first, second) == ("(A:1 (B xa) (C:1 ya))", "(A:1 (C:1 yb))")


def test_colons() -> None:
    """A colon in the result is always that of a placeholder."""
    first, second = anchored("(S (: :) (NN 10:30) (N:X a))", "(NP (NN 10:30))")
    assert first == "(S:1 (COLON -COLON-) (NN:1 10-COLON-30) (N:X a))"
    assert second == "(NP:1 (NN:1 10-COLON-30))"
    with pytest.raises(ValueError, match=r"pair 1, text: the label 'NP:1' carries a placeholder"):
        tk.anchor(["(NP:1 (NN a))"], ["(NP (NN a))"])


def singular(word: Word) -> str:
    return word.form.lower().rstrip("s")


def test_lemmas_link_what_forms_do_not() -> None:
    first, second = anchored("(X (N cows) (N ox))", "(X (N Ox) (N cow))", lemma=singular)
    assert (first, second) == ("(X:2 (N:2 cows) (N:1 ox))", "(X:1 (N:1 Ox) (N:2 cow))")
    assert "N:" not in anchored("(X (N cows))", "(X (N cow))")[0]
    with pytest.raises(ValueError, match="give match or lemma"):
        tk.anchor(["(A a)"], ["(A a)"], match=lambda a, b: True, lemma=singular)


@given(trees(), trees())
def test_forms_as_lemmas_change_nothing(text: oracle.Tree, hypothesis: oracle.Tree) -> None:
    def form(word: Word) -> str:
        return word.form.lower()

    assert tk.anchor([text], [hypothesis], lemma=form) == tk.anchor([text], [hypothesis])


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("fed", "VBD", "feed"),
        ("Children", "NNS", "child"),
        ("saw", "VBD", "see"),
        ("saw", "NN", "saw"),
        ("better", "JJR", "good"),
        ("running", "VERB", "run"),
        ("Cows", "NNPS", "cows"),
        ("28", "CD", "28"),
        ("blorfs", "NNS", "blorf"),
    ],
)
def test_english_lemmas(form: str, tag: str, lemma: str) -> None:
    pytest.importorskip("lemminflect")
    assert english_lemma(Word(form, tag)) == lemma


def test_lemmas_without_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lemminflect", None)
    with pytest.raises(ImportError, match="pip install lemminflect"):
        english_lemma(Word("zorbles", "NNS"))
    assert english_lemma(Word("Rome", "NNP")) == "rome"  # a name needs no dictionary


@pytest.mark.parametrize(
    ("word", "content"),
    [
        (Word("cows", "NNS"), True),
        (Word("28", "CD"), True),
        (Word("The", "DT"), False),
        (Word("was", "VBD"), False),
        (Word("--", ":"), False),
        (Word("Will", "NNP"), False),
    ],
)
def test_content_words(word: Word, content: bool) -> None:
    assert is_content(word) == content


@given(trees(), trees())
def test_anchoring_changes_nothing_else(text: oracle.Tree, hypothesis: oracle.Tree) -> None:
    pairs = tk.anchor([text], [hypothesis])
    assert pairs.plain() == tk.Pairs([text], [hypothesis])


def test_long_chain() -> None:
    """No recursion: a link climbs twenty thousand nodes."""
    count = 20_000
    chain = "(S " * count + "(NN cow)" + ")" * count
    pairs = tk.anchor([chain], ["(NN cow)"])
    assert pairs[0].text.label == "S:1"


def test_lexical_overlap() -> None:
    pairs = tk.anchor([TEXT, "(A b)"], [HYPOTHESIS, "(DT the)"])
    assert tk.lexical_overlap(pairs).tolist() == [0.75, 0.0]
    weighted = tk.lexical_overlap(pairs, weight=lambda word: 3.0 if word == "eaten" else 1.0)
    assert weighted.tolist() == [0.5, 0.0]
    table = {"text": [TEXT], "hypothesis": [HYPOTHESIS]}
    assert tk.lexical_overlap(table).tolist() == [0.75]


def test_overlap_by_lemmas() -> None:
    pairs = tk.Pairs(["(X (N cows) (N hay))"], ["(X (N cow) (N Hay) (N oxen) (N ox))"])
    assert tk.lexical_overlap(pairs).tolist() == [0.25]
    assert tk.lexical_overlap(pairs, lemma=singular).tolist() == [0.5]
    seen = []

    def weight(word: str) -> float:
        seen.append(word)
        return 2.0

    assert tk.lexical_overlap(pairs, lemma=singular, weight=weight).tolist() == [0.5]
    assert seen == ["cow", "hay", "oxen", "ox"]


SENTENCES = st.lists(st.lists(st.sampled_from("abcdef"), min_size=1), min_size=1, max_size=6)


@given(SENTENCES)
def test_word_weights_count_trees(sentences: list[list[str]]) -> None:
    weight = WordWeights([f"(S {' '.join(f'(NN word-{w})' for w in s)})" for s in sentences])
    for letter in "abcdef":
        holding = sum(letter in sentence for sentence in sentences)
        assert weight(f"word-{letter}") == math.log((len(sentences) + 1) / (holding + 1))


def test_word_weights_leave_out_function_words_and_count_lemmas() -> None:
    trees = ["(S (DT the) (N cows) (N cow))", "(S (N Cow))"]
    assert WordWeights(trees).counts == {"cows": 1, "cow": 2}
    weight = WordWeights(trees, lemma=singular)
    assert weight.counts == {"cow": 2}
    assert repr(weight) == "<WordWeights: 1 words of 2 trees>"
    assert weight("cow") == 0

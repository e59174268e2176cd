"""XML, HTML and JSON: options, limits, and errors."""

from __future__ import annotations

import pytest

import treekernels as tk
from helpers import Write
from treekernels import readers

# XML, HTML and JSON


def test_xml_options(write: Write) -> None:
    text = (
        '<?xml version="1.0" encoding="latin-1"?><!DOCTYPE a [<!ENTITY big "ha ha">]>'
        '<a xmlns="urn:x" k="v">one &big; t\xf6w<?pi x?><!-- no --><b/>  '
        "<b><b>&lt;<![CDATA[&]]></b></b></a>"
    )
    path = write("a.xml", text.encode("latin-1"))
    assert tk.read(path).to_brackets() == [
        "(a (@k v) (#text one\\x20&big;\\x20töw) b (b (b (#text <&))))"
    ]
    assert tk.read(path, each="b", text="none").to_brackets() == ["(b)", "(b b)"]
    words = tk.read(path, text="words", attributes=False, namespaces=True)[0]
    assert (words.label, words.children[0].to_brackets()) == ("{urn:x}a", "(#text one &big; töw)")
    assert readers.from_xml_string(text) == tk.read(path)[0]
    with pytest.raises(ValueError, match="text is 'some'"):
        tk.read(path, text="some")


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<a>\n <b></a>", "the document, line 2, column 7: this is not XML: mismatched tag"),
        ("", "this is not XML: no element found"),
        ("<a/><a/>", "this is not XML: junk after"),
        (f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a x="&l11;"/>', "this is not XML"),
    ],
)
def test_bad_xml(text: str, message: str) -> None:
    with pytest.raises(tk.ParseError, match=message):
        readers.from_xml_string(text)


def test_entities_are_not_fetched_or_expanded(write: Write) -> None:
    secret = write("secret.txt", "secret")
    text = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}"><!ENTITY l0 "ha">{LAUGHS}]>'
    tree = readers.from_xml_string(f"{text}<a>&x; &l11;</a>")
    assert tree.leaves() == ["&x; &l11;"]


def test_html(write: Write) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    text = "<!doctype html><p class=x>one<br>two &eacute;<!-- c --> <b>three</b> four"
    expected = (
        "(html (body (p (@class x) (#text one) br (#text two\\x20é) (b (#text three))"
        " (#text four))))"
    )
    assert tk.read(write("a.html", text)).to_brackets() == [expected]
    assert readers.from_html_string(text).to_brackets() == expected
    accents = readers.from_html_string("<p>é</p>")
    assert accents.leaves() == ["é"]
    with pytest.raises(tk.ParseError, match="there is no element"):
        readers.from_html_string(" ")


@pytest.mark.parametrize("depth", [200, 1000, 5000, 300_000])
def test_deep_html_is_whole_or_refused(depth: int) -> None:
    pytest.importorskip("lxml", reason="lxml is not installed")
    text = "<div>" * depth + "x" + "</div>" * depth
    if depth > 2000:  # libxml2's limit is some 2,048
        with pytest.raises(tk.ParseError, match="cannot be read to its end"):
            readers.from_html_string(text)
    else:
        assert readers.from_html_string(text).depth == depth + 4


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "column 1: this is not JSON: a value"),
        ("[1,]", "column 4: this is not JSON: a value"),
        ('{"a" 1}', "column 6: this is not JSON: a colon"),
        ("{1: 2}", "column 2: this is not JSON: a key"),
        ("[1 2]", "column 4: this is not JSON: a comma or ]"),
        ('{"a": 1]', "column 8: this is not JSON: a comma or }"),
        ("[1]\n]", "the document, line 2, column 1: this is not JSON: there is more"),
        ('["a', "column 2: this is not JSON: Unterminated string"),
        ("[01]", "column 3: this is not JSON: a comma"),
        ("NaN", "column 1: this is not JSON: a value"),
        ("[", "column 2: this is not JSON: a value"),
        ('{"a": 1,}', "column 9: this is not JSON: a key"),
    ],
)
def test_bad_json(text: str, where: str) -> None:
    with pytest.raises(tk.ParseError, match=where):
        readers.from_json_string(text)

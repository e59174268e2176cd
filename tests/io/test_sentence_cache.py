"""The cache of parsed texts: found again, shared, damaged, of other versions, interrupted."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import tiny_spacy
import treekernels as tk
from treekernels.io.sentences import cache as module

TEXTS = [f"a{number} b" for number in range(5)]


class Parser:
    """Counts what it parses."""

    def __init__(self, key: str = "counting 1") -> None:
        self.cache_key = key
        self.seen: list[str] = []

    def __call__(self, text: str) -> Any:
        self.seen.append(text)
        return ("S", *text.split())


def files_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("*/*.gz"))


def test_nothing_is_parsed_twice(tmp_path: Path) -> None:
    parser = Parser()
    first = tk.parse(TEXTS[:3], parser, cache=tmp_path)
    assert tk.parse(TEXTS[:3], parser, cache=tmp_path) == first
    assert tk.parse(TEXTS, parser, cache=tmp_path)[:3] == first
    assert parser.seen == TEXTS
    assert len(files_of(tmp_path)) == 2
    another = Parser("counting 2")
    tk.parse(TEXTS, another, cache=tmp_path)
    assert another.seen == TEXTS, "another version parses for itself"


def test_another_shape_needs_no_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("spacy", reason="spaCy is not installed")
    name = tiny_spacy.install(tmp_path / "site", monkeypatch)
    tk.parse(TEXTS, name, cache=tmp_path / "cache")
    lct = tk.parse(TEXTS, name, shape="LCT")
    monkeypatch.setattr("spacy.language.Language.pipe", None)
    assert tk.parse(TEXTS, name, shape="LCT", cache=tmp_path / "cache") == lct


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _with_other_words(content: bytes) -> bytes:
    return gzip.compress(gzip.decompress(content).replace(b"a1", b"zz"))


def _of_a_line(change: Callable[[Any], Any]) -> Callable[[bytes], bytes]:
    """Return what makes a change of the first line, whose checksum is right again."""

    def damage(content: bytes) -> bytes:
        lines = gzip.decompress(content).splitlines()
        digest, _, rest = lines[1].partition(b" ")
        changed = json.dumps(change(json.loads(rest.partition(b" ")[2]))).encode()
        lines[1] = digest + b" %08x " % zlib.crc32(digest + changed) + changed
        return gzip.compress(b"\n".join(lines))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _with_other_words,
        lambda _: b"",
        lambda _: b"not compressed",
        lambda _: gzip.compress(b"one\n\ntwo three four\n\xff\xff \n"),
        _of_a_line(lambda _: 7),
        _of_a_line(lambda _: [["text", 7, []]]),
        _of_a_line(lambda _: [["text", None, [["a", "a", "X", "X", "root", 5]]]]),
        _of_a_line(lambda _: [["text", None, [["a", "a", "X", "X", "root"]]]]),
    ],
)
def test_what_is_damaged_is_parsed_again(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    parser = Parser()
    expected = tk.parse(TEXTS, parser, cache=tmp_path)
    (file,) = files_of(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    parser.seen.clear()
    assert tk.parse(TEXTS, parser, cache=tmp_path) == expected
    assert TEXTS[1] in parser.seen


def test_an_interrupted_run_is_not_lost(tmp_path: Path) -> None:
    class Stopped(Parser):
        def __call__(self, text: str) -> Any:
            if text == TEXTS[3]:
                raise KeyboardInterrupt
            return super().__call__(text)

    with pytest.raises(KeyboardInterrupt):
        tk.parse(TEXTS, Stopped(), cache=tmp_path)
    parser = Parser()
    tk.parse(TEXTS, parser, cache=tmp_path)
    assert parser.seen == TEXTS[3:]


def test_several_at_once(tmp_path: Path) -> None:
    def run(number: int) -> bool:
        own = TEXTS[number:] + TEXTS[:number]
        return bool(tk.parse(own, Parser(), cache=tmp_path) == tk.parse(own, Parser()))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, [0, 1, 2, 3] * 3))
    parser = Parser()
    tk.parse(TEXTS, parser, cache=tmp_path)
    assert parser.seen == []


def test_another_version_of_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tk.parse(TEXTS, Parser(), cache=tmp_path)
    monkeypatch.setattr(module, "_VERSION", 2)
    parser = Parser()
    tk.parse(TEXTS, parser, cache=tmp_path)
    assert parser.seen == TEXTS


def test_a_function_without_a_key_is_not_mistaken_for_another(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cache_key to a text that changes with its results"):
        tk.parse(TEXTS, lambda _: "(A b)", cache=tmp_path)
    with pytest.raises(ValueError, match="cache is the name of a folder"):
        tk.parse(TEXTS, Parser(), cache=7)  # type: ignore[arg-type]

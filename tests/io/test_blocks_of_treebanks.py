"""Treebanks read in blocks by the core: the same trees, places and errors as line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

import treekernels as tk
from treekernels import _native
from treekernels.io.reading.input import lines

SMALL = [1 << 20, 64, 3]  # bytes that are read at a time
PENN = st.sampled_from(
    [
        *(
            "( (S (NP (N a)) (VP b)) )",
            "(A\n  (B c)\n\n d)",
            "(A b) (B c)",
            " (A (B))\r",
            "((A b))",
        ),
        *("# (no tree", "*x* (none", "  # neither", "", " \t", "(A \u00e4\\x28)", "(\n (A b)\n)"),
        *(
            "(A",
            "b)",
            "(A ))",
            "(A b) c",
            "( (A b) (B c))",
            "()",
            "x",
            "\u2003(A b)",
            "(A b\u2003c)",
        ),
        *("(A \0)", "(A b) # c", "(A)(B)"),
    ]
)
WORDS = st.sampled_from(["a", "B", "\u00e4", "", "_", "(", "x y", "NOUN", "VERB"])


def read_both(path: Path, slow: dict[str, Any], fast: dict[str, Any]) -> list[Any]:
    """Return trees, lines and problems, read in both ways."""
    results = []
    for options in (slow, fast):
        problems: list[tk.ParseError] = []
        table = tk.read(path, skip_bad=True, problems=problems, origin=True, **options)
        columns = {name: list(column) for name, column in table.items() if name != "tree"}
        results.append((table["tree"].to_brackets(), columns, list(map(str, problems))))
    return results


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(PENN, max_size=8), st.sampled_from(SMALL), st.booleans())
def test_penn(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parts: list[str],
    buffer: int,
    ends: bool,
) -> None:
    path = tmp_path / "trees.mrg"
    path.write_text("\n".join(parts) + "\n" * ends, encoding="utf-8", newline="")
    monkeypatch.setattr(lines, "_BUFFER", buffer)
    fast = read_both(path, {}, {})[1]
    with monkeypatch.context() as patch:
        nothing = _native.read_penn(_native.Dag(), b"", 1)
        patch.setattr(_native, "read_penn", lambda *_: nothing)
        assert read_both(path, {}, {})[0] == fast


@st.composite
def sentences(draw: st.DrawFn) -> str:
    """Return a sentence, which is mostly a good one."""
    count = draw(st.integers(1, 6))
    rows = [f"# text = {draw(WORDS)}", "#sent_id=7"][: draw(st.integers(0, 2))]
    order = draw(st.permutations(range(count)))
    heads = [0] * count
    for number, place in enumerate(order[1:], start=1):
        heads[place] = order[draw(st.integers(0, number - 1))] + 1
    for place, head in enumerate(heads):
        if draw(st.integers(0, 19)) == 0:
            head = draw(st.integers(0, count + 1))
        word = [draw(WORDS) for _ in range(5)]
        rows.append("\t".join([str(place + 1), *word[:4], "_", str(head), word[4], "_", "_"]))
        if draw(st.integers(0, 9)) == 0:
            others = ["1-2" + "\t_" * 9, "1.1" + "\t_" * 9, "# b", "x", "1\ta\0" + "\t_" * 8]
            rows.append(draw(st.sampled_from(others)))
    return draw(st.sampled_from(["\n", "\r\n", "\n"])).join([*rows, "", ""])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(sentences(), max_size=4), st.sampled_from(SMALL), st.data())
def test_conllu(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parts: list[str],
    buffer: int,
    data: st.DataObject,
) -> None:
    path = tmp_path / "trees.conllu"
    text = "".join(parts)
    path.write_text(text[: len(text) - data.draw(st.integers(0, 2))], encoding="utf-8", newline="")
    monkeypatch.setattr(lines, "_BUFFER", buffer)
    options: dict[str, Any] = {
        "shape": data.draw(st.sampled_from(["GRCT", "LCT", "LOCT", "CGRCT", "CLCT"])),
        "tag": data.draw(st.sampled_from(["upos", "xpos"])),
    }
    slow = {"lexeme": lambda token: f"{token.form}::{token.pos}{{}}", **options}
    by_line, by_block = read_both(path, slow, {"lexeme": "{form}::{pos}{{}}", **options})
    assert by_block == by_line


def test_comments_are_of_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    row = "\t".join(["1", "a", "_", "X", "_", "_", "0", "root", "_", "_"]) + "\n\n"
    path.write_text(f"# sent_id = 7\n# text = A\n{row}{row}# text=  B\n{row}")
    table = tk.read(path, origin=True)
    assert table["sent_id"].tolist() == ["7", None, None]
    assert table["text"].tolist() == ["A", None, "B"]
    assert table["line"].tolist() == [3, 5, 8]


def test_a_sentence_of_other_lines_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("1-2" + "\t_" * 9 + "\n\n")
    with pytest.raises(tk.ParseError, match=r"a\.conllu, line 1: the sentence has no words"):
        tk.read(path)


def test_progress_tells_bytes(tmp_path: Path) -> None:
    paths = []
    for name in ("a.trees", "b.trees.gz", "c.json"):
        paths.append(tmp_path / name)
        if name == "c.json":
            paths[-1].write_text("{}")
        else:
            tk.write(paths[-1], tk.Forest(["(A b)"] * 40_000))
    steps: list[tuple[int, int]] = []
    tk.read(paths, progress=lambda done, total: steps.append((done, total)))
    assert {total for _, total in steps} == {sum(path.stat().st_size for path in paths)}
    assert steps == sorted(set(steps))
    assert steps[-1][0] == steps[-1][1]
    with pytest.raises(tk.ParameterError, match="verbose"):
        tk.read(paths[0], verbose="x")

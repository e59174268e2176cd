"""Submissions of a course: shares, thresholds, what is read, and what two of them share."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from oracles.submissions import SlowCourse, equal_subtrees
from treekernels.search.submissions.chance import HIGHEST, LOWEST, Threshold
from treekernels.search.submissions.course import SourceText, Submission, read_course
from treekernels.search.submissions.groups import groups_of
from treekernels.search.submissions.matches import Located, shared_passages
from treekernels.search.submissions.weights import CourseWeights
from treekernels.testing.strategies import trees

LISTING = '''
import sys

def read_numbers(name):
    """Read the numbers of a file."""
    numbers = []
    for line in open(name):
        if line.strip():
            numbers.append(float(line.split(",")[0]))
    return numbers

def spread(numbers):
    mean = sum(numbers) / len(numbers)
    total = 0
    for number in numbers:
        total += (number - mean) ** 2
    return (total / (len(numbers) - 1)) ** 0.5

def longest_run(numbers):
    best = run = 1
    previous = None
    for number in numbers:
        run = run + 1 if number == previous else 1
        best = max(best, run)
        previous = number
    return best
'''
READ, SPREAD, RUN = LISTING.split("\n\n")[1:]
OTHER = """
class Table:
    def __init__(self, rows):
        self.rows = {row[0]: row[1:] for row in rows}

    def widest(self):
        return max(self.rows.values(), key=len)

    def save(self, name):
        with open(name, "w") as file:
            while self.rows:
                key, values = self.rows.popitem()
                print(key, *values, sep=";", file=file)
"""
RENAMED = (
    LISTING.replace("numbers", "xs").replace("total", "s").replace("mean", "m").replace("run", "r")
)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def brackets(tree: Any) -> str:
    label, *children = tree
    return f"({label} {' '.join(map(brackets, children))})" if children else f"({label})"


@given(st.lists(trees(10), min_size=1, max_size=12), st.none() | trees(8))
def test_shares_are_those_of_the_features(examples: list[Any], template: Any) -> None:
    course = tk.Forest([brackets(tree) for tree in examples])
    given_code = None if template is None else tk.Forest([brackets(template)])
    weights = CourseWeights.of(course, given_code)
    shared, totals = weights.shared(course), weights.totals(course)
    slow = SlowCourse(examples, template)
    for one in range(len(examples)):
        for other in range(len(examples)):
            share = shared[one, other] / totals[one] if totals[one] > 0 else 0.0
            assert share == pytest.approx(slow.share(one, other), abs=1e-9)


@given(trees(14, "ab"), trees(14, "ab"), st.booleans())
def test_passages_are_the_largest_equal_subtrees(one: Any, other: Any, same: bool) -> None:
    pair = [("R", one, other), ("R", other, one) if same else ("R", other)]
    forest = tk.Forest([brackets(tree) for tree in pair])
    located = []
    for number, tree in enumerate(pair):
        stops = tk.structures.Outline(forest[number]).stops
        texts, start = [], 1
        while start < len(stops):
            end = int(stops[start])
            spans = np.stack([np.arange(start, end), stops[start:end]], 1) - start
            texts.append(SourceText(f"{start}", "x" * (end - start), spans))
            start = end
        assert len(texts) == len(tree) - 1
        located.append(Located(forest, number, Submission("s", texts)))
    nothing = np.empty(0, np.int64)
    for smallest_part, smallest in ((4, 10), (1, 1)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("treekernels.search.submissions.matches.SMALLEST_PART", smallest_part)
            patch.setattr("treekernels.search.submissions.matches.SMALLEST", smallest)
            passages = shared_passages(*located, nothing)
        for side in ("first", "second"):
            places = [getattr(passage, side) for passage in passages]
            taken = [(place.file, at) for place in places for at in range(place.begin, place.end)]
            assert len(taken) == len(set(taken))
            assert len(taken) == sum(passage.nodes for passage in passages)
    assert len(taken) == equal_subtrees(*pair, 1)
    assert not shared_passages(*located, np.unique(located[0].nodes))


def test_the_threshold_is_beyond_chance_and_below_copies() -> None:
    rng = np.random.default_rng(1)
    above = []
    for _ in range(20):
        chance = np.triu(rng.beta(3, 9, (80, 80)), 1)
        similarities = chance + chance.T
        alone = Threshold.of(similarities).value
        above.append(int((np.triu(similarities) >= alone).sum()))
        for copy in range(10):
            similarities[copy, copy + 40] = similarities[copy + 40, copy] = 0.97
        assert alone - 0.1 < Threshold.of(similarities).value < min(alone + 0.1, 0.97)
    assert np.mean(above) < 1
    assert Threshold.of(np.ones((30, 30))).value == HIGHEST
    assert Threshold.of(np.zeros((30, 30))).value == LOWEST
    assert Threshold.of(np.ones((3, 3))).value == 0.5


def test_groups_are_no_chains() -> None:
    chain = np.eye(5)
    for place in range(4):
        chain[place, place + 1] = chain[place + 1, place] = 0.9
    groups = groups_of(chain, 0.8)
    assert sorted(map(len, groups)) == [2, 2]
    assert groups_of(np.full((4, 4), 0.9), 0.8) == [[0, 1, 2, 3]]
    assert groups_of(np.eye(3), 0.5) == []


def test_copies_are_found_whatever_was_done_to_them(tmp_path: Path) -> None:
    loop = "    at = 0\n    while at < len(numbers):\n        number = numbers[at]\n"
    loop += "        total += (number - mean) ** 2\n        at += 1\n"
    looped = LISTING.replace(
        "    for number in numbers:\n        total += (number - mean) ** 2\n", loop
    )
    assert looped != LISTING
    files = {
        "anna.py": LISTING,
        "renamed.py": RENAMED,
        "reordered.py": "\n\n".join([RUN, SPREAD, READ]),
        "split/one.py": SPREAD,
        "split/two/three.py": READ + "\n\n" + RUN,
        "looped.py": looped,
        "half.py": SPREAD + "\n\n" + OTHER,
        "other.py": OTHER,
    }
    result = tk.compare_submissions(write(tmp_path, files))
    assert result.names == ["anna", "half", "looped", "other", "renamed", "reordered", "split"]
    pairs = {(pair.first, pair.second): pair for pair in result.pairs(0.0)}
    assert len(pairs) == 21
    assert pairs["anna", "renamed"].similarity == 1
    assert pairs["anna", "reordered"].similarity > 0.9
    assert pairs["anna", "split"].similarity > 0.85
    assert pairs["anna", "looped"].similarity > 0.7
    assert pairs["anna", "other"].similarity < 0.3
    half = pairs["anna", "half"]
    assert 0.2 < half.first_in_second < 0.7
    smaller, larger = sorted((half.first_in_second, half.second_in_first))
    assert half.similarity == pytest.approx(0.1 * smaller + 0.9 * larger)
    assert result.pairs()[0] == pairs["anna", "renamed"]
    ((first, *_), *_) = result.groups()
    assert first == "anna"
    assert result.closest()[result.names.index("half")].second == "other"


def test_passages_stand_where_they_are_said_to(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "é = '𝄞'\n" + LISTING, "b/x.py": SPREAD + "\n", "b/y.py": OTHER})
    result = tk.compare_submissions(tmp_path)
    (passage,) = result.passages("a", "b")
    text = result.submission(0).files[passage.first.file].text.encode()
    assert text[passage.first.begin : passage.first.end].decode() == SPREAD.strip()
    assert result.submission(1).files[passage.second.file].name == "x.py"
    with pytest.raises(ValueError, match="there is no submission 'c'"):
        result.passages("a", "c")


def test_what_was_given_counts_nothing(tmp_path: Path) -> None:
    mine, theirs = "def f(x):\n    return [y for y in x if y > 3 and y % 7]\n", OTHER
    write(tmp_path, {"course/a.py": LISTING + mine, "course/b.py": LISTING + theirs})
    write(tmp_path, {"given.py": LISTING})
    without = tk.compare_submissions(tmp_path / "course")
    result = tk.compare_submissions(tmp_path / "course", template=tmp_path / "given.py")
    assert without.similarities[0, 1] > 0.5 > 0.2 > result.similarities[0, 1]
    assert without.passages("a", "b")
    assert not result.passages("a", "b")
    assert "of the template" in result.ignored
    many = {f"{number}.py": LISTING + f"def f(x):\n    return {'x + ' * number}x\n"
            for number in range(2, 14)}  # fmt: skip
    common = tk.compare_submissions(write(tmp_path / "many", many))
    assert "most submissions have" in common.ignored
    assert common.similarities[0, 1] < 0.9


def test_earlier_courses_as_folders_and_as_indexes(tmp_path: Path) -> None:
    write(tmp_path / "old", {"anna.py": RENAMED, "zoe.py": OTHER})
    write(tmp_path / "new", {"anna.py": LISTING, "ben.py": OTHER.replace("rows", "lines")})
    tk.compare_submissions(tmp_path / "old").index().save(tmp_path / "old.tki")
    by_folder = tk.compare_submissions(tmp_path / "new", against=tmp_path / "old")
    by_index = tk.compare_submissions(tmp_path / "new", against=[tmp_path / "old.tki"])
    assert by_folder.earlier_names == by_index.earlier_names == ["old/anna", "old/zoe"]
    np.testing.assert_allclose(by_folder.similarities, by_index.similarities)
    found = [(pair.first, pair.second, pair.earlier) for pair in by_folder.pairs(0.99)]
    assert sorted(found) == [("anna", "old/anna", True), ("ben", "old/zoe", True)]
    assert by_folder.passages("anna", "old/anna")
    assert by_index.passages("anna", "old/anna") == []
    alone = tk.compare_submissions(tmp_path / "new")
    np.testing.assert_array_equal(alone.similarities, by_folder.similarities[:, :2])


def test_what_is_read_and_what_is_left_out(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", SPREAD]},
        {"cell_type": "code", "source": READ + "\n\n" + RUN},
    ]
    files = {
        "a.py": LISTING,
        "notebook.ipynb": json.dumps({"cells": cells}),
        "broken.py": "def f(:\n",
        "mistaken.py": LISTING + "\ndef g(:\n    pass\n",
        "no/notes.txt": "nothing",
        "empty.py": "",
        "large.py": "x = 1\n" * 400_000,
        ".hidden.py": LISTING,
        "packages/node_modules/x.py": LISTING,
        "bad.ipynb": "[]",
        "windows.py": LISTING.replace("\n", "\r\n"),
    }
    course = read_course(write(tmp_path, files))
    assert [one.name for one in course.submissions] == ["a", "mistaken", "notebook", "windows"]
    assert course.submissions[0].files[0].text == course.submissions[3].files[0].text
    said = "\n".join(course.left_out)
    for reason in ("broken.py was left out: ", "this is not Python", "not a notebook", "2.0 MB"):
        assert reason in said
    assert "next to nothing to compare were left out: empty, no" in said
    assert "mistaken.py, line " in said
    assert "; the rest was read" in said
    result = tk.compare_submissions(tmp_path)
    assert result.similarities[0, 1:].min() > 0.9
    for passage in result.passages("a", "mistaken"):
        sides = [(0, passage.first), (1, passage.second)]
        texts = [
            result.submission(number).files[0].text.encode()[place.begin : place.end]
            for number, place in sides
        ]
        assert texts[0].strip() in texts[1]
        assert texts[0].strip()
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_course(tmp_path / "nowhere")
    with pytest.raises(tk.errors.DataError, match="no submissions that can be read"):
        read_course(tmp_path / "no")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_links_and_pipes_are_passed_over(tmp_path: Path) -> None:
    course = write(tmp_path / "course", {"a/x.py": LISTING, "b/x.py": SPREAD})
    write(tmp_path / "elsewhere", {"secret.py": OTHER})
    (course / "a" / "y.py").symlink_to(tmp_path / "elsewhere" / "secret.py")
    (course / "b" / "folder").symlink_to(tmp_path / "elsewhere")
    (course / "c").symlink_to(tmp_path / "elsewhere")
    (course / "d.py").symlink_to(tmp_path / "elsewhere" / "secret.py")
    (course / "e").mkdir()
    os.mkfifo(course / "e" / "pipe.py")
    os.mkfifo(course / "pipe.py")
    read = read_course(course)
    files = [(one.name, [file.name for file in one.files]) for one in read.submissions]
    assert files == [("a", ["x.py"]), ("b", ["x.py"])]


def test_submissions_that_are_no_programs(tmp_path: Path) -> None:
    page = (
        "<page><head><title>a</title></head><body><p>b</p><p>c</p><ul><li>d</li></ul></body></page>"
    )
    write(tmp_path, {"a.xml": page, "b.xml": page, "c.xml": page.replace("p>", "i>")})
    result = tk.compare_submissions(tmp_path)
    assert result.similarities[0, 1] == 1 > result.similarities[0, 2]
    assert result.passages("a", "b") == []


def test_programs_in_other_languages(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_java", reason="tree-sitter-java is not installed")
    java = "class A { int f(int n) { int s = 0; for (; n > 0; n--) { s += n * n; } return s; } }"
    other = java.replace("A", "B").replace(" s", " sum").replace("0", "17")
    write(
        tmp_path,
        {"a.java": f"/* anna */ {java}", "b.java": f"import x.y;\n{other}", "c.py": LISTING},
    )
    write(tmp_path, {"d.rs": "fn main() {}", "e.java": java.replace("s += n", "s -= n")})
    result = tk.compare_submissions(tmp_path)
    assert result.names == ["a", "b", "c", "e"]
    assert result.similarities[0, 1] == 1 > result.similarities[0, 3] > result.similarities[0, 2]
    (sentence,) = result.left_out
    assert "pip install tree-sitter-rust" in sentence


def test_tables_and_pages(tmp_path: Path) -> None:
    write(tmp_path / "c", {"=1+cmd()/a.py": LISTING, "<b>ben.py": RENAMED, "carla.py": OTHER})
    result = tk.compare_submissions(tmp_path / "c")
    result.to_csv(tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["above_threshold"] for row in rows] == ["1", "0", "0"]
    assert (rows[0]["first"], rows[0]["second"]) == ("<b>ben", "'=1+cmd()")
    assert "&lt;b&gt;ben" in result._repr_html_()
    assert repr(result) == "<CourseComparison: 3 submissions, 1 pair of similarity 0.50 or more>"
    data = json.loads(json.dumps(result.as_data(most=2)))
    assert len(data["pairs"]) == 2
    assert sum(data["histogram"]["counts"]) == 3
    assert data["groups"] == [["<b>ben", "=1+cmd()"]]


def test_anonymous_results_are_the_same_without_names(tmp_path: Path) -> None:
    write(tmp_path / "old", {"zoe.py": RENAMED, "yan.py": OTHER})
    write(tmp_path / "c", {"anna/secret.py": OTHER, "ben.py": LISTING, "carla.py": RENAMED + SPREAD,
                           "broken-dora.py": "("})  # fmt: skip
    result = tk.compare_submissions(tmp_path / "c", against=tmp_path / "old")
    hidden = result.anonymous()
    hidden.to_html(tmp_path / "page.html")
    written = json.dumps(hidden.as_data()) + (tmp_path / "page.html").read_text("utf-8")
    for name in ("anna", "ben", "carla", "dora", "zoe", "yan", "secret"):
        assert f"{name}" not in written.lower().replace("benchmark", "")
    assert sorted(hidden.names) == [f"submission {number}" for number in (1, 2, 3)]
    for mine, theirs in zip(result.pairs(0.0), hidden.pairs(0.0), strict=True):
        assert mine.similarity == theirs.similarity
    assert result.names == ["anna", "ben", "carla"]
    assert len(hidden.passages_at(*hidden.places(0.0)[0])) == len(
        result.passages_at(*result.places(0.0)[0])
    )
    assert hidden.index().ids == hidden.names

"""Reports: what is on the page, and how a real browser sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import treekernels as tk
from chromium import seen
from treekernels.cli.main import main
from treekernels.report import Report, ScoreTable, Split, html_of, study, write_report

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

EVIL = "<script>window.hacked=1</script>"


def examples(seed: int, count: int = 90) -> tuple[tk.Forest, np.ndarray[Any, Any]]:
    """Return trees of three classes that can be told apart, but not always."""
    random = np.random.default_rng(seed)
    words = ["dog", "cat", "<img src=x onerror=window.hacked=2>", "a_rather_long_name_of_a_thing"]
    names = np.array(["statement", "question", EVIL], object)
    places = random.integers(3, size=count)
    trees = []
    for place in places:
        noun = ("NP", ("D", "the"), ("N", words[random.integers(4)]))
        verb = ("VP", ("V", "ran"), *[("ADV", "fast")] * int(random.integers(3)))
        root = "S" if random.random() < 0.15 else ["S", "SQ", "X"][place]
        trees.append((root, noun, verb) if place else (root, verb, noun))
    return tk.Forest.from_trees(trees), names[places]


def report_of(learner: Any, title: str = "A report", tested_on: int = 90) -> Report:
    X, labels = examples(0)
    Y, expected = examples(1, tested_on)
    model = learner.fit(X, labels)
    split = Split(model, X, labels, Y, expected, model.predict(Y))
    scores = ScoreTable(["", "accuracy"], [["tree kernel", "0.9"]], "A note.")
    return study([split], scores, title=title, facts={"data": "made up", "evil": EVIL})


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, report_of(tk.TreeSVC("sst", C=10, random_state=0), f"A report {EVIL}"))
    return path


@pytest.mark.parametrize("width", [390, 1200])
def test_in_a_browser(page: Path, width: int, tmp_path: Path) -> None:
    result = seen(page, width, tmp_path)
    assert result["title"] == f"A report {EVIL}"
    assert result["width"] == width
    assert result["content"] <= width, "the page scrolls sideways"
    assert result["sticking_out"] == 0
    assert result["requests"] == []
    assert (result["scripts"], result["hacked"]) == (0, None)
    assert result["broken"] == 0
    assert len(set(result["ids"])) == len(result["ids"])
    assert min(result["plot_text"]) >= 7, "pixels"
    for words in ("Each class", "surest mistakes", "What speaks for each class", EVIL):
        assert words in result["text"]
    assert len(result["trees"]) > 10
    assert all(len(boxes) > 1 for boxes in result["trees"])
    from PIL import Image

    with Image.open(result["picture"]) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 24)) > 50


def test_needs_no_other_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?([^"\')\s>]+)', text)
    assert {link for link in links if not link.startswith(("#", "data:", "x"))} == set()
    assert not re.search(r"<(script|link|iframe|object|img)\b", text)
    assert "@import" not in text
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text


def test_figures_are_those_of_the_evaluation() -> None:
    report = report_of(tk.TreeSVC("sst", C=10, random_state=0))
    text = html_of(report)
    accuracy = float(np.mean(report.expected == report.predicted))
    assert report.curve is not None
    sizes, scores = report.curve
    assert sizes == [5, 11, 22, 45, 90]
    assert scores[-1] == accuracy
    from sklearn.metrics import precision_score, recall_score

    for score in (precision_score, recall_score):
        value = score(report.expected, report.predicted, labels=["statement"], average=None)[0]
        assert f"<td>{value:.3f}</td>" in text
    assert report.mistakes
    for mistake in report.mistakes:
        assert mistake.expected != mistake.predicted
        assert sum(mistake.weights.values()) == pytest.approx(
            sum(fragment.weight for fragment in mistake.fragments)
        )
    margins = [mistake.margin for mistake in report.mistakes]
    assert margins == sorted(margins, reverse=True)
    assert {fragment.class_ for fragment in report.fragments} == {"statement", "question", EVIL}


def test_the_surest_mistakes_are_shown() -> None:
    """Those where the predicted class is furthest above the right one, in this order."""
    model = tk.TreeSVC("sst", C=10, random_state=0)
    report = report_of(model, tested_on=400)
    Y, expected = examples(1, 400)
    scores = model.decision_function(Y)
    place = {name: number for number, name in enumerate(model.classes_)}
    margins = [
        scores[row].max() - scores[row, place[label]]
        for row, label in enumerate(expected)
        if model.classes_[scores[row].argmax()] != label
    ]
    assert len(margins) > 4
    surest = sorted(margins, reverse=True)[:4]
    assert surest[-1] > min(margins), "all are as sure, and the test says nothing"
    assert [mistake.margin for mistake in report.mistakes] == pytest.approx(surest)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (
            tk.TreeSVC(tk.SubsetTreeKernel() ** 2, random_state=0),
            "fragments of these can be listed",
        ),
        (tk.TreePerceptron("sst", average="vote", random_state=0), "the last of the perceptrons"),
    ],
)
def test_other_learners(learner: Any, words: str) -> None:
    assert words in html_of(report_of(learner))


def test_two_classes_and_columns() -> None:
    X, labels = examples(0)
    labels = np.where(labels == "question", "question", "other")
    table = tk.Table({"tree": X, "vector": np.eye(len(X))})
    kernel = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="vector")
    model = tk.TreeSVC(kernel, random_state=0).fit(table, labels)
    predicted = np.where(labels == "question", "other", labels)
    split = Split(model, table, labels, table, labels, predicted)
    text = html_of(study([split], ScoreTable([""], []), title="T", facts={}))
    assert "question, taken for other" in text
    assert "on tree" in text


def command(*arguments: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0


def lines(seed: int) -> Sequence[str]:
    X, labels = examples(seed)
    return [f"{label.split('.')[0]}\t{tree}\n" for label, tree in zip(labels, X, strict=True)]


@pytest.mark.parametrize("options", [["--test", "test.tsv"], ["--folds", "3"]])
def test_evaluate(
    options: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for seed, name in enumerate(["train.tsv", "test.tsv"]):
        Path(name).write_text("".join(lines(seed)))
    command("evaluate", "train.tsv", *options)
    plain = capsys.readouterr()
    command("evaluate", "train.tsv", *options, "--report", "out.html")
    reported = capsys.readouterr()
    assert reported.err == "The report is in out.html.\n"
    drop = re.compile("learned in.*", re.DOTALL)
    assert drop.sub("", reported.out) == drop.sub("", plain.out), "a report changes no figure"
    text = Path("out.html").read_text(encoding="utf-8")
    accuracy = re.search(r"accuracy (0\.\d+)", plain.out)
    assert accuracy is not None
    assert f"<td>{accuracy[1]}</td>" in text
    assert "always the commonest class" in text
    assert "TreeSVC, C 10.0" in text
    assert "surest mistakes" in text


class Counting(tk.TreeSVC):  # type: ignore[misc]
    """Notes from how many examples it learns."""

    fits: ClassVar[list[int]] = []

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counting:
        Counting.fits.append(len(y))
        super().fit(X, y, sample_weight)
        return self


@pytest.mark.parametrize(
    ("options", "fits"),
    [
        # Each fold once, and the smaller points of the learning curve: its largest is the first
        # fold, of which the fragments are too.
        (["--folds", "3", "--report", "out.html"], [60, 60, 60, 3, 7, 15, 30]),
        (["--test", "test.tsv", "--report", "out.html"], [90, 5, 11, 22, 45]),
        (["--folds", "3"], [60, 60, 60]),
        (["--test", "test.tsv"], [90]),
    ],
)
def test_nothing_is_learned_twice(
    options: list[str], fits: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("treekernels.cli.shared.learners.TreeSVC", Counting)
    monkeypatch.setattr(Counting, "fits", [])
    for seed, name in enumerate(["train.tsv", "test.tsv"]):
        Path(name).write_text("".join(lines(seed)))
    command("evaluate", "train.tsv", *options)
    assert Counting.fits == fits

"""What the README shows is what the library does: its programs, its commands, and its picture.

`test_readme_statements` says which test holds which sentence.
"""

from __future__ import annotations

import gzip
import importlib
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessClassifier, GaussianProcessRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

import treekernels as tk
from treekernels.cli.main import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    line.partition("  #")[0].strip()
    for kind, text in BLOCKS
    if not kind
    for line in text.splitlines()
    if line.startswith("treekernels ")
]
QUESTION = "(SBARQ (WHNP (WP {who})) (SQ (VBZ sings)))"
STATEMENT = "(S (NP (NN {who})) (VP (VBZ sings)))"
SENTENCE = "1\ta\ta\tDET\t_\t_\t2\t{relation}\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README reads."""
    rows = [f"question\t{QUESTION.format(who=who)}" for who in ("Who", "What", "Whom", "Which")]
    rows += [f"statement\t{STATEMENT.format(who=who)}" for who in ("Mary", "John", "Ann", "Bob")]
    rows = 2 * rows[::4] + rows
    table = "\n".join(rows) + "\n"
    files = {
        **dict.fromkeys(["questions.tsv", "data.tsv", "new.tsv"], table),
        "english.conllu": 3 * SENTENCE.format(relation="det"),
        "german.conllu": 3 * SENTENCE.format(relation="amod"),
        "src/one/a.py": "def f(x):\n    return x + 1\n",
        "src/two/b.py": "class A:\n    def g(self):\n        for x in self:\n            f(x)\n",
        "pages/news/a.xml": "<page><title>one</title></page>",
        "pages/shop/b.xml": "<page><item>two</item><price>3</price></page>",
        "train.svmlight": "1 |BT| (S (A a)) |ET| 1:0.5 |EV|\n-1 |BT| (T (B b)) |ET| 2:1 |EV|\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    for name in ("part1.tsv.gz", "part2.tsv.gz"):
        (tmp_path / name).write_bytes(gzip.compress(table.encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def programs() -> list[str]:
    return [text for kind, text in BLOCKS if kind == "python"]


def names_after(count: int) -> dict[str, Any]:
    """Run the first so many programs, each after the others, and return what they have named."""
    names: dict[str, Any] = {}
    for text in programs()[:count]:
        exec(text, names)
    return names


def test_the_example_prints_what_is_shown() -> None:
    place = next(i for i, (kind, text) in enumerate(BLOCKS) if kind == "python" and "print" in text)
    result = subprocess.run(
        [sys.executable, "-c", BLOCKS[place][1]], capture_output=True, text=True, check=True
    )
    assert result.stdout == BLOCKS[place + 1][1]
    statements = [line for line in BLOCKS[place][1].splitlines() if line]
    assert len(statements) == 11  # and an empty one: twelve lines


def test_every_program_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(programs()) == 9
    names = names_after(9)
    assert names["learner"].t_ == 24
    assert names["functions"]["label"].tolist() == ["one", "two"]
    assert names["functions"]["name"].tolist() == ["f", "g"]
    assert names["pages"]["label"].tolist() == ["news", "shop"]
    assert names["search"].best_score_ >= 0


def test_parse_trees_are_told_apart(folder: Path) -> None:
    names = names_after(2)
    assert names["model"].predict([QUESTION.format(who="Whose")]).tolist() == ["question"]
    assert isinstance(names["model"].kernel_, tk.SubsetTreeKernel)


def test_two_treebanks_are_two_classes(folder: Path) -> None:
    names = names_after(3)
    assert names["model"].predict(names["data"]["tree"]).tolist() == 3 * ["english"] + 3 * [
        "german"
    ]
    shapes = {str(tk.read("english.conllu", shape=shape)[0]) for shape in ("GRCT", "LCT", "LOCT")}
    assert len(shapes) == 3


def test_files_of_svm_light_tk_are_learned_from(folder: Path) -> None:
    names = names_after(6)
    assert names["model"].predict(names["data"]).tolist() == [1, -1]


def test_a_model_and_a_prediction_are_explained(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = names_after(2)
    capsys.readouterr()
    names["learner"] = names["model"]
    exec(programs()[-1], names)
    assert "(SBARQ WHNP SQ)" in capsys.readouterr().out


def test_there_is_a_command_for_each_line() -> None:
    assert len(COMMANDS) == 9


@pytest.mark.parametrize("line", COMMANDS)
def test_command(line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if "--report" in line:
        pytest.importorskip("jinja2", reason="Jinja is not installed")
        pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    if "model.tkm" in line and "fit" not in line:
        run("treekernels fit data.tsv model.tkm")
    run(line)
    for name in re.findall(r"[\w.]+\.(?:html|tkm|npy|svmlight)", line):
        assert (folder / name).stat().st_size > 0, name


def run(line: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(shlex.split(line)[1:])
    assert not caught.value.code, line


def test_which_kernel_methods_of_scikit_learn_take_trees() -> None:
    forest = tk.Forest(["(S (A a) (B b))", "(S (A a) (B c))", "(T (C c) (D d))", "(T (C c) (D e))"])
    kernel = tk.SubsetTreeKernel()
    for classifier in (SVC(kernel=kernel), NuSVC(kernel=kernel), GaussianProcessClassifier(kernel)):
        assert classifier.fit(forest, list("sstt")).predict(forest).tolist() == list("sstt")
    for regressor in (SVR(kernel=kernel), NuSVR(kernel=kernel), GaussianProcessRegressor(kernel)):
        assert regressor.fit(forest, [1.0, 1.0, 2.0, 2.0]).predict(forest).shape == (4,)
    assert OneClassSVM(kernel=kernel).fit(forest).predict(forest).shape == (4,)
    matrix = kernel(forest)
    ridge, components = KernelRidge(kernel=kernel), KernelPCA(2, kernel=kernel)
    for estimator in (ridge, components, SpectralClustering(2, affinity=kernel)):
        with pytest.raises((TypeError, ValueError)):
            estimator.fit(forest, [1.0, 1.0, 2.0, 2.0])
    adapted = tk.as_precomputed(ridge, kernel).fit(forest, [1.0, 1.0, 2.0, 2.0])
    expected = ridge.set_params(kernel="precomputed").fit(matrix, [1.0, 1.0, 2.0, 2.0])
    assert adapted.predict(forest).tolist() == expected.predict(matrix).tolist()
    assert tk.as_precomputed(components, kernel).fit_transform(forest).shape == (4, 2)
    clusters = SpectralClustering(2, random_state=0)
    found = tk.as_precomputed(clusters, kernel + 0.01).fit_predict(forest)
    assert found[0] == found[1] != found[2]


def test_learners_work_in_pipelines_and_searches() -> None:
    trees = ["(S (A a) (B b))", "(S (A a) (B c))", "(T (A a))", "(T (C c))"] * 3
    for learner in (tk.TreeSVC(tk.SubsetTreeKernel()), tk.TreePerceptron(tk.SubsetTreeKernel())):
        search = GridSearchCV(learner, {"kernel__decay": [0.2, 0.4]}, cv=3).fit(
            trees, [*"sstt"] * 3
        )
        assert search.best_score_ == 1
        pipeline = make_pipeline("passthrough", learner).fit(trees, [*"sstt"] * 3)
        assert pipeline.predict(trees).tolist() == [*"sstt"] * 3


def test_a_model_keeps_each_subtree_once() -> None:
    learner = tk.TreePerceptron()
    sizes = []
    for _ in range(3):
        learner.partial_fit(["(S (A a) (B b))", "(T (A a) (B b))"] * 9, [0, 1] * 9, classes=[0, 1])
        sizes.append(learner.n_model_nodes_)
    assert sizes[0] == sizes[2] <= 6  # S, T, (A a), (B b), a and b


def test_every_kernel_has_a_page_with_a_picture() -> None:
    folder = ROOT / "docs/kernels"
    if not folder.is_dir():
        pytest.skip("the pages are not part of this copy")
    pages = {page.stem: page.read_text(encoding="utf-8") for page in folder.glob("*.md")}
    kernels = [name for name in tk.__all__ if name.endswith("Kernel") and name != "Kernel"]
    assert len(kernels) > 8
    for name in kernels:
        assert any(f"{{class}}`treekernels.{name}`" in text for text in pages.values()), name
    for page in pages.keys() - {"index", "vectors"}:  # vectors have no fragments
        assert "```{fragments}" in pages[page], page


@pytest.mark.parametrize("line", [line for line in COMMANDS if "convert" not in line])
def test_every_command_prints_json(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("treekernels fit data.tsv model.tkm")
    capsys.readouterr()
    run(f"{line.partition(' --report')[0]} --json")
    assert json.loads(capsys.readouterr().out)


def test_learners_give_the_same_bits_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(0)
    trees = [f"(S (A {a}) (B (C {b}) (D {c})))" for a, b, c in rng.integers(0, 9, (400, 3))]
    labels = [int(text[6]) % 2 for text in trees]
    for make in (tk.TreePerceptron, tk.TreePassiveAggressive, tk.TreeSVC):
        one, three = (
            make(random_state=0, n_jobs=n_jobs).fit(trees, labels).decision_function(trees)
            for n_jobs in (1, 3)
        )
        assert np.array_equal(one, three), make


def test_the_extras_exist() -> None:
    toml = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = toml.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.findall(r"^\| `(\w+)` \| .*\((.*)\) \|$", TEXT, re.M)
    assert {name for name, _ in extras} == project["optional-dependencies"].keys() - {
        "test",
        "bench",
        "fuzz",
        "docs",
    }
    for name, packages in extras:
        needed = " ".join(project["optional-dependencies"][name])
        for package in packages.lower().split(", "):
            assert package in needed, name
    assert project["requires-python"] == ">=3.10"
    assert "cxx_std_20" in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")


def test_it_is_said_whether_it_is_on_pypi() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \d+\.\d+\.\d+ \(\d{4}-", changes, re.M)
    texts = [TEXT]
    if (ROOT / "docs").is_dir():
        texts.append((ROOT / "docs/install.md").read_text(encoding="utf-8"))
    for text in texts:
        assert ("not on PyPI yet" in text) is not bool(released)


def test_the_picture_is_what_the_library_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    static = ROOT / "docs/_static"
    if not static.is_dir():
        pytest.skip("the pages are not part of this copy")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    drawing = importlib.import_module("readme_picture")
    _, asked, fragments = drawing.explained()
    assert asked == "number"
    weights = {str(one.fragment): one.weight for one in fragments}
    assert weights["(WRB How)"] > 0.1
    assert weights["(NNS people)"] < -0.1
    number = re.compile(r"\d+(?:\.\d+)?")
    for page, ink in drawing.INK.items():
        kept = (static / f"decided-{page}.svg").read_text(encoding="utf-8")
        assert f"docs/_static/decided-{page}.svg" in TEXT
        drawn = drawing.picture(ink)
        assert number.sub("0", drawn) == number.sub("0", kept)
        sizes = [np.array(number.findall(text), float) for text in (drawn, kept)]
        assert np.allclose(*sizes, rtol=0.02, atol=0.02), "the weights are other ones"
        assert "0.00<" not in kept, "a fragment is shown whose weight is next to nothing"
        assert "currentColor" in kept
        assert f'color="{ink}"' in kept


def test_figures_are_those_of_the_page_on_speed() -> None:
    page = ROOT / "docs/speed.md"
    if not page.is_file():
        pytest.skip("the pages are not part of this copy")
    rows = re.findall(r"^\| .* \| `bench_\w+\.py` \|$", TEXT, re.M)
    assert len(rows) == 6
    lines = page.read_text(encoding="utf-8").splitlines()
    for row in rows:
        assert row in lines, row
        assert (ROOT / "benchmarks" / row.split("`")[-2]).is_file()


def test_the_demo_runs(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    command = [sys.executable, "-m", "treekernels", "demo", "--report", str(page)]
    command += ["--explore", str(tmp_path / "learned")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Warning" not in result.stdout + result.stderr
    assert re.search(r" explore \S+model\.tkm \S+test\.tsv$", result.stdout.rstrip()), "the end"
    model, tests = tk.load(tmp_path / "learned" / "model.tkm"), tmp_path / "learned" / "test.tsv"
    assert set(model.classes_) == set(tk.read(tests)["label"])
    rows = re.findall(r"^ (.*?)  +(0\.\d+) +(0\.\d+) +[\d.]+ s +[\d.]+ s *$", result.stdout, re.M)
    accuracies = {name: (float(written), float(hidden)) for name, written, hidden in rows}
    assert len(accuracies) == 6
    (majority, _), (words, bare_words), _, (vectors, _), (trees, bare_trees), _ = (
        accuracies.values()
    )
    assert majority < 0.4
    assert words > 0.8
    assert trees > 0.8
    assert vectors > 0.7
    assert bare_trees > bare_words + 0.05, "what the demo says of form and words"
    found = page.read_text(encoding="utf-8")
    assert all(f"<td>{written:.3f}</td>" in found for written, _ in accuracies.values())
    assert "distributed trees, linear SVM" in found
    count = int(re.search(r"([\d,]+) functions", result.stdout)[1].replace(",", ""))  # type: ignore[index]
    assert count >= 2000

"""kernel="auto": what trees are of, what is taken for them, and when."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treekernels as tk
from command_line import Run
from treekernels.kernels.automatic import AutomaticKernel, kernel_for

SENTENCES = ["(S (NP we) (VP run))", "(S (NP they) (VP run))", "(S (NP we) (VP sit))"]
CODE = tk.Forest(["(Module (Name x) (Pass))", "(Module (Expr (Name x)))"], source="code")
EXPECTED = {
    "code": tk.TreeFeaturesKernel(weights="idf"),
    "pages": tk.PQGramKernel(counts="binary", weights="idf"),
    "documents": tk.PQGramKernel(),
    "sentences": tk.TreeFeaturesKernel(),
}


@pytest.mark.parametrize("source", EXPECTED)
def test_the_source_decides(source: Any) -> None:
    trees = [page(number) for number in range(16)] if source == "pages" else SENTENCES
    assert kernel_for(tk.Forest(trees), source) == EXPECTED[source]
    assert kernel_for(tk.Forest(trees, source=source)) == EXPECTED[source]


def page(number: int, root: str = "page") -> str:
    """Return a page which has parts that most others have not, and texts that none has."""
    parts = ("ul li", "ol li", "p span", "table tr", "form input", "div a", "dl dt", "nav img")
    item, inner = parts[number % 8].split()
    items = [f"({item} ({inner} (#text t{number}-{place})))" for place in range(60)]
    return f"({root} (body {' '.join(items)}))"


def repeating_page(number: int) -> str:
    """Return a page with the parts of all others, which it repeats as often as it likes."""
    return f"(html (body {'(li (a))' * (number + 2)} {'(p (b))' * 9}))"


def program(number: int) -> str:
    calls = [f"(Call (Name f{(number + call) % 7}) (Name x))" for call in range(40)]
    return f"(Module (For {' '.join(calls)}))"


@pytest.mark.parametrize(
    ("trees", "source"),
    [
        (SENTENCES, "sentences"),
        ([page(number) for number in range(16)], "pages"),
        ([page(number, "html") for number in range(16)], "pages"),
        ([program(number) for number in range(5)], "code"),
        (["(-EMPTY-)", *[program(number) for number in range(5)]], "code"),
    ],
)
def test_the_shape_decides_if_no_source_is_known(trees: list[str], source: str) -> None:
    assert kernel_for(tk.Forest(trees)) == EXPECTED[source]


def test_pages_of_the_same_parts_are_told_apart_by_how_often_they_have_them() -> None:
    alike = tk.Forest([repeating_page(number) for number in range(16)])
    assert kernel_for(alike, "pages") == tk.PQGramKernel()
    templates = [page(number) for number in range(16)]
    mixed = tk.Forest(templates + alike.to_brackets())
    assert kernel_for(mixed, "pages") == EXPECTED["pages"]
    texts = tk.Forest([f"(html (body (p (#text t{number})) (p)))" for number in range(100)])
    assert kernel_for(texts, "pages") == tk.PQGramKernel()
    assert kernel_for(tk.Forest(["(-EMPTY-)"]), "pages") == EXPECTED["pages"]


def test_nothing_to_choose_for() -> None:
    with pytest.raises(tk.DataError, match="no trees to choose a kernel for"):
        kernel_for(tk.Forest(["(-EMPTY-)"]))


def test_forests_remember_their_source() -> None:
    table = tk.Table({"tree": CODE, "number": [1, 2]})
    kept = [
        CODE[:1],
        CODE[[1, 0]],
        CODE[np.array([True, False])],
        tk.Forest(CODE),
        tk.Forest.concatenate([CODE, CODE[:1]]),
        tk.Forest.concatenate([tk.Forest(), CODE]),
        tk.Forest.concatenate([CODE, tk.Forest(["(Module)"], source="code")]),
        *(pickle.loads(pickle.dumps(CODE, protocol)) for protocol in range(6)),
        copy.copy(CODE),
        copy.deepcopy(CODE),
        table[:1]["tree"],
        tk.structures.map_leaves(CODE, str.upper),
    ]
    assert [forest.source for forest in kept] == ["code"] * len(kept)
    assert tk.Forest.concatenate([CODE, tk.Forest(SENTENCES)]).source is None
    assert tk.Forest(CODE, source="documents").source == "documents"
    assert tk.Forest(SENTENCES).source is None
    with pytest.raises(tk.ParameterError, match="source is 'poems'"):
        tk.Forest(SENTENCES, source="poems")  # type: ignore[arg-type]


def test_trees_of_another_source_leave_none() -> None:
    forest = tk.Forest()
    forest.extend(CODE)
    assert forest.source == "code"
    forest.extend(SENTENCES)
    assert forest.source is None


CONLLU = "1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n"


@pytest.mark.parametrize(
    ("name", "text", "source"),
    [
        ("a.py", "x = 1\n", "code"),
        ("a.xml", "<a><b/></a>", "documents"),
        ("a.json", '{"a": 1}', "documents"),
        ("a.jsonl", '{"a": 1}\n{"a": 2}\n', "documents"),
        ("a.jsonl", '{"tree": "(A b)"}\n', None),
        ("a.mrg", "( (S (NP we)) )", "sentences"),
        ("a.conllu", CONLLU, "sentences"),
        ("a.txt", "(A b)\n", None),
        ("a.tsv", "x\t(A b)\n", None),
    ],
)
def test_readers_know_the_source(name: str, text: str, source: str | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    table = tk.read(path, origin=True)
    assert table["tree"].source == source
    assert tk.read([path, path])["tree"].source == source


def test_pages_have_their_source(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    path = tmp_path / "a.html"
    path.write_text("<p>a</p>")
    assert tk.read(path).source == "pages"


def test_the_first_trees_decide(tmp_path: Path) -> None:
    index = tk.TreeIndex("auto")
    assert isinstance(index.kernel, AutomaticKernel)
    assert len(index.search(SENTENCES)[0]) == 0
    index.add(["(-EMPTY-)"], ids=["nothing"])
    assert index.search(SENTENCES)[0].similarities.tolist() == [0.0]
    path = tmp_path / "empty.tki"
    index.save(path)
    index = tk.TreeIndex.load(path)
    assert isinstance(index.kernel, AutomaticKernel)
    index.add(CODE)
    fitted = tk.TreeFeaturesKernel(weights="idf").fitted_on(CODE)
    assert repr(index.kernel) == repr(fitted)
    index.add(SENTENCES)  # which do not change it
    assert repr(index.kernel) == repr(fitted)
    expected = fitted(CODE[:1], CODE)[0]
    hits = index.search(CODE[:1], 2)[0]
    assert hits.ids == [1, 2]
    np.testing.assert_allclose(hits.similarities, np.sort(expected)[::-1], rtol=1e-13)
    assert repr(pickle.loads(pickle.dumps(index)).kernel) == repr(fitted)


def test_neighbours_choose_too() -> None:
    model = tk.TreeNeighbors("auto", n_neighbors=1).fit(SENTENCES, ["a", "b", "c"])
    assert model.index_.kernel == tk.TreeFeaturesKernel()
    assert model.predict(SENTENCES).tolist() == ["a", "b", "c"]


SOURCE = "def f(a, b):\n    c = a + b\n    for d in range(c):\n        print(d, c)\n    return c\n"


def test_commands_choose(run: Run) -> None:
    Path("src").mkdir()
    Path("src", "one.py").write_text(SOURCE)
    Path("src", "two.py").write_text(SOURCE + "\n\n" + SOURCE.replace("return c", "return a"))
    found = run("duplicates", "src", "--kernel", "auto", "--smallest", "5", "--threshold", "0.99")
    assert found.code == 1
    assert "features(weights=idf)" in found.err
    assert "1 group of near-copies: 2 of 3 trees" in found.out
    none = run("duplicates", "src", "--kernel", "auto", "--smallest", "500")
    assert none.code == 0
    assert run("index", "build", "code.tki", "src", "--kernel", "auto").code == 0
    assert "TreeFeaturesKernel(weights=" in repr(tk.TreeIndex.load("code.tki").kernel)
    assert "3 trees" in run("index", "info", "code.tki").out

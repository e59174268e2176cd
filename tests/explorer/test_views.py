"""What each view shows, against slower ways to find it out."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import treekernels as tk
from explorer_client import HOSTILE, LABELS, TREES, Client, exploring, model_of, sentences


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with exploring(model_of(), sentences()) as client:
        yield client


def test_overview(client: Client) -> None:
    answer = client.ask("overview")
    assert answer["model"]["classes"] == ["question", "statement"]
    assert answer["model"]["kernel"] == "sst"
    assert answer["data"]["examples"] == len(TREES)
    assert answer["data"]["labels"] == [["statement", 5], ["question", 3]]
    assert {"brackets", "python"} <= answer["ways"].keys()


def test_prediction_and_its_reasons(client: Client) -> None:
    model = model_of()
    answer = client.ask("prediction", trees={"": TREES[6]})
    assert answer["predicted"] == "question"
    expected = float(model.decision_function([TREES[6]])[0])
    scores = {item["class"]: item["score"] for item in answer["scores"]}
    assert scores == pytest.approx({"statement": expected, "question": -expected})
    reasons = tk.explain(model, tree=TREES[6], top=12)
    assert [item["text"] for item in answer["fragments"]] == [item.text for item in reasons]
    assert answer["pictures"][0]["svg"] == tk.Forest([TREES[6]])[0].to_svg(
        reasons.node_weights(), max_nodes=250
    )
    other = client.ask("prediction", trees={"": TREES[6]}, **{"class": "statement"})
    assert other["class"] == "statement"
    assert other["fragments"][0]["weight"] > 0
    assert other["predicted"] == "question"


def test_example_of_the_data(client: Client) -> None:
    answer = client.ask("prediction", row=7)
    assert (answer["place"], answer["label"], answer["predicted"]) == (
        "line 8",
        "statement",
        "question",
    )
    assert answer["trees"] == {"": TREES[7]}
    assert "row must be a whole number" in client.refusal("prediction", row=8).lower()


def test_fragments_are_those_of_explain(client: Client) -> None:
    model = model_of()
    answer = client.ask("fragments", **{"class": "question"})
    while not answer["complete"]:
        answer = client.ask("fragments", **{"class": "question"})
    expected = tk.explain(model, class_="question", top=400)
    assert answer["count"] == len(expected)
    assert [item["text"] for item in answer["rows"]] == [item.text for item in expected[:25]]
    every = client.ask("fragments", sort="class")
    assert {item["class"] for item in every["rows"]} <= {"question", "statement"}
    assert "sorted by" in client.refusal("fragments", sort="colour")


@pytest.mark.parametrize("text", ["np", "V bark", "(V do)", "nothing"])
def test_search_by_label(client: Client, text: str) -> None:
    """A search finds what one would find by going through the whole list."""
    model = model_of()
    every = [item.text for item in tk.explain(model, class_="question", top=10_000)]
    words = text.lower().replace("(", " ").replace(")", " ").split()
    wanted = [
        item
        for item in every
        if all(any(word in label for label in labels(item)) for word in words)
        and ("(" not in text or text.lower() in item.lower())
    ]
    answer = client.ask("fragments", text=text, **{"class": "question"})
    while not answer["complete"]:
        answer = client.ask("fragments", text=text, **{"class": "question"})
    assert answer["count"] == min(len(wanted), 400)
    assert [item["text"] for item in answer["rows"]] == wanted[:25]


def labels(text: str) -> list[str]:
    return text.lower().replace("(", " ").replace(")", " ").split()


def test_sorted_both_ways(client: Client) -> None:
    down = client.ask("fragments", sort="size")["rows"]
    assert [item["size"] for item in down] == sorted((item["size"] for item in down), reverse=True)
    up = client.ask("fragments", sort="size", reverse=True)["rows"]
    assert up[0]["size"] <= up[-1]["size"] < down[0]["size"]


def test_places_of_a_fragment(client: Client) -> None:
    row = client.ask("fragments", text="does", **{"class": "question"})["rows"][0]
    answer = client.ask("places", key=row["key"])
    assert answer["count"] == 2
    assert [item["place"] for item in answer["rows"]] == ["line 5", "line 6"]
    assert answer["labels"] == [["question", 2]]
    assert "<rect" in answer["rows"][0]["pictures"][0], "the place is marked"
    assert client.ask("places", key=row["key"], label="statement")["count"] == 0
    for key in ["", "1", "[]", '[["(A"], null, false]', "[[1], 2]"]:
        assert "fragment" in client.refusal("places", key=key)


def test_features_and_their_places() -> None:
    """Each kind is listed and found in examples; grams say why they are not."""
    kernel = "sst + features(weights='idf') + pqgram(weights='idf')"
    model = model_of(kernel=kernel)
    with exploring(model, sentences()) as client:
        assert {item["kind"] for item in client.ask("prediction", row=5)["fragments"]} > {None}
        rows = client.ask("fragments")["rows"] + client.ask("fragments", text="dog")["rows"]
        assert len({item["kind"] for item in rows}) > 3
        known = {item.text: item.trees for item in tk.explain(model, top=1000)}
        for item in rows:
            if item["kind"] == "gram":
                assert "gram cannot be listed" in client.refusal("places", key=item["key"])
                continue
            answer = client.ask("places", key=item["key"])
            assert answer["count"] >= known[item["text"]] > 0
            assert "<rect" in answer["rows"][0]["pictures"][0]


def test_comparison(client: Client) -> None:
    answer = client.ask("comparison", a={"row": 0}, b={"text": TREES[1]}, kernel="sst(0.3); ptk")
    assert [row["kernel"] for row in answer["similarities"]] == ["sst(0.3)", "ptk"]
    expected = tk.SubsetTreeKernel(0.3)([TREES[0]], [TREES[1]])[0, 0]
    assert answer["similarities"][0]["normalized"] == pytest.approx(expected)
    assert 'class="link"' in answer["picture"]
    assert len(answer["shared"]) == answer["count"] > 0
    edits = tk.edit_script(TREES[0], TREES[1])
    assert answer["edits"]["distance"] == edits.distance
    assert answer["edits"]["mapping"] == edits.mapping.tolist()
    assert len(answer["edits"]["steps"]) == len(edits.steps)
    assert answer["edits"]["picture"].startswith("<svg")
    assert "no kernel" in client.refusal("comparison", a={"row": 0}, b={"row": 1}, kernel="xyz")


@pytest.mark.parametrize("kernel", ["", "st", "ptk(0.4)", "0.5*sst + 0.5*ptk"])
def test_nearest_are_those_of_the_gram_matrix(client: Client, kernel: str) -> None:
    answer = client.ask("nearest", row=2, kernel=kernel, count=5)
    values = (tk.parse_kernel(kernel) if kernel else tk.SubsetTreeKernel())([TREES[2]], TREES)[0]
    order = np.argsort(-values, kind="stable")[:5]
    assert [row["row"] for row in answer["rows"]] == order.tolist()
    assert [row["similarity"] for row in answer["rows"]] == pytest.approx(values[order].tolist())
    assert answer["rows"][0]["same"]
    assert sum(number for _, number in answer["votes"]) == 4


def test_mistakes(client: Client) -> None:
    model, data = model_of(), sentences()
    answer = client.ask("mistakes")
    predicted = model.predict(data["tree"])
    expected = confusion_matrix(data["label"].astype(str), predicted.astype(str))
    assert answer["table"] == expected.tolist()
    assert (answer["wrong"], answer["count"]) == (1, 1)
    assert answer["rows"][0]["place"] == "line 8"
    right = client.ask("mistakes", label="question", predicted="question")
    assert [row["place"] for row in right["rows"]] != []
    assert right["count"] == 3


def test_map(client: Client) -> None:
    answer = client.ask("map")
    points = np.frombuffer(base64.b64decode(answer["points"]), "<u2").reshape(-1, 2)
    assert len(points) == answer["count"] == len(TREES)
    assert (points.max(), points.min()) == (65_535, 0), "the larger direction fills the map"
    codes = np.frombuffer(base64.b64decode(answer["codes"]), np.uint8)
    assert [answer["classes"][code] for code in codes] == sentences()["label"].tolist()
    wrong = client.ask("map", colour="mistake")
    codes = np.frombuffer(base64.b64decode(wrong["codes"]), np.uint8)
    assert codes.tolist() == [0] * 7 + [1]
    listed = client.ask("map-examples", rows=[3, 1], pictures=True)
    assert [row["row"] for row in listed["rows"]] == [3, 1]
    assert "Rows must be" in client.refusal("map-examples", rows=[99])


def test_without_data() -> None:
    with exploring(model_of()) as asked:
        assert asked.ask("overview")["data"] is None
        assert asked.ask("prediction", trees={"": TREES[0]})["predicted"] == "statement"
        assert asked.ask("fragments")["count"] > 0
        for name in ("mistakes", "map", "places", "nearest"):
            assert "give data as well" in asked.refusal(name, row=0)


def test_code_and_text() -> None:
    functions = [
        tk.readers.from_python_source(f"def f{i}(x):\n return x {sign} {i}").children[0]
        for i, sign in enumerate("+-+-")
    ]
    model = model_of(functions, list("abab"))
    with exploring(model, functions, parser=lambda text: [f"(S {text.split()[0]})"] * 2) as asked:
        code = "import os\n\nclass A:\n    def f(self):\n        return 1 + 2\n"
        answer = asked.ask("prediction", trees={"": code}, way="python")
        assert answer["trees"][""].startswith("(FunctionDef f ")
        assert answer["notes"] == ["Only the first FunctionDef is used, as in the data."]
        assert answer["predicted"] == "a"
        assert (
            "line 2"
            in asked.refusal("prediction", trees={"": "x = 1\ny = ("}, way="python").lower()
        )
        answer = asked.ask("prediction", trees={"": "Hello there."}, way="text")
        assert answer["trees"] == {"": "(S Hello)"}
        assert answer["notes"] == ["Only the first of 2 sentences is used."]
        assert "no way to read" in asked.refusal("prediction", trees={"": "x"}, way="latin")


def test_regression() -> None:
    sizes = tk.Forest(TREES).sizes.astype(float)
    model = tk.TreeSVR("sst", random_state=0).fit(TREES, sizes)
    with exploring(model, TREES, sizes) as asked:
        answer = asked.ask("prediction", row=0)
        assert answer["scores"] == []
        assert float(answer["predicted"]) == pytest.approx(
            float(model.predict([TREES[0]])[0]), rel=1e-3
        )
        wrong = asked.ask("mistakes")
        assert wrong["regression"]
        off = np.abs(model.predict(TREES) - sizes)
        assert wrong["rows"][0]["row"] == int(np.argmax(off))
        assert asked.ask("fragments")["rows"][0]["class"] == ""


def test_sentence_pairs() -> None:
    texts = [f"(S (NP people) (VP (V feed) (NP:1 {a}) (NP:2 {b})))" for a, b in ["ab", "cd"] * 2]
    yes = "(S (NP:1 {0}) (VP (V eat) (NP:2 {1})))"
    no = "(S (NP:2 {1}) (VP (V eat) (NP:1 {0})))"
    pairs = tk.Pairs(
        texts, [yes.format(*"ab"), yes.format(*"cd"), no.format(*"ab"), no.format(*"cd")]
    )
    answers = ["yes", "yes", "no", "no"]
    model = tk.TreeSVC(tk.TripartiteKernel(), random_state=0).fit(pairs, answers)
    with exploring(model, pairs, answers) as asked:
        answer = asked.ask("prediction", row=0)
        while answer["explaining"]:
            answer = asked.ask("prediction", row=0)
        assert answer["predicted"] == "yes"
        assert 'class="link"' in answer["pictures"][0]["svg"], "placeholders are joined"
        assert len(answer["fragments"][0]["pictures"]) == 2
        rules = asked.ask("fragments", text="VP", **{"class": "no"})
        while not rules["complete"]:
            rules = asked.ask("fragments", text="VP", **{"class": "no"})
        rule = next(row for row in rules["rows"] if "(S NP:" in row["text"].partition("->")[2])
        places = asked.ask("places", key=rule["key"])
        assert [row["row"] for row in places["rows"]] == [2, 3]
        plain = {
            "text": "(S (NP (N men)) (VP (V feed) (NP (NN ducks))))",
            "hypothesis": "(NP (NN ducks))",
        }
        anchored = asked.ask("prediction", trees=plain, anchor=True)
        assert anchored["trees"]["hypothesis"] == "(NP:1 (NN:1 ducks))"
        near = asked.ask("nearest", row=0)
        values = tk.TripartiteKernel()(pairs[:1], pairs)[0]
        assert [row["row"] for row in near["rows"]] == np.argsort(-values, kind="stable").tolist()
        assert asked.ask("mistakes")["wrong"] == 0
        assert asked.ask("map")["count"] == 4


def test_trees_and_vectors() -> None:
    numbers = np.array([[1.0], [1.0], [1.0], [1.0], [0.0], [0.0], [0.0], [0.0]])
    data = tk.Table({"tree": tk.Forest(TREES), "size": numbers, "label": LABELS})
    kernel = tk.SubsetTreeKernel(on="tree") + tk.LinearKernel(on="size")
    model = tk.TreeSVC(kernel, random_state=0).fit(data, LABELS)
    with exploring(model, data) as asked:
        answer = asked.ask("prediction", row=0)
        score = {row["class"]: row["score"] for row in answer["scores"]}["statement"]
        assert score == pytest.approx(float(model.decision_function(data[:1])[0]))
        edited = asked.ask("prediction", trees={"tree": TREES[0]}, base=0)
        assert edited["scores"] == answer["scores"], "the numbers are those of the example"
        assert asked.ask("nearest", row=0)["rows"][0]["row"] == 0
        assert asked.ask("mistakes")["wrong"] == 0


def test_models_of_scikit_learn() -> None:
    machine = SVC(kernel=tk.SubsetTreeKernel()).fit(tk.Forest(TREES), LABELS)
    with exploring(machine, TREES, LABELS) as asked:
        assert asked.ask("prediction", row=0)["fragments"] != []
        assert asked.ask("mistakes")["wrong"] == 0
    pipeline = make_pipeline(tk.DistributedTrees(256), LinearSVC()).fit(tk.Forest(TREES), LABELS)
    with exploring(pipeline, TREES, LABELS) as asked:
        answer = asked.ask("prediction", row=0)
        assert answer["predicted"] == "statement"
        assert "learns from vectors" in answer["notes"][0]
        assert "learns from vectors" in asked.refusal("fragments")
        assert asked.ask("nearest", row=0)["rows"][0]["row"] == 0


def test_what_cannot_be_explored() -> None:
    with pytest.raises(ValueError, match="a fitted model can be explored"):
        tk.explore("model.tkm", browser=False)
    with pytest.raises(ValueError, match="not fitted"):
        tk.explore(tk.TreeSVC("sst"), browser=False)
    with pytest.raises(ValueError, match="8 examples, but 2 labels"):
        tk.explore(model_of(), TREES, ["a", "b"], browser=False)
    with pytest.raises(ValueError, match="no data"):
        tk.explore(model_of(), labels=LABELS, browser=False)
    with (
        pytest.raises(ValueError, match="no view 'graph'"),
        tk.explore(model_of(), browser=False) as result,
    ):
        result.view("graph")


def test_hostile_labels_are_escaped() -> None:
    trees = [f"(S (A {HOSTILE}))", "(S (B b))"]
    with exploring(model_of(trees, [HOSTILE, "b"]), trees, [HOSTILE, "b"]) as asked:
        for name, question in [
            ("prediction", {"row": 0}),
            ("fragments", {}),
            ("nearest", {"row": 0}),
            ("comparison", {"a": {"row": 0}, "b": {"row": 0}}),
        ]:
            answer = asked.ask(name, **question)
            pictures = [text for text in texts_in(answer) if text.startswith("<svg")]
            assert pictures
            assert not any("<script" in text for text in pictures)


def texts_in(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for part in value.values() for text in texts_in(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts_in(part)]
    return [value] if isinstance(value, str) else []


def test_in_a_notebook() -> None:
    with tk.explore(model_of(), TREES, LABELS, browser=False) as explorer:
        assert f'<iframe src="{explorer.address}#/tree"' in explorer._repr_html_()
        view = explorer.view("fragments", text='"<NP>&', height=400)
        shown = view._repr_html_()
        assert 'height="400"' in shown
        assert "#/fragments?text=%22%3CNP%3E%26" in shown
        with pytest.raises(ValueError, match="height"):
            explorer.view(height=5)

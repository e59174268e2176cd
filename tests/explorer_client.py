"""Explorers for tests: of small models, asked as their page would ask."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import numpy as np

import treekernels as tk

TREES = [
    "(S (NP (D the) (N dog)) (VP (V barks)))",
    "(S (NP (D the) (N cat)) (VP (V sleeps)))",
    "(S (NP (N dogs)) (VP (V bark)))",
    "(S (NP (N cats)) (VP (V sleep)))",
    "(SQ (V does) (NP (D the) (N dog)) (VP (V bark)))",
    "(SQ (V does) (NP (D the) (N cat)) (VP (V sleep)))",
    "(SQ (V do) (NP (N dogs)) (VP (V bark)))",
    "(SQ (V do) (NP (N cats)) (VP (V sleep)))",
]
LABELS = ["statement"] * 4 + ["question"] * 4
HOSTILE = "<script>hacked=1</script>"


def sentences() -> tk.Table:
    """Return labelled sentences with their lines; the last has a wrong label."""
    labels = np.array([*LABELS[:-1], "statement"], object)
    return tk.Table(
        {"tree": tk.Forest(TREES), "label": labels, "line": np.arange(1, len(TREES) + 1)}
    )


def model_of(trees: Any = TREES, labels: Any = LABELS, **settings: Any) -> tk.TreeSVC:
    """Return a model of some trees."""
    return tk.TreeSVC(random_state=0, **settings).fit(trees, labels)


class Answer:
    """What a server answered."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Asks an explorer, and may lie about who asks."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port, self.path = parts.hostname, parts.port, parts.path

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        *,
        whole_path: bool = False,
    ) -> Answer:
        """Send a request below the token, or to exactly this path."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        try:
            connection.request(
                method, path if whole_path else self.path + path, body, headers or {}
            )
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def post(self, name: str, question: Any = None, **headers: str) -> Answer:
        """Ask once."""
        raw = json.dumps({} if question is None else question).encode()
        return self.request(
            "POST", f"api/{name}", raw, {"Content-Type": "application/json", **headers}
        )

    def ask(self, name: str, **question: Any) -> Any:
        """Ask until there is an answer, which must be a good one."""
        for _ in range(6000):
            answer = self.post(name, question)
            assert answer.status in (200, 202), answer.body
            content = answer.json
            if answer.status == 200 and not content.get("explaining"):
                return content
            assert content.get("pending", content.get("explaining"))["state"] == "running"
            time.sleep(0.01)
        raise AssertionError(f"{name} is never answered")

    def refusal(self, name: str, **question: Any) -> str:
        """Ask, and return the sentence of the refusal."""
        answer = self.post(name, question)
        assert answer.status == 400, answer.body
        text: str = answer.json["error"]
        return text


@contextmanager
def exploring(model: Any, *data: Any, **settings: Any) -> Iterator[Client]:
    """Explore a model, and ask."""
    with tk.explore(model, *data, browser=False, **settings) as explorer:
        yield Client(explorer.address)

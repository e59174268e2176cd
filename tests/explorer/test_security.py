"""Who is answered by an explorer, and with what."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import treekernels as tk
from explorer_client import Client, exploring, model_of, sentences
from treekernels.explorer.guard import MOST_BYTES, Guard
from treekernels.explorer.server import PAGE, ExplorerServer
from treekernels.explorer.session.model import ExploredModel
from treekernels.explorer.session.state import State


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with exploring(model_of(), sentences()) as client:
        yield client


def test_nothing_without_the_token(client: Client) -> None:
    for path in ["/", "/index.html", "/api/overview", client.path[:-2] + "/", "//", "/%00/"]:
        for method in ("GET", "POST"):
            answer = client.request(method, path, b"{}", whole_path=True)
            assert answer.status == 403, path
            assert b"token" in answer.body
            assert b"TreeSVC" not in answer.body
    assert client.request("GET", "").status == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example"])
def test_other_names_are_refused(client: Client, host: str) -> None:
    """A page elsewhere can let its own name lead to this machine, and is then sent no token."""
    for method, path in [("GET", ""), ("POST", "api/overview")]:
        headers = {"Host": host, "Content-Type": "application/json"}
        assert client.request(method, path, b"{}", headers).status == 421


def test_own_names_are_answered(client: Client) -> None:
    for host in ["127.0.0.1", f"127.0.0.1:{client.port}", "localhost:1", "[::1]:5", "LOCALHOST"]:
        assert client.request("GET", "", headers={"Host": host}).status == 200


def test_other_pages_are_refused(client: Client) -> None:
    own = f"http://127.0.0.1:{client.port}"
    assert client.post("overview", Origin=own).status == 200
    for origin in ["http://evil.example", "null", f"https://127.0.0.1:{client.port}", own + "0"]:
        assert client.post("overview", Origin=origin).status == 421


def test_only_the_files_of_the_page(client: Client) -> None:
    for path in PAGE.iterdir():
        assert client.request("GET", path.name).body == path.read_bytes()
    for path in ["../server.py", "..%2fserver.py", "%2e%2e/server.py", "/etc/passwd", "style.css/"]:
        assert client.request("GET", path).status == 404


def test_questions_are_bounded(client: Client) -> None:
    kind = {"Content-Type": "application/json"}
    assert client.request("POST", "api/overview", b"{}").status == 415
    assert (
        client.request("POST", "api/overview", b"{}", {"Content-Type": "text/plain"}).status == 415
    )
    long = {**kind, "Content-Length": str(MOST_BYTES + 1)}
    assert client.request("POST", "api/overview", b"{}", long).status == 413
    for length in ["-1", "x", "1e3", "9" * 30]:
        assert (
            client.request("POST", "api/overview", b"", {**kind, "Content-Length": length}).status
            == 411
        )
    for body in [b"[]", b"nothing", b"\xff", b"", b"[" * 100_000]:
        assert client.request("POST", "api/overview", body, kind).status == 400
    assert client.post("secrets").status == 404
    assert client.request("POST", "overview", b"{}", kind).status == 404


def test_nothing_is_written(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert client.request(method, "api/overview").status == 501
    for name in ("overview", "mistakes", "fragments", "map"):
        client.ask(name)
    client.ask("prediction", row=0)
    assert list(tmp_path.iterdir()) == []


def test_headers_of_every_answer(client: Client) -> None:
    answers = [
        client.request("GET", ""),
        client.request("GET", "main.js"),
        client.request("GET", "colours.css"),
        client.post("overview"),
        client.request("GET", "nothing"),
        client.request("GET", "/", whole_path=True),
    ]
    for answer in answers:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "Access-Control-Allow-Origin" not in answer.headers
        assert "Python" not in (answer.headers["Server"] or "")


def test_page_is_complete_in_itself(client: Client) -> None:
    """No script or style stands in the page, and nothing comes from elsewhere."""
    page = client.request("GET", "").body.decode()
    assert re.findall(r"<script[^>]*>", page) == ['<script type="module" src="main.js">']
    assert "<style" not in page
    assert " style=" not in page
    for path in PAGE.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "://" not in text, path.name
        assert "innerHTML" not in text, "texts become text nodes"
        assert "eval(" not in text


def test_listens_on_loopback_alone() -> None:
    state = State(ExploredModel(model_of()))
    server = ExplorerServer(state)
    try:
        assert server.server_address[0] == "127.0.0.1"
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", server.address)
    finally:
        server.server_close()


def test_stops_when_asked() -> None:
    explorer = tk.explore(model_of(), browser=False)
    client = Client(explorer.address)
    assert explorer.running
    assert client.post("stop").status == 200
    explorer.wait()
    assert not explorer.running
    assert repr(explorer) == "<Explorer: stopped>"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((client.host, client.port), timeout=60).close()
    explorer.stop()


def headers(host: str) -> Message:
    result = Message()
    result["Host"] = host
    return result


@given(st.text("abc.:[]1-", max_size=20))
def test_names_of_elsewhere(name: str) -> None:
    """Whatever is not a loopback number or localhost is refused."""
    refused = Guard("127.0.0.1").refusal(headers(f"x{name}"))
    assert refused


def test_others_let_in_by_number_or_name() -> None:
    guard = Guard("0.0.0.0")
    for host in ["10.1.2.3:80", "[fe80::1]:80", socket.gethostname()]:
        assert not guard.refusal(headers(host))
    assert guard.refusal(headers("evil.example"))

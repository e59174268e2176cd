"""The server of an explorer: the files of its page, and answers to what the page asks.

It is the server of Python's standard library, behind a `Guard`, which is enough for one person. It
reads nothing but the files of the page, and writes nothing.
"""

from __future__ import annotations

import json
import socket
import threading
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from treekernels.drawing.colours import AGAINST, FOR, GROUPS, IN_THE_DARK
from treekernels.explorer.api import ANSWERS, answer
from treekernels.explorer.guard import HEADERS, MOST_BYTES, Guard
from treekernels.explorer.session.state import State

PAGE = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
_AT_ONCE = 32  # requests that are worked on


class ExplorerServer(ThreadingHTTPServer):
    """A server for one explorer, at any free port if that is 0."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, state: State, host: str = "127.0.0.1", port: int = 0) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.state = state
        self.guard = Guard(host)
        self.room = threading.BoundedSemaphore(_AT_ONCE)
        self.stopped = threading.Event()
        self.closed = threading.Event()
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        """The address of the page, with the token in it."""
        host, port = self.server_address[:2]
        name = str(host) if host not in ("0.0.0.0", "::") else socket.gethostname()
        name = f"[{name}]" if ":" in name else name
        return f"http://{name}:{port}/{self.guard.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about connections that were closed on the other side."""

    def stop(self) -> None:
        """Stop answering; whatever runs in the background is cancelled."""
        if not self.stopped.is_set():
            self.stopped.set()
            self.state.stopped.set()
            self.state.jobs.cancel_all()
            threading.Thread(target=self._close, daemon=True).start()

    def _close(self) -> None:
        self.shutdown()
        self.server_close()
        self.closed.set()


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: ExplorerServer
    server_version = "treekernels"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def log_message(self, *_: Any) -> None:
        """Log nothing: the terminal belongs to the person who started the explorer."""

    def do_GET(self) -> None:
        """Send a file of the page."""
        path = self._checked_path()
        if path is None:
            return
        name = path.partition("?")[0] or "index.html"
        if name in page_files():
            self._send(200, *page_files()[name])
        else:
            self._refuse(404, "There is no such page.")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Answer a question."""
        path = self._checked_path()
        if path is None:
            return
        room, _, name = path.partition("/")
        if room != "api" or (name != "stop" and name not in ANSWERS):
            self._refuse(404, "There is no such question.")
            return
        question = self._question()
        if question is None:
            return
        if name == "stop":
            self._send_json(200, {})
            self.server.stop()
            return
        with self.server.room:
            status, content = answer(self.server.state, name, question)
        self._send_json(status, content)

    def _checked_path(self) -> str | None:
        """Return the path behind the token, or refuse the request."""
        if self.server.stopped.is_set():  # a connection that was left open is not answered either
            self.close_connection = True
            return None
        refusal = self.server.guard.refusal(self.headers)
        if refusal:
            self._refuse(421, refusal)
            return None
        path = self.server.guard.path_within(self.path)
        if path is None:
            self._refuse(403, "The address is not complete: the token is missing or wrong.")
        return path

    def _question(self) -> dict[str, Any] | None:
        """Return the fields of a question, or refuse it."""
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip()
        if kind != "application/json":
            self._refuse(415, "Questions are asked in JSON.")
            return None
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 12:
            self._refuse(411, "The length of the question is missing.")
            return None
        if int(length) > MOST_BYTES:
            self._refuse(413, f"A question may have {MOST_BYTES:,} bytes at most.")
            return None
        try:
            question = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            question = None
        if not isinstance(question, dict):
            self._refuse(400, "The question is not an object of JSON.")
            return None
        return question

    def _send_json(self, status: int, content: dict[str, Any]) -> None:
        text = json.dumps(content, ensure_ascii=False, default=_plain)
        self._send(status, text.encode("utf-8", "replace"), "application/json; charset=utf-8")

    def _refuse(self, status: int, reason: str) -> None:
        """Answer with a reason, and close the connection: whatever else was sent is not read."""
        self.close_connection = True
        self._send_json(status, {"error": reason})

    def _send(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status, HTTPStatus(status).phrase)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _plain(value: Any) -> Any:
    """Return a number of numpy's as one of Python's."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """Return the content and the type of each file, by name; nothing else is ever sent."""
    files = {
        path.name: (path.read_bytes(), _TYPES[path.suffix])
        for path in PAGE.iterdir()
        if path.suffix in _TYPES
    }
    return {**files, "colours.css": (_colours().encode(), _TYPES[".css"])}


def _colours() -> str:
    """Return rules that name the colours of all drawings, and lighten them on a dark page."""
    dark = dict(zip(GROUPS, IN_THE_DARK, strict=True))
    lightened = [
        f'  svg [{name}="{colour}"] {{ {name}: {lighter} }}'
        for colour, lighter in dark.items()
        for name in ("fill", "stroke")
    ]
    return "\n".join(
        [
            _root(FOR, AGAINST, GROUPS),
            "@media (prefers-color-scheme: dark) {",
            _root(dark[FOR], dark[AGAINST], IN_THE_DARK),
            *lightened,
            "}",
            "",
        ]
    )


def _root(favourable: str, adverse: str, groups: tuple[str, ...]) -> str:
    names = [f"--for: {favourable}", f"--against: {adverse}"]
    names += [f"--group{place}: {colour}" for place, colour in enumerate(groups)]
    return f":root {{ {'; '.join(names)} }}"

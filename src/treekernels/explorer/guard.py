"""Guard: which requests are answered at all.

A request needs the token in the address, which only the person who started the explorer has seen.
Another site's page, opened in the same browser, could still send requests to this computer under a
name of its own; its Host and Origin headers give it away.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from email.message import Message

MOST_BYTES = 2 << 20
"""The largest body of a request."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "
    # A notebook on this computer may show the explorer in a frame, and no other page may.
    "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:*"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""The headers of every answer."""


class Guard:
    """Knows the token, and the names by which this computer, which listens at `host`, may go."""

    def __init__(self, host: str) -> None:
        self.token = secrets.token_urlsafe(24)
        self.host = host
        self.names = {"localhost", host.lower().strip("[]")}
        if not is_loopback(host):
            self.names.add(socket.gethostname().lower())

    def refusal(self, headers: Message) -> str:
        """Return why a request is not answered, or an empty text if it is."""
        host = headers.get("Host", "")
        if not self._is_ours(host):
            return "This explorer does not go by the name that you asked for."
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{host}":
            return "This explorer answers its own page only."
        if headers.get("Sec-Fetch-Site", "none") == "cross-site" and origin is not None:
            return "This explorer answers its own page only."
        return ""

    def path_within(self, path: str) -> str | None:
        """Return what follows the token in a path; None if it is not ours."""
        first, _, rest = path.lstrip("/").partition("/")
        same = hmac.compare_digest(first.encode("utf-8", "replace"), self.token.encode())
        return rest if same and path.startswith("/") else None

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header is a name or number of this computer, and not one of elsewhere."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        name = name.lower().strip("[]")
        if name in self.names:
            return True
        try:
            number = ipaddress.ip_address(name)
        except ValueError:
            return False
        # An attack by rebinding needs a name. So any number will do if other computers may ask.
        return number.is_loopback or not is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this computer alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False

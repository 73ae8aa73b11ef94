"""Access control: the server answers only the person who started it.

The server listens on the loopback interface. Other users of the computer, and web pages of other
sites that are open in the same browser, can reach it there, so every request must pass five checks:

- It does not come from another user of this computer, where the system can tell (see `peer`).
- The `Host` header names this server. A foreign name that resolves to 127.0.0.1 (DNS rebinding) is
  refused.
- The session cookie is right. The address that `microagg serve` opens carries a random token, which
  is exchanged for an HttpOnly, SameSite=Strict cookie and disappears from the address.
- A request that changes something comes from this very page, by `Sec-Fetch-Site` or `Origin`.
- The path is one of the routes of `app`.

Every response forbids framing, sniffing, caching and all content of other origins.
"""

from __future__ import annotations

import logging
import secrets
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from microagg.server.peer import is_foreign

LOG = logging.getLogger("microagg.server")
COOKIE = "microagg"
SAFE_METHODS = ("GET", "HEAD")
PUBLIC = ("/static/",)
"""Paths without data of the user."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; "
    "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send "Origin: null" with forms
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def new_token() -> str:
    """Return a random token that cannot be guessed."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True)
class Access:
    """The access rules of the server: the accepted hosts, and two secrets.

    Attributes
    ----------
    hosts : tuple of str
        The accepted values of the `Host` header, with the port.
    token : str
        Opens the page from its address.
    cookie : str
        The cookie for which the token is exchanged.
    """

    hosts: tuple[str, ...]
    token: str = field(default_factory=new_token, repr=False)
    cookie: str = field(default_factory=new_token, repr=False)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie, with the port: each server of this computer has its own."""
        return f"{COOKIE}-{self.hosts[0].rpartition(':')[2]}"

    def origins(self) -> tuple[str, ...]:
        """Return the origins of this server's own pages."""
        return tuple(f"http://{host}" for host in self.hosts)


class Guard:
    """Middleware that refuses what is not allowed and hardens every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no web sockets here
        hardened = _hardening(send)
        refusal = self._refusal(scope)
        try:
            await (refusal or self.app)(scope, receive, hardened)
        except ClientDisconnect:
            pass  # a closed tab is no fault
        except Exception as error:  # noqa: BLE001 - its message may hold a value of a record
            LOG.error("%s", _place_of(error))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the response to a request that is refused, or None if it passes."""
        headers = Headers(scope=scope)
        if is_foreign(scope.get("client"), scope.get("server")):
            return _refused("Another user of this computer started this server.")
        if headers.get("host", "") not in self.access.hosts:
            return _refused("This server does not accept that host name.")
        if scope["method"] not in SAFE_METHODS and not self._same_origin(headers):
            return _refused("The request comes from another site.")
        if scope["path"].startswith(PUBLIC):
            return None
        if self._has_cookie(headers):
            return None
        return self._exchange(scope)

    def _same_origin(self, headers: Headers) -> bool:
        """Return whether a request was made by a page of this server."""
        site = headers.get("sec-fetch-site")
        if site is not None and site != "same-origin":
            return False
        origin = headers.get("origin")
        if origin is not None:
            return origin in self.access.origins()
        return site == "same-origin"

    def _has_cookie(self, headers: Headers) -> bool:
        """Return whether one of the cookies is correct.

        All servers of this computer share their cookies, so others may be of any form, or have the
        same name.
        """
        pairs = (
            pair.strip().partition("=")
            for header in headers.getlist("cookie")
            for pair in header.split(";")
        )
        sent = [value for name, _, value in pairs if name == self.access.cookie_name]
        return any(_same(value, self.access.cookie) for value in sent)

    def _exchange(self, scope: Scope) -> Response:
        """Exchange the token in the address for the cookie, or refuse."""
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        token = dict(query).get("token", "")
        if scope["method"] != "GET" or not _same(token, self.access.token):
            return _refused("Open the address that `microagg serve` printed.")
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        path = "/" + scope["path"].lstrip("/\\")  # "//host" would lead to another site
        response = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
        response.set_cookie(
            self.access.cookie_name,
            self.access.cookie,
            httponly=True,
            samesite="strict",
            path="/",
        )
        return response


def _place_of(error: Exception) -> str:
    """Return the type of an error and where it arose, without its message."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} in {place}"


def _same(sent: str, secret: str) -> bool:
    """Compare two texts in constant time."""
    return secrets.compare_digest(sent.encode(), secret.encode())


def _refused(reason: str) -> Response:
    return PlainTextResponse(f"Refused. {reason}\n", 403)


def _hardening(send: Send) -> Send:
    """Return a `send` that adds the protective headers to every response."""

    async def harden(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)  # a report has a content policy of its own
        await send(message)

    return harden

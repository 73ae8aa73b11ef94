"""Every refusal of the server: foreign hosts, missing cookies, requests of other sites."""

import os
import socket
import sys

import pytest

pytest.importorskip("starlette")

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from microagg.server import peer
from microagg.server.security import COOKIE, HEADERS, Access, Guard

HOST = "127.0.0.1:8765"
OURS = f"http://{HOST}"


@pytest.fixture
def access():
    return Access((HOST, "localhost:8765"))


@pytest.fixture
def client(access):
    async def page(request):
        return PlainTextResponse("records")

    app = Starlette(routes=[Route("/", page, methods=["GET", "POST"]), Route("/static/x", page)])
    return TestClient(Guard(app, access), base_url=OURS, follow_redirects=False)


def test_a_client_that_leaves_is_no_error(access, caplog):
    async def leave(request):
        raise ClientDisconnect

    guarded = Guard(Starlette(routes=[Route("/static/x", leave)]), access)
    TestClient(guarded, base_url=OURS).get("/static/x")
    assert not caplog.records


@pytest.fixture
def signed_in(client, access):
    client.cookies.set(access.cookie_name, access.cookie)
    return client


def test_a_request_without_the_cookie_is_refused(client):
    response = client.get("/")
    assert response.status_code == 403
    assert "records" not in response.text


def test_the_token_is_exchanged_for_a_strict_cookie_and_leaves_the_address(client, access):
    response = client.get(f"/?token={access.token}&step=1")
    assert response.status_code == 303
    assert response.headers["location"] == "/?step=1"
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert access.token not in response.headers["set-cookie"]


@pytest.mark.parametrize("token", ["", "wrong", "x" * 1000])
def test_a_wrong_token_is_refused(client, token):
    assert client.get("/", params={"token": token}).status_code == 403


def test_the_token_does_not_serve_for_a_post(client, access):
    response = client.post(f"/?token={access.token}", headers={"Origin": OURS})
    assert response.status_code == 403


def test_a_wrong_cookie_is_refused(client, access):
    client.cookies.set(access.cookie_name, "wrong")
    assert client.get("/").status_code == 403


OTHERS = ['prefs={"a":1}; ', "a b=c d; ", "{0}=evil; ", "x; =; ", "a=é; ", f"{COOKIE}=1; "]


@pytest.mark.parametrize("other", OTHERS)
def test_cookies_of_other_servers_do_not_matter(client, access, other):
    """All servers of a computer share their cookies, and pages of others can set some."""
    other, own = other.format(access.cookie_name) if "{0}" in other else other, access.cookie
    right = f"{access.cookie_name}={own}"
    for text in (other + right, f"{right}; {other}", f"{other}{right}; {other}"):
        headers = [("cookie", text.encode("latin-1"))]
        assert client.get("/", headers=headers).status_code == 200
    assert client.get("/", headers=[("cookie", other.encode("latin-1"))]).status_code == 403


def test_each_server_has_a_cookie_of_its_own():
    assert Access(("127.0.0.1:8765",)).cookie_name != Access(("127.0.0.1:8766",)).cookie_name


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "", "[::1]:8765"])
def test_a_foreign_host_is_refused_even_with_the_cookie(signed_in, host):
    assert signed_in.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": OURS},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_post_of_another_site_is_refused(signed_in, headers):
    assert signed_in.post("/", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [{"Origin": OURS}, {"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://localhost:8765"}],
)
def test_a_post_of_our_page_is_answered(signed_in, headers):
    assert signed_in.post("/", headers=headers).text == "records"


def test_every_response_carries_the_protective_headers(signed_in):
    for response in (signed_in.get("/"), signed_in.get("/nowhere"), signed_in.post("/")):
        for name, value in HEADERS.items():
            assert response.headers[name] == value


def test_secrets_do_not_appear_in_representations(access):
    assert access.token not in repr(access)
    assert access.cookie not in repr(access)


OURS_IN_THE_TABLE = (
    "9: 0100007F:C350 0100007F:223D {} 00000000:00000000 00:00000000 00000000 {} 0 7"
)


@pytest.mark.parametrize(
    ("state", "user", "status"),
    [("01", 4711, 403), ("01", 0, 200), ("01", os.getuid(), 200), ("06", 0, 403)],
)
def test_another_user_is_refused_even_with_the_cookie(access, state, user, status, monkeypatch):
    monkeypatch.setattr(peer, "_lines", lambda: [OURS_IN_THE_TABLE.format(state, user)])

    async def page(request):
        return PlainTextResponse("records")

    guard = Guard(Starlette(routes=[Route("/", page)]), access)
    address = ("127.0.0.1", 50000)
    client = TestClient(
        guard, base_url=OURS, client=address, cookies={access.cookie_name: access.cookie}
    )
    assert client.get("/").status_code == status


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_the_system_names_the_user_of_a_connection(family):
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    try:
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip("no IPv6 on this computer")
    with listener, socket.create_connection(listener.getsockname()[:2]) as near:
        far, address = listener.accept()
        with far:
            user = peer.user_of(address[:2], far.getsockname()[:2], peer._lines())
            assert user == (os.getuid() if sys.platform == "linux" else None)
            assert not peer.is_foreign(address[:2], far.getsockname()[:2])
            near.close()
            assert peer.is_foreign(address[:2], far.getsockname()[:2]) == (sys.platform == "linux")


def test_an_address_with_two_slashes_leads_to_no_other_site(client, access):
    response = client.get(f"{OURS}//evil.example/?token={access.token}")
    assert not response.headers.get("location", "").startswith("//")

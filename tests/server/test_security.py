"""Every refusal of the server: foreign hosts, missing cookies, requests of other sites."""

import pytest

pytest.importorskip("starlette")

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

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


@pytest.fixture
def signed_in(client, access):
    client.cookies.set(COOKIE, access.cookie)
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


def test_a_wrong_cookie_is_refused(client):
    client.cookies.set(COOKIE, "wrong")
    assert client.get("/").status_code == 403


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

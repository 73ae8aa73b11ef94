"""Random requests to the page: strangers are refused, the owner gets an answer, and nothing is an error.

`MICROAGG_HOSTILE_REQUESTS` sets how many requests are sent; `make test-all` sends 2,000 more.
"""

import os

import pytest

pytest.importorskip("starlette")

from microagg.server.security import COOKIE, HEADERS
from tests.hostile.seeds import rng_of
from tests.server.pages import HOST, visiting

CASES = int(os.environ.get("MICROAGG_HOSTILE_REQUESTS", "150"))
PARTS = 4
ANSWERS = {200, 206, 303, 307, 400, 403, 404, 405, 409, 413, 416, 422}
MARK = "zq7secret"
RECORDS = "name,age,pay\n" + "".join(f"{MARK}{i},{20 + i % 9},{i % 7}\n" for i in range(60))
PATHS = [
    *(
        "/",
        "/open",
        "/upload",
        "/practice",
        "/static/page.css",
        "/static/../app.py",
        "//evil.example/",
    ),
    *("/static/%2e%2e/%2e%2e/security.py", "/static/..%2fapp.py", "/..", "/%00", "/nowhere"),
    *(
        "{project}/data",
        "{project}/reading",
        "{project}/roles",
        "{project}/count",
        "{project}/runs",
    ),
    *("{project}/protection", "{project}/runs/0/files/release", "{project}/runs/../../x"),
    *(
        "{project}/runs/0/files/..%2f..%2frecords.csv",
        "{project}/runs/0/cancel",
        "/projects/x/data",
    ),
]
METHODS = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"]
FIELDS = ["role-0", "role-1", "role-99", "role-", "k", "method", "target", "delimiter", "name", "x"]
VALUES = [
    *("quasi-identifier", "identifier", "other", "mdav", "5", "-1", "1e400", "9" * 400, "", "\x00"),
    *(
        "../../etc/passwd",
        "<b>",
        "{{7*7}}",
        "a=b",
        "--output=/tmp/x",
        "\u202e",
        "x" * 10_000,
        "auto",
    ),
]
CHANGES = [
    {},
    {"Host": "evil.example"},
    {"Host": f"{HOST}.evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Cookie": f"{COOKIE}-8765=wrong"},
    {"Cookie": f"{COOKIE}-8765=; {COOKIE}-8765=x"},
    {"Cookie": "a[]=b; ="},
    {"Content-Type": "application/json"},
    {"Content-Type": "multipart/form-data; boundary=" + "b" * 300},
    {"Content-Length": "5"},
    {"X-Forwarded-Host": HOST, "X-Forwarded-For": "1.2.3.4"},
    {"Range": "bytes=0-9999999"},
    {"Accept": "text/event-stream"},
]


def attempt(seed, visitor, project):
    """Send one request; return whether it was answered, which no stranger's is."""
    rng = rng_of(seed)
    path = PATHS[rng.integers(len(PATHS))].format(project=project)
    method = METHODS[0 if rng.random() < 0.4 else rng.integers(len(METHODS))]
    change = CHANGES[rng.integers(len(CHANGES))] if rng.random() < 0.6 else {}
    fields = rng.permutation(FIELDS)[: rng.integers(0, 5)]
    sent = {name: VALUES[rng.integers(len(VALUES))] for name in fields}
    cookies = dict(visitor.client.cookies)
    stranger = rng.random() < 0.3 or "Cookie" in change
    if stranger:
        visitor.client.cookies.clear()
    try:
        response = visitor.client.request(
            method, path, data=sent if method != "GET" else None, params=sent or None,
            headers=change, follow_redirects=False,
        )  # fmt: skip
    finally:
        visitor.client.cookies.clear()
        visitor.client.cookies.update(cookies)
    assert response.status_code in ANSWERS, (method, path, response.status_code)
    assert all(response.headers.get(name) for name in HEADERS)
    assert "root:" not in response.text
    assert "def " not in response.text
    foreign = "Host" in change
    changing = method not in ("GET", "HEAD") and change.keys() & {"Origin", "Sec-Fetch-Site"}
    static = path.startswith("/static")  # which holds nothing of the owner's
    if foreign or changing or (stranger and not static):
        assert response.status_code == 403, (method, path, change)
        assert MARK not in response.text
        assert not response.headers.get("set-cookie")
    return response.status_code != 403


def answered_among(seeds):
    """Send some requests to one server; return how many were answered."""
    answered = 0
    with visiting() as visitor:
        project = visitor.upload(RECORDS)
        for seed in seeds:
            try:
                answered += attempt(seed, visitor, project)
            except Exception as error:
                raise AssertionError(f"case {seed}") from error
        assert project.split("/")[2] in visitor.server.projects  # no request has removed it
    return answered


def test_requests_are_answered_or_refused(record_property):
    answered = answered_among(range(CASES))
    record_property("requests", CASES)
    record_property("answered", answered)
    assert 0 < answered < CASES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_requests_are_answered_or_refused(part, record_property):
    seeds = range(CASES + part, CASES + 2_000, PARTS)
    record_property("answered", answered_among(seeds))
    record_property("requests", len(seeds))

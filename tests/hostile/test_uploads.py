"""Uploads to the page of every kind: each is read or refused in words, and stays in a private folder.

`MICROAGG_HOSTILE_UPLOADS` sets how many requests are sent; `make test-all` sends 2,000 more.
"""

import gzip
import os
import stat

import pyarrow as pa
import pytest

pytest.importorskip("starlette")

from tests.hostile.bombs import run
from tests.hostile.files import damaged, write_originals
from tests.hostile.seeds import rng_of
from tests.server.pages import visiting

CASES = int(os.environ.get("MICROAGG_HOSTILE_UPLOADS", "24"))
LIMIT = 200_000
ANSWERS = {200, 400, 403, 404, 405, 413, 422}
NAMES = [
    *("people.csv", "../../escape.csv", "/etc/passwd", "C:\\data\\people.csv", "..", ".", ""),
    *("a\x00b.csv", "a\nb.csv", "x" * 5000 + ".csv", "-rf.csv", "$(touch x).csv", "<b>.csv"),
    *(
        "people.xlsx",
        "people.zip",
        "people.csv.gz",
        "people.PARQUET",
        "ü\u202e\ud7ff.csv",
        "~/.csv",
    ),
    *(
        "people.sav",
        "people.dta",
        "people.feather",
        "people.csv;type=x",
        'quo"te.csv',
        "%2e%2e.csv",
    ),
]


def content_of(rng, originals):
    """Return the bytes of a file: whole, damaged, foreign, empty, too large, or packed too tightly."""
    some = list(originals.values())
    whole = some[rng.integers(len(some))]
    kinds = [
        lambda: whole,
        lambda: damaged(whole, rng),
        lambda: b"PK\x03\x04" + rng.bytes(300),
        lambda: b"",
        lambda: rng.bytes(LIMIT + 1),
        lambda: gzip.compress(b"a\n" + b"1\n" * 3_000_000),
        lambda: b"a,a\n1,2\n",
        lambda: bomb(rng),
    ]
    return kinds[rng.integers(len(kinds))]()


def bomb(rng):
    """Return an Arrow file of one run, which stands for two thousand million numbers."""
    column = run(2**31 - 1, pa.array([float(rng.integers(9))]))
    sink = pa.BufferOutputStream()
    table = pa.table({"x": column})
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue().to_pybytes()


def body_of(rng, name, content):
    """Return the body of a form and its type, some of them broken."""
    edge = b"edge"
    head = b'Content-Disposition: form-data; name="file"; filename="%s"' % name.encode(
        errors="surrogatepass"
    ).replace(b"\n", b" ").replace(b'"', b'\\"')
    if rng.random() < 0.1:
        head = head.replace(b'name="file"', b'name="other"')
    part = b"--" + edge + b"\r\n" + head + b"\r\n\r\n" + content + b"\r\n"
    body = part * int(rng.integers(1, 3)) + b"--" + edge + b"--\r\n"
    if rng.random() < 0.2:
        body = body[: rng.integers(len(body))]
    if rng.random() < 0.1:
        body = damaged(body, rng)
    kind = "multipart/form-data; boundary=edge"
    if rng.random() < 0.1:
        kind = ["text/plain", "multipart/form-data", "multipart/form-data; boundary="][
            rng.integers(3)
        ]
    return body, kind


def attempt(seed, visitor, originals):
    """Send one upload; return whether a project was made of it."""
    rng = rng_of(seed)
    name = NAMES[rng.integers(len(NAMES))]
    body, kind = body_of(rng, name, content_of(rng, originals))
    before = set(visitor.server.projects)
    headers = {"Content-Type": kind}
    foreign = rng.random() < 0.1
    if foreign:
        headers["Origin"] = "http://evil.example"
    response = visitor.client.post("/upload", content=body, headers=headers)
    assert response.status_code in ANSWERS, response.status_code
    made = set(visitor.server.projects) - before
    assert not (foreign and made), "a foreign site made a project"
    require_private(visitor.server.workspace.folder)
    for id in made:
        visitor.client.get(f"/projects/{id}/data")
        visitor.client.post(f"/projects/{id}/remove")
    require_private(visitor.server.workspace.folder, empty=True)
    return bool(made)


def require_private(folder, *, empty=False):
    """Raise AssertionError unless a folder is its owner's alone, with no other names than ours."""
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.rglob("*"):
        assert path.resolve().is_relative_to(folder.resolve())
        assert path.stat().st_mode & 0o077 == 0 or path.name == "server.lock", path.name
        assert path.is_dir() or path.name.startswith(("records", "server.lock")), path.name
    left = [path for path in folder.iterdir() if path.name != "server.lock"]
    assert not (empty and left), "an upload that was refused is still there"


def projects_among(seeds, folder):
    """Send some uploads to one server; return how many were read."""
    originals = write_originals(folder)
    outside = sorted(folder.iterdir())
    read = 0
    with visiting(max_upload=LIMIT) as visitor:
        for seed in seeds:
            try:
                read += attempt(seed, visitor, originals)
            except Exception as error:
                raise AssertionError(f"case {seed}") from error
        place = visitor.server.workspace.folder
    assert not place.exists()
    assert sorted(folder.iterdir()) == outside
    return read


def test_uploads_are_read_or_refused(tmp_path, record_property):
    read = projects_among(range(CASES), tmp_path)
    record_property("uploads", CASES)
    record_property("read", read)
    assert 0 < read < CASES


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(10))
def test_many_uploads_are_read_or_refused(part, tmp_path, record_property):
    seeds = range(CASES + part, CASES + 2_000, 10)
    record_property("read", projects_among(seeds, tmp_path))
    record_property("uploads", len(seeds))


def test_two_servers_share_nothing():
    with visiting() as one, visiting() as other:
        project = one.upload()
        assert other.client.get(f"{project}/data").status_code == 404
        other.client.cookies = one.client.cookies
        assert other.client.get("/").status_code == 403
        assert one.server.workspace.folder != other.server.workspace.folder

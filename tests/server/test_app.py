"""The whole way through the page, as a browser would go it, and every refusal on the way."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from starlette.testclient import TestClient

from microagg.server.app import Config, Server, build
from microagg.server.security import Access

HOST = "127.0.0.1:8765"
RECORDS = "name,age,pay,city\n" + "".join(
    f"n{i},{20 + i % 37},{1000 + 13 * (i * 7 % 50)},{'abc'[i % 3]}\n" for i in range(120)
)
HOSTILE = '<script>alert(1)</script>,"a""b",\'; DROP TABLE,{{ x }}\n' + "".join(
    f"{i},{i % 7},x{i % 3},{i % 5}\n" for i in range(40)
)


@pytest.fixture
def server():
    return Server(Config())


@pytest.fixture
def client(server):
    access = Access((HOST,))
    own = {"Origin": f"http://{HOST}"}
    with TestClient(build(server, access), base_url=f"http://{HOST}", headers=own) as client:
        client.get(f"/?token={access.token}")
        yield client


def upload(client, text=RECORDS, name="people.csv"):
    """Upload a file and return the address of its project."""
    response = client.post("/upload", files={"file": (name, text)})
    assert response.status_code == 200, response.text
    return "/".join(response.url.path.split("/")[:3])


def decide(client, project, **roles):
    """Choose the role of each column by its number."""
    return client.post(f"{project}/roles", data={f"role-{i}": r for i, r in roles.items()})


def finish(client, server, project, **options):
    """Start a run, wait for its end, and return it."""
    response = client.post(f"{project}/runs", data=options)
    assert response.status_code == 200, response.text
    run = server.runs[server.projects[project.split("/")[2]].runs[-1]]
    deadline = time.monotonic() + 90
    while run.state == "running" and time.monotonic() < deadline:
        time.sleep(0.2)
        client.get("/")
    assert run.state == "finished", run.messages
    return f"{project}/runs/{run.id}"


ROLES = {"0": "identifier", "1": "quasi-identifier", "2": "quasi-identifier", "3": "other"}


def test_from_a_file_to_a_release_that_the_command_repeats(client, server, tmp_path):
    project = upload(client)
    assert "120 records, 4 columns" in client.get(f"{project}/data").text
    assert decide(client, project, **ROLES).url.path.endswith("/protection")
    run = finish(client, server, project, k="5", method="mdav")
    page = client.get(run).text
    assert "Promised and held" in page
    assert "of 120 records are unique on the quasi-identifiers together with" in page
    assert "&lt;svg" not in page + client.get(f"{project}/runs").text
    files = {what: client.get(f"{run}/files/{what}") for what in ("release", "schema", "script")}
    assert all(response.status_code == 200 for response in files.values())
    (tmp_path / "people.csv").write_text(RECORDS)
    (tmp_path / "schema.toml").write_bytes(files["schema"].content)
    (tmp_path / "protect.py").write_bytes(files["script"].content)
    policy = client.get(f"{run}/files/report").headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")  # its styles, and nothing else
    command = client.get(f"{run}/files/command").text.replace("\\\n", " ").split()
    subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "release.csv").read_bytes() == files["release"].content
    (tmp_path / "release.csv").unlink()
    (tmp_path / "report.html").unlink()
    subprocess.run([sys.executable, "protect.py"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "release.csv").read_bytes() == files["release"].content
    notebook = json.loads(client.get(f"{run}/files/notebook").text)
    assert [cell["cell_type"] for cell in notebook["cells"]] == ["code"] * 4


def test_a_masking_without_k_is_not_called_protected(client, server):
    project = upload(client)
    decide(client, project, **{**ROLES, "3": "confidential"})
    run = finish(client, server, project, k="5", method="fuzzy")
    page = client.get(run).text
    assert "Nothing is promised" in page
    assert "Promised and held" not in page
    assert "Not counted: 1 confidential column" in page
    assert "(not promised)" in client.get(f"{project}/runs").text


def test_a_wrong_value_is_marked_at_its_field(client):
    project = upload(client)
    decide(client, project, **ROLES)
    response = client.post(f"{project}/runs", data={"k": "1"})
    assert response.status_code == 400
    assert 'id="error-k"' in response.text
    assert "must be an integer of at least 2" in response.text


def test_a_page_without_quasi_identifiers_says_what_to_do(client):
    project = upload(client)
    response = decide(client, project, **dict.fromkeys("0123", "other"))
    assert response.status_code == 400
    assert "at least one column" in response.text


def test_the_live_count_tells_what_unchanged_columns_reveal(client):
    project = upload(client)
    response = client.post(f"{project}/count", data={f"role-{i}": r for i, r in ROLES.items()})
    assert "unique on the chosen quasi-identifiers" in response.text
    assert "released unchanged" in response.text


def test_names_of_columns_are_escaped_everywhere(client):
    project = upload(client, HOSTILE, "<img src=x>.csv")
    for page in ("data", "roles", "protection", "runs"):
        text = client.get(f"{project}/{page}").text
        assert "<script>alert" not in text
        assert "<img src=x>" not in text
        assert "{{ x }}" in text or page == "runs"


def test_a_file_that_is_too_large_is_refused():
    access = Access((HOST,))
    own = {"Origin": f"http://{HOST}"}
    small = Server(Config(max_upload=1000))
    with TestClient(build(small, access), base_url=f"http://{HOST}", headers=own) as client:
        client.get(f"/?token={access.token}")
        response = client.post("/upload", files={"file": ("a.csv", RECORDS)})
        assert response.status_code == 413
        assert not list(small.workspace.folder.iterdir())


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\x.csv", "/etc/x.csv", "a\x00b.csv"])
def test_an_upload_never_leaves_the_workspace(client, server, name):
    client.post("/upload", files={"file": (name, RECORDS)})
    for project in server.projects.values():
        assert project.path.resolve().is_relative_to(server.workspace.folder.resolve())


def test_a_file_that_cannot_be_read_can_be_corrected(client):
    response = client.post("/upload", files={"file": ("a.parquet", b"nonsense")})
    assert response.status_code == 400
    assert "could not be read" in response.text


@pytest.mark.parametrize(
    "path",
    ["/projects/none/data", "/projects/none/runs/none", "/nowhere", "/static/../app.py"],
)
def test_what_is_not_there_is_not_found(client, path):
    assert client.get(path).status_code == 404


def test_two_projects_do_not_see_each_others_runs(client, server):
    first, second = upload(client), upload(client)
    decide(client, first, **ROLES)
    run = finish(client, server, first, k="5", method="mdav").rsplit("/", 1)[1]
    assert client.get(f"{second}/runs/{run}").status_code == 404


def test_a_server_that_takes_no_uploads(tmp_path):
    records = tmp_path / "people.csv"
    records.write_text(RECORDS)
    access = Access((HOST,))
    own = {"Origin": f"http://{HOST}"}
    locked = Server(Config(file=records, read_only=True))
    with TestClient(build(locked, access), base_url=f"http://{HOST}", headers=own) as client:
        client.get(f"/?token={access.token}")
        assert client.post("/upload", files={"file": ("a.csv", RECORDS)}).status_code == 403
        assert client.post("/practice", data={"name": "adult"}).status_code == 404
        assert client.post("/open").url.path.endswith("/data")


def test_everything_is_deleted_when_the_server_ends(server):
    access = Access((HOST,))
    own = {"Origin": f"http://{HOST}"}
    with TestClient(build(server, access), base_url=f"http://{HOST}", headers=own) as client:
        client.get(f"/?token={access.token}")
        upload(client)
        folder = Path(server.workspace.folder)
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()

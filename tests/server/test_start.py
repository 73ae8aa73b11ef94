"""The first page: uploads, practice data, the file of the command line."""

import pytest
from starlette.testclient import TestClient

from microagg.server import practice
from tests.server.pages import HOST, OURS, RECORDS, visiting


def test_a_file_that_is_too_large_is_refused_and_deleted():
    with visiting(max_upload=1000) as visitor:
        response = visitor.client.post("/upload", files={"file": ("a.csv", RECORDS)})
        assert response.status_code == 413
        assert "larger than 1 kB" in response.text
        assert not visitor.server.projects
        assert [path.name for path in visitor.server.workspace.folder.iterdir()] == ["server.lock"]


def test_a_file_without_a_length_is_refused_as_soon_as_it_is_too_large():
    """A request in chunks says nothing of its size; the rest of it must not be read."""
    taken = []

    def body():
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        for number in range(1000):
            taken.append(number)
            yield b"1,2,3\n" * 20_000

    with visiting(max_upload=300_000) as visitor:
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        response = visitor.client.post("/upload", content=body(), headers=kind)
        assert response.status_code == 413
        assert [path.name for path in visitor.server.workspace.folder.iterdir()] == ["server.lock"]


FORM = "multipart/form-data; boundary=x"
FIELD = b"--x\r\nContent-Disposition: form-data; name="


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text/plain", b"name,age\n"),
        ("multipart/form-data", b"name,age\n"),
        (FORM, b"nonsense"),
        (FORM, b""),
        (FORM, FIELD + b'"other"\r\n\r\n1\r\n--x--\r\n'),
        (FORM, FIELD + b'"file"; filename=""\r\n\r\n\r\n--x--\r\n'),
        (FORM, FIELD + b'"file"; filename="a.csv"\r\n\r\na,b\r\n1,'),
    ],
)
def test_what_is_not_a_form_with_a_whole_file_is_refused(visitor, kind, content, caplog):
    response = visitor.client.post("/upload", content=content, headers={"Content-Type": kind})
    assert response.status_code == 400
    assert 'role="alert"' in response.text
    assert not visitor.server.projects
    names = [path.name for path in visitor.server.workspace.folder.iterdir()]
    assert names == ["server.lock"]
    logged = [each.name for each in caplog.records if "multipart" in each.name]
    assert not logged  # such messages describe bytes of the file


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..\\..\\x.csv", "/etc/x.csv", "a\x00b.csv", "-x.csv", "<b>.csv"]
)
def test_an_upload_stays_in_the_workspace_under_a_random_name(visitor, name):
    visitor.client.post("/upload", files={"file": (name, RECORDS)})
    (project,) = visitor.server.projects.values()
    folder = visitor.server.workspace.folder.resolve()
    assert project.path.resolve().parent.parent == folder
    assert project.path.name in ("records", "records.csv")
    assert len(project.path.parent.name) == 32
    assert project.path.stat().st_mode & 0o777 == 0o600
    assert project.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_cannot_be_read_is_named_as_its_owner_calls_it(visitor):
    response = visitor.client.post("/upload", files={"file": ("a.parquet", b"nonsense")})
    assert response.status_code == 400
    assert "could not be read" in response.text
    assert "a.parquet" in response.text
    assert str(visitor.server.workspace.folder) not in response.text
    (id,) = visitor.server.projects
    assert "has not been read" in visitor.get(f"/projects/{id}/data", 400)
    for step in ("roles", "protection"):
        assert "has not been read" in visitor.get(f"/projects/{id}/{step}", 400)


def test_a_kind_of_file_that_cannot_be_read_is_refused_in_words(visitor):
    response = visitor.client.post("/upload", files={"file": ("a.xlsx", b"PK")})
    assert response.status_code == 400
    assert ".xlsx" in response.text


def test_practice_data_need_neither_a_folder_nor_a_network(monkeypatch, tmp_path):
    monkeypatch.setenv("MICROAGG_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("MICROAGG_CACHE", str(tmp_path))
    assert [each.name for each in practice.available()] == ["town"]
    monkeypatch.delenv("MICROAGG_DATA")
    assert [each.name for each in practice.available()] == ["town", "diabetes"]
    with visiting() as visitor:
        for name in ("town", "diabetes"):
            response = visitor.post("/practice", name=name)
            assert response.url.path.endswith("/data")
        visitor.post("/practice", 404, name="adult")


def test_the_town_has_every_role_to_decide_and_is_always_the_same():
    assert practice.town().equals(practice.town())
    with visiting(demo=True) as visitor:
        (project,) = visitor.server.projects.values()
        assert "<dd>2,000</dd>" in visitor.get(f"/projects/{project.id}/data")
        assert {column.role for column in project.columns} == {
            *("identifier", "quasi-identifier", "confidential", "other")
        }
        assert project.has_blanks()
        assert "Open files" in visitor.get("/")  # which does not open the town again


def test_a_server_that_takes_no_uploads(tmp_path):
    records = tmp_path / "people.csv"
    records.write_text(RECORDS)
    with visiting(file=records, read_only=True) as visitor:
        assert [project.name for project in visitor.server.projects.values()] == ["people.csv"]
        page = visitor.get("/")
        assert "Choose a file" not in page
        assert "practise" not in page
        response = visitor.client.post("/upload", files={"file": ("a.csv", RECORDS)})
        assert response.status_code == 403
        visitor.post("/practice", 404, name="town")
        project = visitor.post("/open").url.path
        assert project.endswith("/data")
        visitor.post(project.replace("/data", "/remove"))
    assert records.read_text() == RECORDS  # the user's own file is never deleted


def test_there_is_nothing_to_open_without_a_file(visitor):
    visitor.post("/open", 404)


def test_a_file_can_be_removed_with_all_that_belongs_to_it(visitor):
    project = visitor.upload()
    folder = visitor.project(project).path.parent
    assert visitor.post(f"{project}/remove").url.path == "/"
    assert not folder.exists()
    assert "no such file" in visitor.get(f"{project}/data", 404)


def test_everything_is_deleted_when_the_server_ends():
    with visiting() as visitor:
        visitor.upload()
        folder = visitor.server.workspace.folder
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


@pytest.mark.parametrize("path", ["/projects/none/data", "/projects/none/runs/none", "/nowhere"])
def test_what_is_not_there_is_not_found(visitor, path):
    visitor.get(path, 404)


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"],
)
def test_static_files_are_no_way_out_of_their_folder(visitor, path):
    assert visitor.client.get(path).status_code == 404


def test_an_error_of_ours_shows_a_page_and_logs_no_message(visitor, monkeypatch, caplog):
    def fail(*_):
        raise ValueError("Ada Brandt")

    monkeypatch.setattr("microagg.server.steps.start._page", fail)
    with TestClient(visitor.client.app, f"http://{HOST}", headers=OURS) as client:
        client.cookies = visitor.client.cookies
        response = client.get("/")
    assert response.status_code == 500
    assert "could not be created" in response.text
    assert "ValueError in test_start.py" in caplog.text
    assert "Ada" not in caplog.text + response.text


def test_a_page_that_is_asked_for_while_its_file_is_removed(visitor, monkeypatch):
    """Ending a run takes a moment, in which other requests found half of the project."""
    project = visitor.upload()
    server, seen = visitor.server, []

    async def remove(id, workspace):
        seen.append(list(server.projects))

    monkeypatch.setattr(server.runs, "remove", remove)
    visitor.project(project).runs.append("1")
    visitor.post(f"{project}/remove")
    assert seen == [[]]

"""Runs and their results: verdict, charts, the map, downloads that repeat the release."""

import io
import json
import shlex
import subprocess
import sys

import pyarrow.csv
import pytest

import microagg as ma
from microagg.server import results
from tests.examples import sample
from tests.server.pages import HOSTILE, HOSTILE_NAMES, RECORDS, visiting

MADE = ("release.csv", "release.groups.csv")
"""The files that must come out byte for byte."""


def files_of(visitor, run):
    """Download every file of a run."""
    names = [each.name for each in results.DOWNLOADS]
    responses = {name: visitor.client.get(f"{run}/files/{name}") for name in names}
    assert all(response.status_code == 200 for response in responses.values())
    return {name: response.content for name, response in responses.items()}


def repeated(tmp_path, files, name, records, how):
    """Repeat a release by its command, script or notebook; return the bytes that were made."""
    folder = tmp_path / how
    folder.mkdir()
    (folder / name).write_text(records)
    (folder / "schema.toml").write_bytes(files["schema"])
    if how == "command":
        words = shlex.split(files["command"].decode().replace("\\\n", " "))
        assert words[0] == "microagg"
        command = [sys.executable, "-m", *words]
    elif how == "script":
        (folder / "protect.py").write_bytes(files["script"])
        command = [sys.executable, "protect.py"]
    else:
        cells = json.loads(files["notebook"])["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        command = [sys.executable, "-c", "\n\n".join(code)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert (folder / "report.html").exists()
    assert (folder / "external.html").exists()
    return [(folder / made).read_bytes() for made in MADE]


@pytest.mark.parametrize("how", sample(["script", "command", "notebook"]))
def test_everything_that_is_handed_over_makes_the_same_bytes(finished, tmp_path, how):
    visitor, _, run = finished
    files = files_of(visitor, run)
    made = repeated(tmp_path, files, "people.csv", RECORDS, how)
    assert made == [files["release"], files["groups"]]


@pytest.mark.slow
def test_a_file_of_hostile_names_comes_out_and_can_be_repeated(visitor, tmp_path):
    project = visitor.upload(HOSTILE, "-x.csv")
    roles = {**dict.fromkeys((0, 1, 3, 4), "quasi-identifier"), 2: "other", 5: "confidential"}
    visitor.decide(
        project, roles, **{"kind-0": "continuous", "kind-1": "nominal", "kind-4": "continuous"}
    )
    options = {"round_to-0": "0.5", "round_to-4": "2", "strata": "2", "l_diversity": "2"}
    run = visitor.protect(project, k="3", method="mdav", **options)
    page = visitor.get(run)
    assert "<script>alert" not in page
    assert HOSTILE_NAMES[1] not in page
    files = files_of(visitor, run)
    for how in ("command", "script"):
        made = repeated(tmp_path, files, "-x.csv", HOSTILE, how)
        assert made == [files["release"], files["groups"]]


def test_the_page_shows_the_verdict_of_the_report_in_four_boxes(finished):
    visitor, _, run = finished
    page = visitor.get(run)
    report = visitor.client.get(f"{run}/files/report").text
    assert page.count('class="box ') == 4
    for title in ("Promises that hold", "Information lost", "Remaining risk", "Next steps"):
        assert title in page
        assert title in report
    for chart in (
        "Distribution of age before and after",
        "Group sizes",
        "Records and their representatives",
    ):
        assert chart in page
    assert "&lt;svg" not in page


def test_the_map_shows_measured_risk_and_loss(finished):
    visitor, project, run = finished
    (row,) = [results.report(each.folder).measures for each in visitor.runs(project)]
    page = visitor.get(f"{project}/runs")
    assert f"{row['il']:.1f} %" in page
    assert f"{row['g-dr']:.1f} %" in page
    released = pyarrow.csv.read_csv(io.BytesIO(visitor.client.get(f"{run}/files/release").content))
    original = pyarrow.csv.read_csv(io.BytesIO(RECORDS.encode()))
    assessed = ma.assess(original, released, quasi_identifiers=["age", "pay"])
    for name in ("il", "g-dr"):
        assert row[name] == pytest.approx(assessed.measures[name])


def test_a_report_has_a_content_policy_without_scripts(finished):
    visitor, _, run = finished
    for name in ("report", "external-report"):
        response = visitor.client.get(f"{run}/files/{name}")
        assert response.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert response.headers["Content-Disposition"].startswith("inline")
    for name in ("release", "groups", "command"):
        response = visitor.client.get(f"{run}/files/{name}")
        assert response.headers["Content-Disposition"].startswith("attachment")
        assert response.headers["Content-Type"] == "application/octet-stream"


@pytest.mark.parametrize("what", ["options", "report.json", "..%2fschema.toml", "records.csv"])
def test_only_what_is_offered_can_be_downloaded(finished, what):
    visitor, _, run = finished
    assert visitor.client.get(f"{run}/files/{what}").status_code == 404


def test_a_project_does_not_see_the_runs_of_another(finished):
    visitor, _, run = finished
    other = visitor.upload()
    id = run.rsplit("/", 1)[1]
    for path in ("", "/events", "/files/release"):
        visitor.get(f"{other}/runs/{id}{path}", 404)
    for path in ("/cancel", "/remove"):
        visitor.post(f"{other}/runs/{id}{path}", 404)


def test_the_stream_of_a_file_ends_when_it_is_removed(visitor):
    path = visitor.upload()
    project = visitor.project(path)
    project.runs.append("removed")
    assert visitor.get(f"{path}/events") == "data: []\n\n"


@pytest.mark.slow
def test_a_masking_without_k_is_not_called_protected(visitor):
    project = visitor.upload()
    roles = {0: "identifier", 1: "quasi-identifier", 2: "quasi-identifier", 3: "confidential"}
    visitor.decide(project, roles)
    run = visitor.protect(project, k="5", method="fuzzy")
    page = visitor.get(run)
    assert "k-anonymity is not promised" in page
    assert "Promises that hold" not in page
    assert "not promised" in visitor.get(f"{project}/runs")


@pytest.mark.slow
def test_several_k_fill_the_map_and_a_run_can_be_removed():
    with visiting() as visitor:
        project = visitor.upload()
        visitor.decide(project)
        visitor.post(f"{project}/runs", k="4", method="mdav", several="yes")
        visitor.wait(project)
        page = visitor.get(f"{project}/runs")
        for title in ("1: mdav, k = 3", "2: mdav, k = 5", "3: mdav, k = 10"):
            assert f">{title}</text>" in page  # a label of the map
            assert f">{title}</a>" in page
        first = visitor.runs(project)[0]
        folder = first.folder
        visitor.post(f"{project}/runs/{first.id}/remove")
        assert not folder.exists()
        page = visitor.get(f"{project}/runs")
        assert "k = 3" not in page.replace("Try k = 3", "")
        of = visitor.runs(project)[0].id
        visitor.post(f"{project}/runs", of=of, several="yes")
        titles = [run.title for run in visitor.runs(project)]
        assert titles == ["2: mdav, k = 5", "3: mdav, k = 10", "4: mdav, k = 3"]  # none twice
        visitor.decide(project, {2: "other"})
        visitor.wait(project)
        visitor.protect(project, k="3", method="mdav")
        assert "cannot be compared" in visitor.get(f"{project}/runs")


@pytest.mark.slow
def test_a_run_that_fails_leads_back_to_the_field(visitor):
    project = visitor.upload()
    visitor.decide(
        project, {0: "other", 1: "quasi-identifier", 2: "quasi-identifier", 3: "confidential"}
    )
    visitor.post(f"{project}/runs", k="5", method="mdav", l_diversity="50")
    visitor.wait(project)
    (run,) = visitor.runs(project)
    assert run.state == "failed"
    page = visitor.get(f"{project}/runs/{run.id}")
    assert "The run failed." in page
    assert "No file was released" in page
    page = visitor.get(f"{project}/protection?run={run.id}")
    assert 'id="error-l_diversity"' in page
    assert 'value="50"' in page
    visitor.get(f"{project}/runs/{run.id}/files/release", 404)

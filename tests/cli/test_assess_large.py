"""`microagg assess --memory`: large files, their report, and options that need whole files."""

import json

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.large.assess import room
from microagg.measure import paired_sample as samples

ROLES = {"quasi_identifiers": ["age", "income"], "confidential": ["ill"], "unit": "person"}
FLAGS = ["--qi", "age,income", "--confidential", "ill", "--unit", "person"]


@pytest.fixture
def paths(tmp_path):
    """Return the files of 700 records and of their release."""
    rng = np.random.default_rng(0)
    table = pa.table(
        {
            "age": rng.integers(18, 90, 700),
            "income": rng.lognormal(8, 1, 700).round(1),
            "ill": rng.choice(["flu", "cold", "none"], 700),
            "person": [f"P{i}" for i in rng.integers(0, 350, 700)],
        }
    )
    keys = {"quasi_identifiers": ["age", "income"], "method": "mdav-nc"}
    release = ma.protect(table.drop_columns("person"), 4, **keys).data
    files = [tmp_path / "original.csv.gz", tmp_path / "released.csv.gz"]
    for path, own in zip(files, (table, release), strict=True):
        ma.write_file(own, path)
    return files


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_the_figures_and_the_report(microagg, paths, tmp_path, monkeypatch, audience):
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (200,))
    monkeypatch.setattr(room, "LARGEST_PIECE", 150)
    page, work = tmp_path / "report.html", tmp_path / "work"
    work.mkdir()
    told = ["--report", page, "--audience", audience, "--json", "--memory", "1GB", "--work", work]
    said = microagg("assess", *paths, *FLAGS, *told)
    assert said.code == 0, said.err
    numbers = json.loads(said.out)
    whole = ma.assess(*map(ma.read_file, paths), **ROLES)
    for name in ("k", "k-units", "l-diversity", "t-closeness", "il"):
        assert numbers["measures"][name]["value"] == pytest.approx(whole.measures[name])
    assert numbers["records"] == 700
    assert "of 700 records in whole classes" in numbers["measures"]["linkage"]["note"]
    text = page.read_text()
    assert "700 released records were compared" in text
    assert "of 700 records in whole classes" in text
    assert not list(work.iterdir())


def test_the_summary_says_what_is_of_a_sample(microagg, paths, monkeypatch):
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (200,))
    said = microagg("assess", *paths, *FLAGS, "--memory", "1GB")
    assert said.code == 0
    assert "700 records matched by position" in said.err
    assert "Measures that compare individual records are estimated from a sample" in said.err


def test_options_that_need_whole_files(microagg, paths):
    for flag, reason in (("--match-on", "in memory"), ("--target", "all records at once")):
        said = microagg("assess", *paths, "--memory", "2GB", flag, "person")
        assert said.code != 0
        assert flag in said.err
        assert reason in said.err
    said = microagg("assess", *paths, "--work", paths[0].parent)
    assert said.code != 0
    assert "--work" in said.err
    assert "--memory" in said.err

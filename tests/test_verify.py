"""`verify`: a released file against its provenance."""

import json

import numpy as np
import pandas as pd
import pytest

import microagg as ma


@pytest.fixture
def saved(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 90), "ill": rng.choice(["a", "b", "c"], 90)})
    release = ma.protect(
        frame, 4, quasi_identifiers=["age"], confidential=["ill"], l_diversity=2, t_closeness=0.5,
        method="mdav",
    )  # fmt: skip
    return release.save(tmp_path)


def checked(paths):
    return ma.verify(paths["data"], paths["provenance"])


def test_a_release_as_it_was_written(saved):
    found = checked(saved)
    assert found.holds
    names = [check.what for check in found.checks]
    assert names == ["SHA-256", "records", "k on age", "l-diversity of ill", "t-closeness of ill"]
    assert found.summary().endswith("The file is the release that was checked.\n")
    assert json.dumps(found.as_dict())
    assert repr(found) == "Verification(holds=True, checks=5)"


@pytest.mark.parametrize(
    "suffix", ["csv", "tsv", "csv.gz", "parquet", "feather", "arrow", "dta", "sav"]
)
def test_every_format_that_is_written_can_be_verified(tmp_path, suffix):
    if suffix in ("dta", "sav"):
        pytest.importorskip("pyreadstat")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 30), "1": rng.choice(["a", "b"], 30)})
    if suffix in ("dta", "sav"):
        frame = frame.rename(columns={"1": "ill"})  # names that these programs accept
    release = ma.protect(frame, 4, quasi_identifiers=["age"], method="mdav")
    paths = {"data": tmp_path / f"r.{suffix}", "provenance": tmp_path / "p.json"}
    release.write(paths)
    assert checked(paths).holds


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_parts_in_folders(tmp_path, suffix):
    rng = np.random.default_rng(0)
    for year in (2019, 2020):
        part = tmp_path / "people" / f"year={year}"
        part.mkdir(parents=True)
        frame = pd.DataFrame({"age": rng.integers(20, 60, 30), "t": rng.choice(["a", "b"], 30)})
        ma.write_file(frame, part / f"people.{suffix}")
    release = ma.protect_file(
        tmp_path / "people", tmp_path / "out", 3, quasi_identifiers=["age", "t"]
    )
    assert checked(release.paths).holds
    part = release.paths["data"] / "year=2020" / f"people.{suffix}"
    ma.write_file(ma.read_file(part).slice(1), part, overwrite=True)
    failed = [check.what for check in checked(release.paths).checks if not check.holds]
    assert failed[:2] == ["SHA-256", "records"]


def test_a_value_that_was_changed(saved):
    lines = saved["data"].read_text().splitlines()
    lines[1] = "99.5,a"
    saved["data"].write_text("\n".join(lines) + "\n")
    found = checked(saved)
    assert {check.what: check.holds for check in found.checks} == {
        "SHA-256": False, "records": True, "k on age": False, "l-diversity of ill": False,
        "t-closeness of ill": False,
    }  # fmt: skip
    assert "NOT the release" in found.summary()
    assert "99.5" not in found.summary()


def test_rows_and_columns_that_are_gone(saved):
    lines = saved["data"].read_text().splitlines()
    saved["data"].write_text("\n".join(line.split(",")[0] for line in lines[:50]) + "\n")
    found = checked(saved)
    assert [check.holds for check in found.checks if check.what == "records"] == [False]
    assert any("no column ill" in check.observed for check in found.checks)


def test_the_form_does_not_matter_to_the_hash_alone(saved):
    saved["data"].write_bytes(saved["data"].read_bytes() + b"\n")
    assert [check.what for check in checked(saved).checks if not check.holds] == ["SHA-256"]


def test_other_files(saved, tmp_path):
    with pytest.raises(ma.FileError, match="cannot be read as a provenance file"):
        ma.verify(saved["data"], saved["data"])
    content = json.loads(saved["provenance"].read_text())
    del content["release"]
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content))
    with pytest.raises(ma.FileError, match="does not record which file"):
        ma.verify(saved["data"], other)


def test_the_command(saved):
    from click.testing import CliRunner

    from microagg.cli.app import app

    paths = [str(saved[what]) for what in ("data", "provenance")]
    said = CliRunner().invoke(app, ["verify", *paths])
    assert said.exit_code == 0
    saved["data"].write_bytes(saved["data"].read_bytes() + b"\n")
    said = CliRunner().invoke(app, ["verify", *paths, "--json"])
    assert said.exit_code == 1
    assert json.loads(said.stdout)["holds"] is False


def test_what_is_not_promised_is_said(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 90).astype(float),
            "pay": rng.normal(size=90),
            "town": [f"t{i % 30}" for i in range(90)],
            "ill": rng.choice(["a", "b"], 90),
        }
    )
    release = ma.protect(
        frame, 4, quasi_identifiers=["age", "pay"], confidential=["ill"], segments=1
    )
    found = checked(release.save(tmp_path))
    assert found.holds
    assert found.cautions == release.outcome.cautions
    assert [line.split(".")[0] for line in found.not_promised] == [
        "k on all quasi-identifiers together",
        "k together with the unchanged columns (town)",
        "different values of ill within a class",
    ]
    assert "In this file, k = 1." in found.not_promised[0]
    assert "90 are in classes of fewer than k = 4" in found.not_promised[1]
    for line in (*found.not_promised, *found.cautions):
        assert line in found.summary()
        assert line in found.as_dict()["not_promised"] + found.as_dict()["cautions"]


@pytest.mark.parametrize(
    "change",
    [
        {"release": 5},
        {"result": {"promises": 5}},
        {"result": {"promises": [{"k": "x"}], "records": 1}},
        {"result": {"promises": [], "records": 1, "beyond_k": [{"what": 1}]}},
        {"result": {"promises": [], "records": 1, "units": [1]}},
        {"input": 3},
        {"arguments": {"k": "x"}},
    ],
)
def test_provenance_that_was_changed_is_an_error_of_ours(saved, change):
    content = json.loads(saved["provenance"].read_text())
    saved["provenance"].write_text(json.dumps(content | change))
    with pytest.raises(ma.MicroaggError):
        checked(saved)


@pytest.mark.parametrize(
    ("entry", "change"),
    [
        ("promises", lambda old: []),
        ("promises", lambda old: [{**old[0], "k": 1}]),
        ("promises", lambda old: [{**old[0], "k": 3.9}]),
        ("beyond_k", lambda old: []),
        ("beyond_k", lambda old: [{**old[0], "limit": 1}, old[1]]),
        ("beyond_k", lambda old: [old[0], {**old[1], "limit": 0.6}]),
        ("beyond_k", lambda old: [old[0], {**old[1], "limit": "nan"}]),
        ("promises", lambda old: [{**old[0], "columns": []}]),
        ("beyond_k", lambda old: [{**old[0], "confidential": []}, old[1]]),
        ("beyond_k", lambda old: [old[0], {**old[1], "columns": []}]),
    ],
)
def test_promises_that_are_weaker_than_the_settings_are_refused(saved, entry, change):
    content = json.loads(saved["provenance"].read_text())
    content["result"][entry] = change(content["result"][entry])
    saved["provenance"].write_text(json.dumps(content))
    with pytest.raises(ma.FileError, match="weaker promises than its own settings"):
        checked(saved)


def test_units_that_are_not_recorded_are_refused(tmp_path):
    frame = pd.DataFrame({"age": np.arange(60) % 20, "person": np.arange(60) // 2})
    release = ma.protect(frame, 4, quasi_identifiers=["age"], unit="person", method="mdav")
    paths = release.save(tmp_path)
    assert checked(paths).holds
    content = json.loads(paths["provenance"].read_text())
    content["result"]["units"] = None
    paths["provenance"].write_text(json.dumps(content))
    with pytest.raises(ma.FileError, match="weaker promises"):
        checked(paths)


def test_codes_that_are_compared_by_order_are_a_weaker_promise(tmp_path):
    frame = pd.DataFrame({"age": np.arange(60) % 20, "code": np.arange(60) % 3})
    release = ma.protect(
        frame, 4, quasi_identifiers=["age"], confidential=["code"], t_closeness=0.4, method="mdav",
        kinds={"code": "nominal"},
    )  # fmt: skip
    paths = release.save(tmp_path)
    assert checked(paths).holds
    content = json.loads(paths["provenance"].read_text())
    content["result"]["beyond_k"][0]["nominal"] = []
    paths["provenance"].write_text(json.dumps(content))
    with pytest.raises(ma.FileError, match="weaker promises"):
        checked(paths)


@pytest.mark.parametrize(
    ("segments", "left"), [(1, 1), ([["age"], ["pay"]], 1), ([["age", "pay"]], 0)]
)
def test_segments_without_a_promise_are_refused(tmp_path, segments, left):
    frame = pd.DataFrame({"age": np.arange(60.0) % 20, "pay": np.arange(60.0) % 7})
    release = ma.protect(frame, 4, quasi_identifiers=["age", "pay"], segments=segments)
    paths = release.save(tmp_path)
    assert checked(paths).holds
    content = json.loads(paths["provenance"].read_text())
    promises = content["result"]["promises"]
    content["result"]["promises"] = promises[:left] or [{**promises[0], "columns": ["age"]}]
    paths["provenance"].write_text(json.dumps(content))
    with pytest.raises(ma.FileError, match="weaker promises"):
        checked(paths)

"""The report of a release of files: what is exact, and what is of a sample in whole classes."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError, FileError, ParameterError
from microagg.large import memory
from microagg.measure import paired_sample as samples
from microagg.measure.paired_sample import in_step, paired_sample

GIVEN = {
    "k": 5,
    "quasi_identifiers": ["x0", "x1", "x2"],
    "identifiers": ["name"],
    "confidential": ["ill"],
    "parameters": {"block_size": 150},
}


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 250)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_report_of_all_records_and_one_of_a_sample(source, tmp_path, monkeypatch, suffix):
    page, outside = tmp_path / "report.html", tmp_path / "outside.html"
    given = {**GIVEN, "report": page, "external_report": outside}
    ma.protect_file(source(suffix), tmp_path / "whole", **given)
    whole = page.read_text()
    assert "Release report" in whole
    assert "computed on all records" in whole
    assert page.stat().st_mode & 0o077 == 0
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (120,))
    release = ma.protect_file(
        source(suffix), tmp_path / "part", **{**given, "overwrite": True, "external_report": None}
    )
    assert "of 600 records in whole classes" in page.read_text()
    for words in ("The charts show a sample of", "They are computed on a sample of"):
        assert words in page.read_text()
        assert words not in whole
    assert f"k = {release.measures['k']}" in page.read_text()


def test_a_loss_that_is_of_a_few_records_outside_of_the_sample_is_not_for_others(
    tmp_path, monkeypatch
):
    """The loss counts all records, so it would state how few of them have another category."""
    rng = np.random.default_rng(1)
    town = np.array(["here"] * 600)
    town[[100, 500]] = "there"
    table = pa.table({"age": np.sort(rng.normal(size=600)), "town": town})
    ma.write_file(table, tmp_path / "people.parquet")
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (60,))
    release = ma.protect_file(
        tmp_path / "people.parquet",
        tmp_path / "out",
        k=5,
        quasi_identifiers=["age", "town"],
        parameters={"block_size": 150, "within": "mdav"},
        report=tmp_path / "report.html",
        external_report=tmp_path / "outside.html",
    )
    changed = np.flatnonzero(ma.read_file(release.paths["data"])["town"].to_numpy() != town)
    assert 0 < changed.size < 5
    assert release.outcome.loss.by_column["town"] > 0
    il = f"{release.measures['il']:.3f}"
    inside, outside = ((tmp_path / f"{n}.html").read_text() for n in ("report", "outside"))
    assert "The columns that lost the most" in inside
    assert il in inside
    assert "The columns that lost the most" not in outside
    assert il not in outside


@pytest.mark.parametrize("more", [{}, {"l_diversity": 2}])
def test_a_report_of_ordinal_numbers_in_text(people, source, tmp_path, more):
    """As in memory, they are ordered by their values; without types, text alone has no order."""
    kinds = {"x2": "ordinal", "ill": "ordinal"}
    given = {**GIVEN, "kinds": kinds, **more}
    path, page = source("csv"), tmp_path / "report.html"
    release = ma.protect_file(path, tmp_path / "out", **given, report=page)
    in_memory = ma.protect(people, method="blocks", **given)
    groups = ma.read_file(release.paths["groups"])["group"]
    assert np.array_equal(groups, in_memory.partition.labels)
    assert "Release report" in page.read_text()


def test_reports_that_cannot_be_written(source, tmp_path):
    (tmp_path / "report.html").write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN, report=tmp_path / "report.html")
    with pytest.raises(ParameterError, match="'audience'"):
        ma.protect_file(source(), tmp_path / "out", **GIVEN, audience="everybody")
    assert (tmp_path / "report.html").read_text() == "mine"
    assert not (tmp_path / "out").exists()


def test_classes_larger_than_the_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(samples.paired_sample, "__defaults__", (120,))
    rng = np.random.default_rng(0)
    people = pa.table({"sex": rng.choice(["m", "f"], 600), "x": rng.normal(size=600)})
    ma.write_file(people, tmp_path / "people.parquet")
    page = tmp_path / "report.html"
    given = {"k": 5, "quasi_identifiers": ["sex"], "parameters": {"within": "mdav"}}
    ma.protect_file(tmp_path / "people.parquet", tmp_path / "out", **given, report=page)
    assert "120 of 600 records drawn one by one" in page.read_text()


def test_a_report_that_cannot_be_made_keeps_the_work(source, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise DataError("There are no records.")

    with monkeypatch.context() as patch:
        patch.setattr("microagg.large.report.page_of_sample", fail)
        with pytest.raises(FileError, match=r"The report cannot be made: There are no records\."):
            ma.protect_file(source(), tmp_path / "out", **GIVEN, report=tmp_path / "report.html")
    assert (tmp_path / "out" / ".microagg-work" / "manifest.json").exists()
    release = ma.protect_file(source(), tmp_path / "out", **GIVEN)
    assert release.paths["data"].exists()


def test_classes_are_in_a_sample_as_a_whole():
    groups = np.repeat(np.arange(300), 5)
    table = pa.table({"x": groups, "y": np.arange(1500)})
    pieces = [(table.slice(a, 400), table.slice(a, 400)) for a in range(0, 1500, 400)]
    sample = paired_sample(pieces, ["x"], most=200)
    assert sample.n == 1500
    assert 0 < sample.original.num_rows <= 200
    assert set(np.bincount(sample.released["x"].to_numpy())) <= {0, 5}
    assert sample.original.equals(sample.released)


def test_tables_go_in_step():
    table = pa.table({"x": np.arange(10)})
    first = [table.slice(0, 3), table.slice(3, 0), table.slice(3, 7)]
    second = [table.slice(0, 6), table.slice(6, 4)]
    both = list(in_step(first, second))
    assert [one.num_rows for one, _ in both] == [3, 3, 4]
    assert all(one.equals(other) for one, other in both)
    with pytest.raises(DataError, match="different numbers of records"):
        list(in_step(first, second[:1]))

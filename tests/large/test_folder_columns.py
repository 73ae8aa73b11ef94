"""Columns that folders name, such as year=2024, count as those inside the files do."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import microagg as ma

SMALL = {"memory": "500MB", "parameters": {"block_size": 40, "within": "mdav"}}


@pytest.fixture(params=[("1", "2"), ("a", "b")], ids=["numbers", "text"])
def source(request, tmp_path):
    """Write 4 records of one value and 80 of another."""
    ages = np.random.default_rng(0).permutation(84).astype(float)
    for value, rows in zip(request.param, (slice(4), slice(4, None)), strict=True):
        folder = tmp_path / "in" / f"y={value}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"age": ages[rows]}), folder / "part.parquet")
    return tmp_path / "in"


def released(release):
    """Return all released records, with the column that the folders name."""
    parts = sorted(path for path in release.paths["data"].rglob("*") if path.is_file())
    tables = [pq.ParquetFile(p).read().to_pandas().assign(y=p.parent.name) for p in parts]
    return pd.concat(tables, ignore_index=True)


def test_strata_that_are_merged_are_counted_across(source, tmp_path):
    release = ma.protect_file(
        source, tmp_path / "out", 5, quasi_identifiers=["age"], strata=["y"], small_strata="merge",
        **SMALL,
    )  # fmt: skip
    data = released(release)
    assert data.groupby("age").size().min() >= 5
    across = data.groupby(["age", "y"]).size().min()
    (caution,) = [c for c in release.outcome.cautions if c.startswith("Groups cross")]
    assert f"k = {across}" in caution
    assert across < 5


@pytest.mark.parametrize("limit", [{"l_diversity": 2}, {"t_closeness": 0.2}])
def test_limits_count_their_values(source, tmp_path, limit):
    given = {"quasi_identifiers": ["age"], "confidential": ["y"], **SMALL}
    release = ma.protect_file(source, tmp_path / "out", 5, **given, **limit)
    data = released(release)
    if "l_diversity" in limit:
        assert data.groupby("age")["y"].nunique().min() == release.measures["l-diversity"] >= 2
    else:
        shares = data.groupby("age")["y"].apply(lambda own: (own == data["y"][0]).mean())
        farthest = abs(shares - (data["y"] == data["y"][0]).mean()).max()
        assert release.measures["t-closeness"] == pytest.approx(farthest)
        assert farthest <= 0.2
    assert ma.verify(release.paths["data"], release.paths["provenance"]).holds


def test_classes_of_one_value_are_counted(source, tmp_path):
    given = {"quasi_identifiers": ["age"], "confidential": ["y"], **SMALL}
    release = ma.protect_file(source, tmp_path / "out", 5, **given)
    data = released(release)
    alike = data.groupby("age")["y"].transform("nunique") == 1
    assert release.outcome.homogeneous == {"y": int(alike.sum())}


def test_a_column_that_two_folders_name_is_refused(tmp_path):
    folder = tmp_path / "in" / "y=1" / "y=2"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"age": np.arange(30.0)}), folder / "part.parquet")
    with pytest.raises(ma.DataError, match=r"name column 'y' twice"):
        ma.protect_file(tmp_path / "in", tmp_path / "out", 5, quasi_identifiers=["age"], **SMALL)

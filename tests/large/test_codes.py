"""Columns that look like codes are told for a file as they are for a frame."""

import numpy as np
import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.codes import FEW
from microagg.large import memory


@pytest.fixture
def coded():
    """Return 500 records, and the columns of which a caution is due."""
    rng = np.random.default_rng(0)
    late = np.zeros(500)
    late[-1] = 0.5
    columns = {
        "sex": rng.integers(0, 3, 500),
        "ages": rng.integers(0, FEW + 1, 500),
        "late": late,  # whole up to the last piece
        "zip": rng.normal(size=500),
        "few": np.arange(500) % FEW,
    }
    return pa.table(columns), ["sex", "zip", "few"]


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize("kinds", [{}, {"sex": "continuous"}])
def test_codes_are_told_as_in_memory(coded, tmp_path, monkeypatch, suffix, kinds):
    monkeypatch.setattr(memory, "LARGEST_PIECE", 77)
    table, expected = coded
    path = tmp_path / f"coded.{suffix}"
    ma.write_file(table, path)
    given = {"quasi_identifiers": table.column_names, "kinds": kinds}
    listed = ", ".join(name for name in expected if name not in kinds)
    with pytest.warns(ma.MicroaggWarning, match=f"look like codes .*: {listed}. They") as in_memory:
        frame = ma.protect(table, 3, method="blocks", **given)
    with pytest.warns(ma.MicroaggWarning) as in_pieces:
        file = ma.protect_file(path, tmp_path / "out", 3, **given)
    assert [str(one.message) for one in in_pieces] == [str(one.message) for one in in_memory]
    cautions = [release.provenance["result"]["cautions"] for release in (file, frame)]
    assert cautions[0] == cautions[1]
    assert f"look like codes rather than amounts: {listed}." in file.summary()


def test_amounts_are_not_told(tmp_path, coded):
    path = tmp_path / "amounts.parquet"
    ma.write_file(coded[0], path)
    given = {"quasi_identifiers": ["ages", "late"]}
    release = ma.protect_file(path, tmp_path / "out", 3, **given)
    assert not any("codes" in caution for caution in release.provenance["result"]["cautions"])

"""Labels of replaced columns survive; columns with value labels are codes."""

import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError

LABEL, VALUES = b"microagg.label", b"microagg.value_labels"


def survey() -> pa.Table:
    fields = [
        pa.field("age", pa.float64(), metadata={LABEL: b"Age in years", b"origin": b"secret"}),
        pa.field(
            "sex", pa.float64(), metadata={LABEL: b"Sex", VALUES: b'[[1.0, "m"], [2.0, "f"]]'}
        ),
    ]
    ages, sexes = [30.0, 31.0, 60.0, 61.0], [1.0, 2.0, 1.0, 2.0]
    schema = pa.schema(fields, metadata={"note": "about the file"})
    return pa.table([ages, sexes], schema=schema)


def test_a_replaced_column_keeps_its_labels_and_nothing_else():
    data = ma.protect(survey(), 2, quasi_identifiers=["age"]).data
    assert data.schema.field("age").metadata == {LABEL: b"Age in years"}
    assert data.schema.field("sex").metadata[LABEL] == b"Sex"
    assert data.schema.metadata is None
    assert data["age"].to_pylist() == [30.5, 30.5, 60.5, 60.5]


@pytest.mark.parametrize("format", ["sav", "dta", "parquet", "feather"])
def test_labels_reach_the_written_file(tmp_path, format):
    if format in ("sav", "dta"):
        pytest.importorskip("pyreadstat")
    release = ma.protect(survey(), 2, quasi_identifiers=["age"])
    written = ma.read_file(release.save(tmp_path, format=format)["data"])
    assert written.schema.field("age").metadata[LABEL] == b"Age in years"
    assert written.schema.field("sex").metadata[VALUES]


def test_a_quasi_identifier_with_value_labels_is_refused():
    with pytest.raises(DataError, match="'sex' has value labels, so it contains codes") as caught:
        ma.protect(survey(), 2, quasi_identifiers=["age", "sex"])
    assert "Declare it as nominal: kinds=" in caught.value.hint
    assert "value labels" in caught.value.hint


def test_without_its_labels_it_is_taken():
    table = survey()
    bare = table.set_column(1, "sex", table["sex"])
    assert ma.protect(bare, 2, quasi_identifiers=["age", "sex"]).measures["k"] >= 2

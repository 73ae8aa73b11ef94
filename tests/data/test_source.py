"""A file is read once: table, form and SHA-256 come from the same bytes."""

import gzip
import hashlib
from pathlib import Path

import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.files import read_file, sha256_of, write_file
from microagg.data.source import read_source
from microagg.errors import DataError, ParameterError

TEXT = "zip;age;pay\n007;40;1,50\n080;41;2,25\n"


@pytest.fixture
def path(tmp_path) -> Path:
    file = tmp_path / "people.csv"
    file.write_text(TEXT)
    return file


def test_what_a_source_knows(path):
    source = read_source(path, decimal=",")
    assert source.path == path
    assert source.table.to_pydict() == {
        "zip": ["007", "080"],
        "age": ["40", "41"],
        "pay": ["1,50", "2,25"],
    }
    assert (source.dialect.separator, source.dialect.decimal) == (";", ",")
    assert source.sha256 == hashlib.sha256(TEXT.encode()).hexdigest() == sha256_of(path)
    assert source.read_as == {"decimal": ","}


@pytest.mark.parametrize(
    "suffix", [".csv", ".csv.gz", ".parquet", ".arrow", ".sav", ".dta", ".xpt"]
)
def test_a_file_is_read_once_and_hashed_as_it_is_on_disk(tmp_path, suffix):
    file = tmp_path / f"people{suffix}"
    write_file(pa.table({"age": [40.0, 41.0]}), file)
    assert read_source(file).sha256 == hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_file_that_changes_while_it_is_read_has_the_hash_of_what_was_parsed(path, monkeypatch):
    import microagg.data.formats.delimited_text as module

    plain = module.read_delimited
    registered = module.read.__globals__

    def read(content, options):
        parsed = plain(content, options)
        content.path.write_text("other\n1\n")
        return parsed

    monkeypatch.setitem(registered, "read_delimited", read)
    source = read_source(path)
    assert source.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert source.table.column_names == ["zip", "age", "pay"]


def test_read_file_and_roles_type_columns_by_one_rule(path):
    source = read_source(path, decimal=",")
    asked = read_file(path, decimal=",", parse=["age", "pay"])
    assert source.typed_by_role(["age", "pay"]).equals(asked)
    assert source.parsed().equals(read_file(path, decimal=","))
    assert source.typed_by_role(["zip"], categories=["zip"]).equals(source.table)


def test_text_among_numbers_in_a_quasi_identifier_is_an_error_that_shows_none(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("age,job\n40,x\nforty-one,y\n42,z\n")
    with pytest.raises(
        DataError, match="contains text in 1 record, the first in data row 2"
    ) as caught:
        read_source(file).typed_by_role(["age"])
    assert "forty" not in str(caught.value)
    assert "kinds={'age': 'nominal'}" in caught.value.hint.replace('"', "'")
    assert read_source(file).typed_by_role(["age"], blanks=["forty-one"])["age"].to_pylist() == [
        40,
        None,
        42,
    ]


def test_blanks_are_for_text(tmp_path):
    file = tmp_path / "a.parquet"
    write_file(pa.table({"age": [40]}), file)
    with pytest.raises(ParameterError, match="'blank' parameter applies to delimited text"):
        read_source(file).typed_by_role(["age"], blanks=["?"])


def test_a_column_of_numbers_in_a_parquet_file_is_left_alone(tmp_path):
    file = tmp_path / "a.parquet"
    write_file(pa.table({"age": [40, 41]}), file)
    assert read_source(file).typed_by_role(["age"]).equals(read_file(file))


def test_packed_text_has_the_hash_of_the_packed_file(tmp_path):
    file = tmp_path / "a.csv.gz"
    file.write_bytes(gzip.compress(b"age\n40\n"))
    assert read_source(file).sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert ma.read_file(file).to_pydict() == {"age": [40]}

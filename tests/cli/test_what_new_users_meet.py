"""What a new user gets wrong first: no header, missing codes, decimal commas, stdin, Excel."""

import shutil
from pathlib import Path

import pytest

from microagg.data.files import read_file, write_file

GOOD = ["-k", "3", "--qi", "age,income", "-o", "release.csv"]


@pytest.mark.parametrize("command", [["protect", "-k", "3", "--qi", "age"], ["schema"]])
def test_a_file_without_a_header_is_refused_unseen(refused, records, command):
    records.write_text(records.read_text().split("\n", 1)[1])
    words = refused(command[0], records, *command[1:])
    assert "The first line of" in words
    assert "looks like a record, not column names" in words
    assert "give --numeric-names" in words


def test_names_that_are_numbers_can_be_asked_for_and_repeated(microagg, records):
    records.write_text(records.read_text().replace("age", "2019", 1))
    options = ["-k", "3", "--qi", "2019", "--numeric-names", "-o", "r.csv"]
    assert microagg("protect", records, *options).code == 0
    assert Path("r.csv").read_text().startswith("id,2019,income,note\n")
    said = microagg("protect", records, "--repeat", "r.provenance.json", "-o", "again.csv")
    assert said.code == 0, said.err
    assert Path("again.csv").read_bytes() == Path("r.csv").read_bytes()
    assert microagg("schema", records, "--numeric-names").code == 0


def test_an_option_that_means_nothing_for_the_format(refused, records):
    typed = records.with_suffix(".parquet")
    write_file(read_file(records), typed)
    words = refused("protect", typed, "--numeric-names", *GOOD)
    assert "'--numeric-names' option means nothing for .parquet files" in words


@pytest.mark.parametrize("code", ["NA", "N", "?", ".", "NULL", "-"])
def test_a_missing_code_is_named_as_one(refused, records, code):
    records.write_text(records.read_text() + f"12,{code},86420,x\n")
    words = refused("protect", records, *GOOD)
    assert f"'age' holds '{code}' in 1 record, the first in data row 13" in words
    assert "looks like a missing-value code" in words
    assert "decimal" not in words


def test_decimal_commas_are_seen(refused, records):
    records.write_text("age;pay\n" + "30;1,5\n31;2,25\n" * 3)
    words = refused("protect", records, "-k", "3", "--qi", "age,pay", "-o", "release.csv")
    assert "decimal commas: give --decimal ," in words


def test_a_missing_input_is_reported_before_an_output_that_is_there(refused, records):
    Path("release.csv").write_text("old")
    assert "There is no file 'none.csv'" in refused("protect", "none.csv", *GOOD)
    words = refused("schema", "none.csv", "-o", "release.csv")
    assert "There is no file 'none.csv'" in words


def test_a_dash_is_no_file(refused, records):
    assert "cannot be read from stdin" in refused("protect", "-", *GOOD)
    words = refused("protect", records, "-k", "3", "--qi", "age", "-o", "-")
    assert "Leave --output out" in words


def test_a_spreadsheet_is_to_be_exported(refused, records):
    shutil.copy(records, "people.xlsx")
    assert "Export it as CSV" in refused("protect", "people.xlsx", *GOOD)

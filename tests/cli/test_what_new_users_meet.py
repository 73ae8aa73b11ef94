"""What a new user gets wrong first: no header, missing codes, decimal commas, stdin, Excel."""

import json
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
    assert "use --numeric-names" in words


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
    assert "'--numeric-names' option does not apply to .parquet files" in words


@pytest.mark.parametrize("code", ["NA", "N", "?", ".", "NULL", "-"])
def test_a_missing_code_is_named_as_one(refused, records, code):
    records.write_text(records.read_text() + f"12,{code},86420,x\n")
    words = refused("protect", records, *GOOD)
    assert f"'age' contains '{code}' in 1 record, the first in data row 13" in words
    assert "looks like a missing-value code" in words
    assert "decimal" not in words


def test_decimal_commas_are_seen(refused, records):
    records.write_text("age;pay\n" + "30;1,5\n31;2,25\n" * 3)
    words = refused("protect", records, "-k", "3", "--qi", "age,pay", "-o", "release.csv")
    assert "decimal commas: set --decimal ," in words


@pytest.mark.parametrize("large", [("-o", "out.csv"), ("-o", "out", "--memory", "1GB")])
def test_numbers_with_leading_zeros_are_not_averaged_unasked(refused, records, large):
    records.write_text("age,site\n" + "".join(f"{20 + i},{i:04d}\n" for i in range(40)))
    words = refused("protect", records, "-k", "3", "--qi", "age,site", *large)
    assert "'site' contains numbers with leading zeros" in words
    assert "--kinds site=nominal or --kinds site=continuous" in words


@pytest.mark.parametrize(("kind", "text"), [("nominal", "0"), ("continuous", "1.0")])
def test_leading_zeros_are_kept_or_averaged_as_the_kind_says(microagg, records, kind, text):
    records.write_text("age,site\n" + "30,0000\n31,0001\n32,0002\n" * 3)
    kinds = ["--kinds", f"site={kind}", "--method", "mdav"]
    said = microagg("protect", records, "-k", "9", "--qi", "age,site", *kinds, "-o", "r.csv")
    assert said.code == 0, said.err
    assert Path("r.csv").read_text().splitlines()[1].split(",")[1].startswith(text)
    assert len(Path("r.csv").read_text().splitlines()[1].split(",")[1]) == (
        4 if kind == "nominal" else 3
    )


def test_thousands_points_beside_decimal_commas_are_seen(refused, records):
    records.write_text("age;pay\n" + "30;1.500,50\n31;57.800.000,00\n32;900\n" * 3)
    words = refused("protect", records, "-k", "3", "--qi", "age,pay", "-o", "release.csv")
    assert "thousands separators and decimal commas" in words
    assert "remove the separators first, and set --decimal ,." in words


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


class TestParametersOfMethods:
    def test_one_that_is_taken_for_an_option(self, refused):
        words = refused("protect", "people.csv", "-k", "3", "--qi", "age", "--axis", "age", code=2)
        assert "Use --set axis=..." in words

    def test_one_of_another_method(self, refused):
        options = ["-k", "3", "--qi", "age", "--method", "mdav", "--set", "axis=age", "-o", "r.csv"]
        words = refused("protect", "people.csv", *options)
        assert "mdav has no parameter 'axis'. It takes: " in words
        assert "These methods have it: " in words


def test_a_suffix_that_cannot_be_written_names_those_that_can(refused):
    for command in ("protect", "compare"):
        words = refused(command, "people.csv", "-k", "3", "--qi", "age", "-o", "r.xlsx")
        assert "'r.xlsx' is not supported for output" in words
        assert "Supported suffixes: .csv" in words


def test_select_of_one_column(microagg, records):
    said = microagg("select", "people.csv", "--qi", "age")
    assert (said.code, said.out.decode().splitlines()[-1]) == (0, "age")


class TestRepeating:
    def test_what_the_clock_ended_is_said_to_be_inexact(self, microagg, records):
        options = ["-k", "3", "--qi", "age,income", "--method", "genetic", "--set", "time_limit=0"]
        first = microagg("protect", "people.csv", *options, "-o", "r.csv")
        assert "Stopped: time limit (0 s)" in first.err
        again = microagg(
            "protect", "people.csv", "--repeat", "r.provenance.json", "-o", "again.csv"
        )
        said = "CAUTION: The search for that release was stopped by its time limit, so it cannot be"
        assert said in again.err

    def test_another_result_is_said(self, microagg, records):
        microagg("protect", "people.csv", "-k", "3", "--qi", "age,income", "-o", "r.csv")
        kept = json.loads(Path("r.provenance.json").read_text())
        same = microagg("protect", "people.csv", "--repeat", "r.provenance.json", "-o", "a.csv")
        assert "differs from the recorded release" not in same.err
        kept["result"]["k"] = 2
        Path("r.provenance.json").write_text(json.dumps(kept))
        other = microagg("protect", "people.csv", "--repeat", "r.provenance.json", "-o", "b.csv")
        assert "differs from the recorded release: k 3 instead of 2." in other.err


def test_compare_sets_parameters(microagg, records):
    options = ["--qi", "age,income", "-k", "3", "--methods", "mdav,lns", "--jobs", "1"]
    said = microagg("compare", "people.csv", *options, "--set", "time_limit=0")
    assert said.code == 0, said.err
    assert "lns (time limit)" in said.out.decode()
    assert "loss: " in said.err
    assert "risk: " in said.err

"""suggest: a role and a reason for each column, for a person to judge."""

import os
import tomllib
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.suggest import suggest_schema

PEOPLE = {
    "patient_id": [11, 12, 13, 11],
    "Last Name": ["Ann", "Bob", "Cid", "Ann"],
    "age": [30, 41, 30, 55],
    "income": [1.5, 2.5, 3.5, 4.5],
    "diagnosis": [1, 2, 1, 2],
    "row": [101, 102, 103, 104],
    "city": ["x", "x", "y", "y"],
    "country": ["NL"] * 4,
    "weight": [0.5, 1.5, 0.5, 2.0],
    "height": [1.8, None, 1.7, 1.8],
}
ROLES = {
    "patient_id": "identifier",
    "Last Name": "identifier",
    "age": "quasi-identifier",
    "income": "quasi-identifier",
    "diagnosis": "confidential",
    "row": "identifier",
    "city": "other",
    "country": "other",
    "weight": "other",
    "height": "other",
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_column_gets_a_role_and_a_reason(kind):
    found = suggest_schema(kind(PEOPLE)).columns
    assert {suggestion.column: suggestion.role for suggestion in found} == ROLES
    assert all(suggestion.reason for suggestion in found)


def test_the_reason_counts_but_shows_no_value():
    reasons = {
        suggestion.column: suggestion.reason
        for suggestion in suggest_schema(pa.table(PEOPLE)).columns
    }
    assert reasons["age"] == "numbers, 3 different values"
    assert 'numbers but for 1 record (missing): give missing="group"' in reasons["height"]
    text = " ".join(reasons.values())
    assert not any(str(value) in text for value in ("Ann", "NL", "2.5", "103"))


def test_the_suggestion_is_a_schema_file_that_can_be_used(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(suggest_schema(pa.table(PEOPLE)).to_toml(), encoding="utf-8")
    schema = ma.Schema.from_toml(path)
    assert all(schema.role(name) == role for name, role in ROLES.items())
    assert path.read_text().startswith("# A suggestion")


def test_columns_without_a_role_are_named_in_the_file():
    text = suggest_schema(pa.table(PEOPLE)).to_toml()
    assert text.count('#    "city"') == 1
    assert tomllib.loads(text)["confidential"] == ["diagnosis"]


def test_names_that_toml_must_escape():
    table = pa.table({'a "b"\n#': [1, 2, 1], "ü\\": [1, 1, 2]})
    assert tomllib.loads(suggest_schema(table).to_toml())["quasi_identifiers"] == table.column_names


def test_a_file_without_a_candidate_suggests_none():
    assert tomllib.loads(suggest_schema(pa.table({"a": ["x", "x"]})).to_toml()) == {
        "identifiers": [], "quasi_identifiers": [], "confidential": [],
    }  # fmt: skip


def judged(**columns):
    return {s.column: s for s in suggest_schema(pa.table(columns)).columns}


def test_numbers_that_all_differ_are_identifiers_only_if_they_number_the_records():
    money = [1000 + 37 * i + i % 3 for i in range(50)]
    found = judged(tax=money, claim_no=money, caseNumber=money, seq=list(range(7, 57)))
    roles = {name: suggestion.role for name, suggestion in found.items()}
    assert roles == {
        "tax": "quasi-identifier",
        "claim_no": "identifier",
        "caseNumber": "identifier",
        "seq": "identifier",
    }


@pytest.mark.parametrize("name", ["ori_hid", "hid", "person_id", "UTILITYID", "personId", "pid"])
def test_a_name_that_says_id_is_enough(name):
    assert judged(**{name: [1, 1, 1, 2, 2, 2]})[name].role == "identifier"


@pytest.mark.parametrize("name", ["paid", "acid", "humidity", "void", "idle"])
def test_a_name_that_only_ends_like_one_is_not(name):
    assert judged(**{name: [1.5, 2.5, 1.5]})[name].role == "quasi-identifier"


def test_codes_are_for_a_person_to_decide():
    labelled = pa.field("job", pa.int64(), metadata={b"microagg.value_labels": b"[]"})
    table = pa.table({"sex": [1, 2] * 50, "whole": [1.0, 2.0] * 50, "zip": list(range(100, 200))})
    table = table.append_column(labelled, [list(range(100))])
    suggested = suggest_schema(table)
    assert {(s.role, s.to_do) for s in suggested.columns} == {("other", "code")}
    assert suggested.columns[0].reason == (
        "looks like a code (2 values): decide; others may know it"
    )
    text = suggested.to_toml()
    assert "\n\n# Codes? decide" in text
    assert text.count('#    "') == 4
    kinds = dict.fromkeys(table.column_names, "nominal")
    assert tomllib.loads(text)["kinds"] == kinds
    decided = text.replace("quasi_identifiers = [", 'quasi_identifiers = ["sex", "whole",')
    schema = ma.Schema.from_dict(tomllib.loads(decided))
    assert ma.protect(table, k=5, schema=schema).measures["il"] == 0


def test_a_handful_of_records_has_few_values_of_everything():
    assert judged(age=[30, 41, 30])["age"].role == "quasi-identifier"


@pytest.mark.parametrize("code", ["NA", "N", "?", ".", "NULL", "-"])
def test_numbers_with_a_missing_code_are_to_be_mended(code):
    values = [str(17 * i) for i in range(40)] + [code] * 2
    found = judged(pay=values)["pay"]
    assert (found.role, found.to_do) == ("other", "mend")
    assert found.reason == (
        f"numbers but for 2 records (missing code '{code}'?): "
        'make it a blank and give missing="group" to have it among quasi_identifiers'
    )
    lines = suggest_schema(pa.table({"pay": values})).to_toml().splitlines()
    assert lines[2] == "# Mend first, or they are released unchanged:"  # before all else


def test_text_that_is_no_number_at_all_has_no_missing_code():
    assert judged(vote=["N", "N", "N", ""])["vote"].to_do == ""
    assert judged(word=["12", "Xyzzy", "13"] * 2)["word"].to_do == ""


def test_decimal_commas_are_seen_and_thousands_are_not_taken_for_them():
    found = judged(pay=["1,5", "2,25", "3", "1,5"], thousands=["1,500", "2,250", "1,500", "9,000"])
    assert found["pay"].reason == 'looks like decimal commas: give decimal=","'
    assert "decimal" not in found["thousands"].reason


def test_the_schema_of_a_suggestion():
    assert suggest_schema(pa.table(PEOPLE)).schema() == ma.Schema(
        ["age", "income"],
        identifiers=["patient_id", "Last Name", "row"],
        confidential=["diagnosis"],
    )
    assert str(suggest_schema(pa.table(PEOPLE))) == suggest_schema(pa.table(PEOPLE)).to_toml()


# What is suggested for sets of the literature, as they lie in their files.
EXPECTED = {
    "census.csv": {
        "AGI": "quasi-identifier", "FEDTAX": "quasi-identifier", "TAXINC": "quasi-identifier",
        "PTOTVAL": "quasi-identifier", "STATETAX": "quasi-identifier", "AFNLWGT": "",
    },
    "sdcmicro_testdata.csv": {
        "ori_hid": "identifier", "age": "quasi-identifier", "income": "quasi-identifier",
        "savings": "quasi-identifier", "urbrur": "code", "relat": "code", "sex": "code",
        "household_weights": "",
    },
    "nist_acs_national2019.csv": {
        "PUMA": "code", "SEX": "code", "MSP": "code", "INDP_CAT": "code", "AGEP": "quasi-identifier",
        "PINCP": "mend", "POVPIP": "mend", "PWGTP": "",
    },
    "nycflights.csv.gz": {
        "dep_delay": "mend", "air_time": "mend", "month": "code", "distance": "quasi-identifier",
        "carrier": "",
    },
    "adult.csv": {
        "age": "quasi-identifier", "capital-gain": "quasi-identifier", "education-num": "code",
        "fnlwgt": "", "race": "confidential", "sex": "",
    },
}  # fmt: skip


@pytest.mark.parametrize("file", EXPECTED)
def test_sets_of_the_literature(file):
    path = Path(os.environ.get("MICROAGG_DATA", "none"), file)
    if not path.is_file():
        pytest.skip(f"MICROAGG_DATA has no {file}")
    found = {s.column: s for s in suggest_schema(ma.read_file(path)).columns}
    assert {
        name: found[name].to_do if found[name].role == "other" else found[name].role
        for name in EXPECTED[file]
    } == EXPECTED[file]

"""suggest: a role and a reason for each column, for a person to judge."""

import tomllib

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.suggest import suggest, to_toml

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
    found = suggest(kind(PEOPLE))
    assert {suggestion.column: suggestion.role for suggestion in found} == ROLES
    assert all(suggestion.reason for suggestion in found)


def test_the_reason_counts_but_shows_no_value():
    reasons = {suggestion.column: suggestion.reason for suggestion in suggest(pa.table(PEOPLE))}
    assert reasons["age"] == "numbers, 3 different values"
    assert "1 missing" in reasons["height"]
    text = " ".join(reasons.values())
    assert not any(str(value) in text for value in ("Ann", "NL", "2.5", "103"))


def test_the_suggestion_is_a_schema_file_that_can_be_used(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(to_toml(suggest(pa.table(PEOPLE))), encoding="utf-8")
    schema = ma.Schema.from_toml(path)
    assert all(schema.role(name) == role for name, role in ROLES.items())
    assert path.read_text().startswith("# A suggestion")


def test_columns_without_a_role_are_named_in_the_file():
    text = to_toml(suggest(pa.table(PEOPLE)))
    assert text.count('#    "city"') == 1
    assert tomllib.loads(text)["confidential"] == ["diagnosis"]


def test_names_that_toml_must_escape():
    table = pa.table({'a "b"\n#': [1, 2, 1], "ü\\": [1, 1, 2]})
    assert tomllib.loads(to_toml(suggest(table)))["quasi_identifiers"] == table.column_names


def test_a_file_without_a_candidate_suggests_none():
    assert tomllib.loads(to_toml(suggest(pa.table({"a": ["x", "x"]})))) == {
        "identifiers": [], "quasi_identifiers": [], "confidential": [],
    }  # fmt: skip

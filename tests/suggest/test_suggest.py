"""suggest: a role and a reason for each column, for a person to judge."""

import os
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import ParameterError
from microagg.suggest import suggest_schema
from tests.examples import examples

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
    "city": "quasi-identifier",
    "country": "other",
    "weight": "other",
    "height": "quasi-identifier",
}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_column_gets_a_role_and_a_reason(kind):
    found = suggest_schema(kind(PEOPLE)).columns
    assert {suggestion.column: suggestion.role for suggestion in found} == ROLES
    assert all(suggestion.reason for suggestion in found)


def test_the_reason_counts_but_shows_no_value():
    reasons = {
        suggestion.column: str(suggestion.reason)
        for suggestion in suggest_schema(pa.table(PEOPLE)).columns
    }
    assert reasons["age"] == "numbers, 3 different values"
    assert "1 record without a value: set missing=" in reasons["height"]
    text = " ".join(reasons.values())
    assert not any(str(value) in text for value in ("Ann", "NL", "2.5", "103"))


def test_the_suggestion_is_a_schema_file_that_can_be_used(tmp_path):
    path = tmp_path / "schema.toml"
    path.write_text(suggest_schema(pa.table(PEOPLE)).to_toml(), encoding="utf-8")
    schema = ma.Schema.from_toml(path)
    assert all(schema.role(name) == role for name, role in ROLES.items())
    assert path.read_text().startswith("# This suggestion")


def test_columns_without_a_role_are_named_in_the_file():
    text = suggest_schema(pa.table(PEOPLE)).to_toml()
    assert text.count('#    "weight"') == 1
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
    labelled = pa.field("task", pa.int64(), metadata={b"microagg.value_labels": b"[]"})
    table = pa.table({"kind": [1, 2] * 50, "whole": [1.0, 2.0, 2.0, 2.0] * 25})
    table = table.append_column(labelled, [list(range(100))])
    suggested = suggest_schema(table)
    assert {s.to_do for s in suggested.columns[:2]} == {"code"}
    assert suggested.columns[0].reason == (
        "looks like a code (2 values): decide whether others could know it"
    )
    text = suggested.to_toml()
    assert "\n\n# Codes: decide" in text
    kinds = dict.fromkeys(["kind", "whole"], "nominal")
    assert tomllib.loads(text)["kinds"] == kinds
    decided = text.replace("quasi_identifiers = [", 'quasi_identifiers = ["kind", "whole",')
    schema = ma.Schema.from_dict(tomllib.loads(decided))
    assert ma.protect(table, k=5, schema=schema).measures["il"] == 0


def test_codes_of_what_others_know_are_quasi_identifiers():
    found = judged(sex=[1, 2] * 50, zip=list(range(100, 200)), GenderID=[0, 1] * 50)
    assert {s.role for s in found.values()} == {"quasi-identifier"}
    assert {s.kind for s in found.values()} == {"nominal"}


def test_numbers_with_leading_zeros_are_categories():
    codes = [f"{i:04d}" for i in range(40)] * 5
    found = judged(region=codes, site=codes, town=["here", "there"] * 100)
    assert (found["region"].role, found["site"].role) == ("quasi-identifier", "other")
    assert [found[name].kind for name in ("region", "site", "town")] == ["nominal", "nominal", ""]


def test_an_identifier_of_several_records_each_asks_for_the_unit():
    visits = list(range(1000, 1100)) * 3
    suggested = suggest_schema(pa.table({"patient_id": visits, "visit_id": list(range(300))}))
    repeated, single = suggested.columns
    assert (repeated.role, single.role) == ("identifier", "identifier")
    assert str(repeated.reason).endswith(
        'one person may have several records: set unit="patient_id" so that k counts persons'
    )
    assert "unit" not in str(single.reason)
    assert 'set unit="patient_id"' in suggested.to_toml()


def test_notes_are_free_text_even_if_some_are_alike():
    notes = [f"Patient seen by the doctor on day {i}" for i in range(60)] * 4
    found = judged(
        note=notes, answer=[f"the answer with the number {i} of all" for i in range(4)] * 60
    )
    assert (found["note"].role, found["answer"].role) == ("identifier", "other")
    assert found["note"].reason == "free text, which may name persons"


def test_a_suggestion_is_short_where_it_is_printed():
    assert repr(suggest_schema(pa.table(PEOPLE))).startswith(
        "SchemaSuggestion(columns=10, identifier"
    )


def test_a_handful_of_records_has_few_values_of_everything():
    assert judged(age=[30, 41, 30])["age"].role == "quasi-identifier"


@pytest.mark.parametrize("code", ["NA", "N", "?", ".", "NULL", "-"])
def test_codes_for_missing_numbers_are_proposed_as_blanks(code):
    values = [str(17 * i) for i in range(40)] + [code] * 2
    found = judged(pay=values)["pay"]
    assert (found.role, found.to_do, found.blanks) == ("quasi-identifier", "repair", (code,))
    assert str(found.reason) == (
        "numbers, 40 different values; 2 records without a value: name its codes with blank=, and "
        "set missing="
    )
    suggested = suggest_schema(pa.table({"pay": values}))
    assert suggested.blanks == {"pay": (code,)}
    assert f'#    "pay": {code}' in suggested.to_toml().splitlines()


@pytest.mark.parametrize(
    ("values", "blanks"),
    [
        ([*range(18, 90), -99, -99], ("-99",)),
        ([*range(18, 90), -9, -8, -9], ("-9", "-8")),
        ([*range(18, 90), 999, 999], ("999",)),
        ([*range(18, 90), 99, 99, 999, 999], ("999",)),
        ([1, 2, 3, 4, 5] * 20 + [99] * 3, ("99",)),
        ([*range(18, 90), -99], ()),  # once may be anything
        ([*range(-50, 50), -99, -99], ()),
        ([-1, 0, 1] * 20, ()),
        ([*range(120), 99, 99], ()),
    ],
)
def test_numbers_that_stand_for_missing_ones(values, blanks):
    assert judged(x=values)["x"].blanks == blanks


def test_categories_may_have_a_marker_too():
    assert judged(job=["a", "b", "?", "c"] * 10)["job"].blanks == ("?",)
    assert judged(vote=["Y", "N"] * 10)["vote"].blanks == ()


def test_text_that_is_no_number_at_all_has_no_missing_code():
    assert judged(vote=["N", "N", "N", ""])["vote"].to_do == ""
    assert judged(word=["12", "Xyzzy", "13"] * 2)["word"].to_do == ""


def test_decimal_commas_are_seen_and_thousands_are_not_taken_for_them():
    found = judged(pay=["1,5", "2,25", "3", "1,5"], thousands=["1,500", "2,250", "1,500", "9,000"])
    assert str(found["pay"].reason) == 'looks like decimal commas: set decimal=","'
    assert "decimal" not in found["thousands"].reason


def test_decimal_commas_beside_thousands_points_are_seen():
    pay = ["57.800.000,00", "1.500,50", "900,25", "2.000,00"]
    suggestion = judged(pay=pay)["pay"]
    assert suggestion.to_do == "repair"
    assert "remove the separators first, and set decimal" in str(suggestion.reason)
    assert judged(version=["1.2.3", "1.10,4", "2.0.1", "2,1"])["version"].to_do != "repair"


def test_the_schema_of_a_suggestion():
    assert suggest_schema(pa.table(PEOPLE)).schema() == ma.Schema(
        ["age", "income", "city", "height"],
        identifiers=["patient_id", "Last Name", "row"],
        confidential=["diagnosis"],
    )
    assert str(suggest_schema(pa.table(PEOPLE))) == suggest_schema(pa.table(PEOPLE)).to_toml()


def test_a_schema_without_quasi_identifiers_says_what_to_do(tmp_path):
    suggested = suggest_schema(pa.table({"note": ["x", "y"] * 9}))
    assert "# No column was recognised as a quasi-identifier: move those" in suggested.to_toml()
    with pytest.raises(ParameterError, match="has no quasi-identifier") as caught:
        suggested.schema()
    path = tmp_path / "schema.toml"
    path.write_text(suggested.to_toml())
    with pytest.raises(ParameterError, match="must name at least one column") as read:
        ma.Schema.from_toml(path)
    assert not any("microagg schema" in error.value.hint for error in (caught, read))


N = 200
RNG = np.random.default_rng(0)
BORN = pd.to_datetime("1940-01-01") + pd.to_timedelta(RNG.integers(0, 20000, N), "D")


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y/%m/%d", "%Y-%m", "%b-%Y", "%m/%d/%Y %H:%M"])
def test_dates_in_any_common_format(form):
    found = judged(dob=list(BORN.strftime(form)))["dob"]
    assert (found.role, found.kind, found.confidence) == ("quasi-identifier", "continuous", "high")


def test_dates_that_need_a_format():
    early = pd.to_datetime("1940-01-05") + pd.to_timedelta(RNG.integers(0, 7, N), "D")
    found = judged(seen=list(early.strftime("%d/%m/%Y")), start=BORN.strftime("%Y%m%d").astype(int))
    assert {s.role for s in found.values()} == {"quasi-identifier"}
    assert all("date_format" in str(s.reason) for s in found.values())


def test_bodies_and_samples_have_weights():
    body, sample = np.round(RNG.normal(75, 15, N), 1), RNG.lognormal(5, 0.7, N)
    found = judged(weight=body, WTINT=sample, weight_kg=body, birth_weight=40 * body)
    roles = {name: s.role for name, s in found.items()}
    assert roles == {
        "weight": "quasi-identifier", "WTINT": "other", "weight_kg": "quasi-identifier",
        "birth_weight": "quasi-identifier",
    }  # fmt: skip
    assert judged(weight=sample)["weight"].role == "other"
    strata = np.resize([118.3, 328.5, 231.5, 420.0], 200)
    assert judged(WEIGHT=strata)["WEIGHT"].role == "other"


def test_ages_counts_and_sizes_are_amounts():
    found = judged(
        age=RNG.integers(18, 30, N), hhsize=RNG.integers(1, 8, N), num_kids=RNG.integers(0, 5, N)
    )
    assert {s.role for s in found.values()} == {"quasi-identifier"}
    assert {s.kind for s in found.values()} == {""}


def test_columns_that_give_others_away_are_shown():
    sex = RNG.integers(0, 2, N)
    suggested = suggest_schema(pa.table({"sex": np.where(sex, "m", "f"), "code_x": sex}))
    assert [copy.kind for copy in suggested.copies] == ["one-to-one"]
    assert [copy.of for copy in suggested.copies_of("code_x")] == ["sex"]
    line = "#    Column 'code_x' has one value for each value of 'sex'."
    assert line in suggested.to_toml().splitlines()


@pytest.mark.slow
@given(st.text(max_size=12), st.integers(0, 2**31))
@settings(deadline=None, max_examples=examples(30))
def test_no_reason_quotes_a_value(name, seed):
    rng = np.random.default_rng(seed)
    texts = [f"Xyzzy{value}" for value in rng.integers(0, 10**6, 40)]
    numbers = rng.integers(10**7, 10**8, 40)
    for values in (texts, texts[:3] * 20, numbers, numbers[:3].repeat(20)):
        text = suggest_schema(pa.table({f"c{name}": values})).to_toml()
        assert "Xyzzy" not in text
        assert not any(str(number) in text for number in numbers if str(number) not in name)
        assert tomllib.loads(text)


# What is suggested for sets of the literature, as they lie in their files.
EXPECTED = {
    "census.csv": {
        "AGI": "quasi-identifier", "FEDTAX": "quasi-identifier", "TAXINC": "quasi-identifier",
        "PTOTVAL": "quasi-identifier", "STATETAX": "quasi-identifier", "AFNLWGT": "",
    },
    "sdcmicro_testdata.csv": {
        "ori_hid": "identifier", "age": "quasi-identifier", "income": "quasi-identifier",
        "savings": "quasi-identifier", "urbrur": "quasi-identifier", "roof": "code",
        "relat": "quasi-identifier", "sex": "quasi-identifier", "household_weights": "",
    },
    "nist_acs_national2019.csv": {
        "PUMA": "quasi-identifier", "SEX": "quasi-identifier", "MSP": "quasi-identifier",
        "INDP_CAT": "code", "AGEP": "quasi-identifier", "PINCP": "quasi-identifier",
        "POVPIP": "quasi-identifier", "PWGTP": "",
    },
    "nycflights.csv.gz": {
        "dep_delay": "quasi-identifier", "air_time": "quasi-identifier", "month": "code",
        "distance": "quasi-identifier", "carrier": "",
    },
    "adult.csv": {
        "age": "quasi-identifier", "capital-gain": "quasi-identifier",
        "education-num": "quasi-identifier", "fnlwgt": "", "race": "confidential",
        "sex": "quasi-identifier",
    },
}  # fmt: skip


FILES = [
    pytest.param(file, marks=pytest.mark.slow if file == "nycflights.csv.gz" else [])
    for file in EXPECTED
]


@pytest.mark.parametrize("file", FILES)
def test_sets_of_the_literature(file):
    path = Path(os.environ.get("MICROAGG_DATA", "none"), file)
    if not path.is_file():
        pytest.skip(f"MICROAGG_DATA has no {file}")
    found = {s.column: s for s in suggest_schema(ma.read_file(path)).columns}
    assert {
        name: found[name].to_do if found[name].role == "other" else found[name].role
        for name in EXPECTED[file]
    } == EXPECTED[file]

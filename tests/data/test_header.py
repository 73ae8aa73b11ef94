"""A file without a header is refused: its first record would be released as the names."""

from functools import partial

import pandas as pd
import polars as pl
import pytest

import microagg as ma
from microagg.data.files import read_file
from microagg.errors import (
    DataError,
    ParameterError,
    column_hint,
    looks_like_a_record,
    quoted_name,
)

BARE = ["Ann,86420,1.5", "86420", "Ann,-86420.25", "Ann,86420.5e2", "Ann,86/4/20", "Ann,86-4-20"]


def saved(tmp_path, text, name="people.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("line", BARE)
@pytest.mark.parametrize("parse", [None, []])
def test_a_first_line_with_a_number_is_refused_unseen(tmp_path, line, parse):
    path = saved(tmp_path, f"{line}\n{line}\n")
    with pytest.raises(DataError, match="looks like a record, not column names") as caught:
        read_file(path, parse=parse)
    shown = str(caught.value).replace(str(path), "")
    assert "people.csv" in caught.value.message
    assert "Ann" not in shown
    assert "86" not in shown
    assert "numeric_names=True" in caught.value.hint


def test_a_number_behind_another_separator_or_a_decimal_comma(tmp_path):
    path = saved(tmp_path, "Ann;86,420\nBob;1,5\n")
    with pytest.raises(DataError, match="looks like a record"):
        read_file(path, decimal=",")
    with pytest.raises(DataError, match="looks like a record"):
        read_file(path, separator="|")


def test_numbers_that_repeat_are_not_listed(tmp_path):
    path = saved(tmp_path, "86420,86420\n1,2\n")
    with pytest.raises(DataError, match="of the same name: columns 1 and 2") as caught:
        read_file(path, numeric_names=True)
    assert "86420" not in str(caught.value)


HEADERLESS = "Zelda,Zanzibar,Zoologist\nAnn,Berlin,Baker\nBob,Bonn,Baker\n"


@pytest.mark.parametrize("asked", ["age", "Zeld", "zanzi", "Zoologists"])
def test_the_first_record_of_a_file_without_a_header_is_not_shown(tmp_path, asked):
    path = saved(tmp_path, HEADERLESS)
    frames = [read_file(path), pd.read_csv(path), pl.read_csv(path)]
    calls = [
        lambda: read_file(path, parse=[asked]),
        lambda: ma.protect_file(path, tmp_path / "out", 2, quasi_identifiers=[asked]),
        *(partial(ma.protect, frame, 2, quasi_identifiers=[asked]) for frame in frames),
    ]
    for call in calls:
        with pytest.raises(ParameterError, match=f"'{asked}' that") as caught:
            call()
        message = str(caught.value).replace(f"'{asked}'", "")
        assert not any(word in message for word in ("Zelda", "Zanzibar", "Zoologist"))


def test_a_record_of_which_one_value_is_blank_is_not_shown_either(tmp_path):
    frame = pd.read_csv(saved(tmp_path, "Zelda,NA,Zoologist\nAnn,42,Baker\nBob,43,Baker\n"))
    with pytest.raises(ParameterError, match="'age' that") as caught:
        ma.protect(frame, 2, quasi_identifiers=["age"])
    assert "Zelda" not in str(caught.value)
    same = saved(tmp_path, "yes,yes,no\nno,no,no\n")
    with pytest.raises(DataError, match="columns 1 and 2") as caught:
        read_file(same)
    assert "'yes'" not in str(caught.value)


def test_names_are_shown_where_they_are_names(tmp_path):
    path = saved(tmp_path, "name,town,age\nAnn,Berlin,40\nBob,Bonn,41\n")
    with pytest.raises(ParameterError) as caught:
        ma.protect(read_file(path, parse=[]), 2, quasi_identifiers=["place"])
    assert caught.value.hint == "The columns are: name, town, age."
    texts = saved(tmp_path, "name,town\nAnn,Berlin\nBob,Bonn\n", "texts.csv")
    with pytest.raises(ParameterError) as caught:
        ma.protect(read_file(texts), 2, quasi_identifiers=["name", "twon"])
    assert caught.value.hint == "Did you mean 'town'?"


def test_names_that_are_numbers_indeed(tmp_path):
    path = saved(tmp_path, "region,2019,2020\nx,1,2\n")
    assert read_file(path, numeric_names=True).column_names == ["region", "2019", "2020"]


@pytest.mark.parametrize("name", ["s1", "1st", "x2019", "income 2019", "nan", "é", "_", "%"])
def test_names_with_letters_are_names(tmp_path, name):
    path = saved(tmp_path, f"{name},a\nx,y\n")
    assert read_file(path).column_names == [name, "a"]
    assert not looks_like_a_record(name)


def test_a_hint_lists_columns_but_no_numbers():
    assert column_hint("city", ["age", "86420"]) == "The columns are: age."
    assert column_hint("8642", ["age", "86420"]) == "The columns are: age."
    assert column_hint("city", ["86420"]) is None
    assert column_hint("agee", ["age", "income"]) == "Did you mean 'age'?"


def test_names_in_lists_are_quoted_where_they_must_be():
    names = ["age", "net income", "a,b", "two\nlines", ""]
    assert ", ".join(map(quoted_name, names)) == (
        'age, "net income", "a,b", "two\\nlines", ""'
    )  # fmt: skip

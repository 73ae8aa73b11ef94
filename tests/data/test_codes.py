"""Codes that look like numbers: dates as integers, long numbers, places and few categories."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.data.codes import FEW, Numbers, looks_like_codes
from microagg.data.column_names import words_of
from microagg.data.frames import Frame

RNG = np.random.default_rng(0)
DAYS = pd.to_datetime("1950-01-01") + pd.to_timedelta(RNG.integers(0, 20000, 300), "D")
LONG = RNG.integers(10**14, 10**15, 300)

CODES = {
    "start": DAYS.strftime("%Y%m%d").astype(int),
    "period": DAYS.strftime("%Y%m").astype(int),
    "block": LONG,
    "account": RNG.integers(10**9, 10**10, 300),
    "tract": np.where(RNG.random(300) < 0.5, LONG // 10, LONG),  # a leading zero was lost
    "zip": RNG.integers(1000, 99999, 300),
    "GEOID": RNG.integers(1000, 99999, 300),
    "school_code": RNG.integers(1000, 99999, 300),
    "DeptID": RNG.integers(1, 90, 300),
    "UTILITYID": RNG.integers(100, 30_000, 300),
    "OCCUCODE": RNG.integers(0, 3000, 300),
    "region": RNG.integers(1, 300, 300),
    "INDP": RNG.integers(1000, 9999, 300),
    "sex": RNG.integers(1, 3, 300),
}
AMOUNTS = {
    "income": RNG.integers(0, 200_000, 300),
    "price": RNG.integers(150_000, 250_000, 300),
    "turnover": RNG.integers(10**9, 10**10, 300) // 1000 * 1000,
    "assets": (10 ** RNG.uniform(3, 12, 300)).astype(int),
    "hhsize": RNG.integers(1, 9, 300),
    "num_children": RNG.integers(0, 6, 300),
    "age": RNG.integers(18, 30, 300),
    "share": RNG.normal(size=300),
    "COVID": RNG.integers(0, 5000, 300),
    "year": RNG.integers(1930, 2005, 300),
}


@pytest.mark.parametrize("name", CODES)
def test_codes(name):
    assert looks_like_codes(Frame(pa.table({name: CODES[name]})), name)


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts(name):
    assert not looks_like_codes(Frame(pa.table({name: AMOUNTS[name]})), name)


@settings(deadline=None)
@given(
    st.lists(st.floats(allow_nan=True, width=32) | st.integers(0, 3 * 10**7), max_size=60),
    st.integers(1, 7),
)
def test_pieces_are_judged_as_the_whole(values, size):
    whole, pieces = Numbers("x"), Numbers("x")
    column = np.array(values, dtype=np.float64)
    whole.add(column)
    for start in range(0, len(column), size):
        pieces.add(column[start : start + size])
    for fact in ("look_like_codes", "are_dates", "are_long", "are_few"):
        assert getattr(whole, fact) == getattr(pieces, fact)


def test_missing_values_are_no_evidence():
    numbers = Numbers("x")
    numbers.add(np.array([np.nan, np.inf]))
    assert not numbers.look_like_codes
    numbers.add(np.repeat([1.0, np.nan], FEW))
    assert not numbers.look_like_codes  # one value alone is no code
    numbers.add(np.repeat([2.0, np.nan], FEW))
    assert numbers.look_like_codes


@pytest.mark.parametrize("name", ["start", "block"])
def test_they_are_not_averaged_without_a_caution(name):
    data = pd.DataFrame({name: CODES[name], "income": AMOUNTS["income"]})
    with pytest.warns(ma.MicroaggWarning, match=f"look like codes .*: {name}. They"):
        ma.protect(data, k=5, quasi_identifiers=[name, "income"], method="mdav")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nameFirst", ("name", "first")),
        ("GenderID", ("gender", "id")),
        ("UTILITYID", ("utilityid",)),
        ("capital-gain", ("capital", "gain")),
        ("Last Name", ("last", "name")),
        ("XMLFile2", ("xml", "file", "2")),
        ("größe_cm", ("größe", "cm")),
        (7, ("7",)),
    ],
)
def test_words_of_a_name(name, words):
    assert words_of(name) == words

"""Copies: unchanged columns that give a quasi-identifier away, and no others."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.data.frames import Frame
from microagg.measure.copies import Copy, find_copies
from tests.examples import examples

N = 2000
RNG = np.random.default_rng(0)
BORN = pd.to_datetime("1930-01-01") + pd.to_timedelta(RNG.integers(0, 27000, N), "D")
WAGES = np.round(np.exp(RNG.normal(10, 0.7, N)))
ZIP = RNG.integers(10000, 10200, N)
PEOPLE = pd.DataFrame(
    {
        "Sex": np.where(RNG.random(N) < 0.5, "m", "f"),
        "born": BORN,
        "wages": WAGES,
        "state": np.array(list("abcdefghij"))[(ZIP * 7919 % 101) % 10],
    }
).assign(
    GenderID=lambda d: (d.Sex == "f").astype(int),
    birth_year=BORN.year,
    born_text=BORN.strftime("%d.%m.%Y"),
    wages_again=WAGES + 0.5,
    tax=np.where(RNG.random(N) < 0.8, np.round(0.21 * WAGES), np.round(0.4 * WAGES - 900)),
    zip=ZIP,
    sampling_weight=np.exp(RNG.normal(5, 0.6, N)),
    colour=RNG.integers(0, 12, N),
    visits=RNG.poisson(3, N),
    zeros=0,
    height=np.round(RNG.normal(170, 10, N)),
)  # fmt: skip
KEYS = ["Sex", "born", "wages", "state"]
OTHERS = [name for name in PEOPLE if name not in KEYS]
EXPECTED = {
    ("GenderID", "Sex"): {"one-to-one"},
    ("birth_year", "born"): {"rank"},
    ("born_text", "born"): {"one-to-one"},
    ("wages_again", "wages"): {"one-to-one", "share", "rank"},
    ("tax", "wages"): {"share", "rank"},
    ("zip", "state"): {"determines"},
    ("sampling_weight", None): {"unique"},
}


@pytest.mark.parametrize("kind", [lambda d: d, pl.from_pandas, pa.Table.from_pandas])
def test_copies_are_found_and_nothing_else(kind):
    found = {(c.column, c.of): c for c in find_copies(Frame(kind(PEOPLE)), KEYS, OTHERS)}
    assert found.keys() == EXPECTED.keys()
    for pair, expected in EXPECTED.items():
        assert found[pair].kind in expected
        assert 0.5 <= found[pair].strength <= 1


def test_sentences_name_columns_and_no_values():
    told = [str(copy) for copy in find_copies(Frame(PEOPLE), KEYS, OTHERS)]
    assert told[0] == "Column 'GenderID' has one value for each value of 'Sex'."
    assert all(sentence.startswith("Column '") and sentence.endswith(".") for sentence in told)
    assert str(Copy("zip", "state", "determines", 0.98)) == (
        "Column 'zip' nearly determines 'state' (98 % beyond chance)."
    )


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(0, 10**6), st.integers(2, 400), st.integers(2, 400), st.integers(20, 600))
def test_independent_columns_are_no_copies(seed, values, others, n):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "key": rng.integers(0, values, n),
            "skew": np.where(rng.random(n) < 0.97, 0, rng.integers(0, values, n)),
            "name": [f"x{value}" for value in rng.integers(0, others, n)],
            "amount": rng.normal(size=n),
            "count": rng.poisson(3, n),
        }
    )
    found = find_copies(Frame(frame), ["key", "skew"], ["name", "amount", "count"])
    assert [copy for copy in found if copy.kind != "unique"] == []


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(300, 800))
def test_other_names_for_the_same_are_always_found(seed, values, n):
    rng = np.random.default_rng(seed)
    key = np.concatenate([np.arange(values), rng.integers(0, values, n)])
    names = rng.permutation(values)[key]
    (copy,) = find_copies(Frame(pd.DataFrame({"key": key, "names": names})), ["key"], ["names"])
    assert (copy.kind, copy.strength) == ("one-to-one", 1.0)


@settings(deadline=None, max_examples=examples(30))
@given(st.integers(0, 10**6), st.floats(0.001, 50), st.floats(0, 0.4))
def test_fixed_shares_are_found_although_some_records_differ(seed, share, noise):
    rng = np.random.default_rng(seed)
    wages = rng.lognormal(8, 1, 500)
    tax = np.where(rng.random(500) < noise, rng.lognormal(5, 1, 500), share * wages)
    (copy,) = find_copies(Frame(pd.DataFrame({"w": wages, "t": tax})), ["w"], ["t"])
    assert copy.of == "w"


def test_a_few_records_prove_nothing():
    frame = Frame(pd.DataFrame({"a": [1, 2] * 5, "b": ["x", "y"] * 5}))
    assert find_copies(frame, ["a"], ["b"]) == ()
    lone = pd.DataFrame({"a": [1] * 99 + [2], "b": ["x"] * 99 + ["y"]})
    assert find_copies(Frame(lone), ["a"], ["b"]) == ()


def test_blanks_are_no_copies():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300), "c": [None] * 300})
    frame.loc[rng.random(300) < 0.4, ["a", "b"]] = np.nan
    assert find_copies(Frame(frame), ["a"], ["b", "c"]) == ()


def test_deciles_beside_incomes_although_some_are_missing():
    wages = np.random.default_rng(4).permutation(1000)
    decile = np.where(wages < 30, "NA", (wages // 100).astype(str))
    (copy,) = find_copies(Frame(pd.DataFrame({"w": wages, "d": decile})), ["w"], ["d"])
    assert (copy.kind, round(copy.strength, 2)) == ("rank", 0.99)


def test_a_sample_is_seeded():
    rng = np.random.default_rng(2)
    key = rng.integers(0, 50, 30_000)
    noisy = np.where(rng.random(30_000) < 0.02, rng.integers(0, 50, 30_000), key)
    frame = Frame(pd.DataFrame({"key": key, "noisy": noisy}))
    first, again = (find_copies(frame, ["key"], ["noisy"], seed=3) for _ in range(2))
    assert first == again
    assert first[0].kind in ("determines", "rank")


def test_a_column_that_cannot_be_compared_is_left_out():
    n = 60
    odd = pd.DataFrame({"sex": list("mf") * (n // 2), "ID": [1, 0] * (n // 2)})
    odd["lists"] = [[i] for i in range(n)]
    odd["mixed"] = [1, "a", None] * (n // 3)
    odd["bytes"] = [bytes([i]) for i in range(n)]
    found = find_copies(Frame(odd), ["sex"], ["lists", "mixed", "bytes", "ID"])
    assert "ID" in [copy.column for copy in found]

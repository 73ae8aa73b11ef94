"""Frames of mixed columns, blanks, weights and strata: a checked release, or one of our errors.

The checker is pandas alone: it knows nothing of how the release was made. MICROAGG_CASES sets how
many frames are tried.
"""

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import MicroaggError

CASES = int(os.environ.get("MICROAGG_CASES", "60"))
MIXED = [method.name for method in ma.methods() if method.mixed]

COLUMNS = {
    "number": st.one_of(st.floats(-1e6, 1e6), st.integers(-3, 3).map(float)),
    "whole": st.integers(0, 9),
    "text": st.sampled_from(["a", "b", "c", "", "7 x"]),
    "flag": st.booleans(),
    "date": st.dates(pd.Timestamp(1950, 1, 1).date(), pd.Timestamp(2020, 1, 1).date()),
    "moment": st.datetimes(pd.Timestamp(1990, 1, 1), pd.Timestamp(2020, 1, 1)),
    "grade": st.sampled_from(["low", "mid", "high"]),
}


@st.composite
def cases(draw):
    n = draw(st.integers(2, 24))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=4, unique=True))
    blanks = draw(st.sampled_from([0, 0, 1, 3]))
    frame = {}
    for kind in kinds:
        cell = (
            COLUMNS[kind] if not blanks else st.one_of(*[COLUMNS[kind]] * (4 - blanks), st.none())
        )
        frame[kind] = draw(st.lists(cell, min_size=n, max_size=n))
    frame = pd.DataFrame({name: typed(name, values) for name, values in frame.items()})
    frame["weight"] = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n))
    frame["region"] = draw(st.lists(st.sampled_from(["n", "s", None]), min_size=n, max_size=n))
    frame["row"] = np.arange(n)
    arguments = {
        "k": draw(st.integers(2, 6)),
        "method": draw(st.sampled_from([*MIXED, *MIXED, "tfrp"])),
        "missing": draw(st.sampled_from(["error", "group", "group", "impute", "suppress"])),
        "weights": draw(st.sampled_from([None, "weight"])),
        "strata": draw(st.sampled_from([None, "region"])),
        "distance": draw(st.sampled_from(["euclidean", "gower"])),
        "seed": draw(st.integers(0, 3)),
    }
    if arguments["strata"]:
        arguments["small_strata"] = draw(st.sampled_from(["error", "merge", "suppress"]))
    if "number" in kinds:
        rules = st.sampled_from(["mean", "median", "trimmed"])
        arguments["aggregate"] = {"number": draw(rules)}
    return frame, kinds, arguments, draw(st.sampled_from(["pandas", "polars", "arrow"]))


def typed(name, values):
    if name == "grade":
        return pd.Categorical(values, categories=["low", "mid", "high", "top"], ordered=True)
    plain = {"whole": "Int64", "flag": "boolean", "text": "string", "number": "float64"}
    return pd.array(values, dtype=plain[name]) if name in plain else pd.Series(values)


def as_kind(frame, kind):
    if kind == "pandas":
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    return pl.from_arrow(table) if kind == "polars" else table.replace_schema_metadata(None)


def as_pandas(data):
    if isinstance(data, pd.DataFrame):
        return data
    return (data.to_arrow() if isinstance(data, pl.DataFrame) else data).to_pandas()


def judge(frame, release, kinds, arguments):
    """Raise AssertionError unless the release is k-anonymous, in strata, and of the same types."""
    after = as_pandas(release.data)
    assert after.groupby(kinds, dropna=False, observed=True).size().min() >= arguments["k"]
    assert list(after.columns) == list(frame.columns)
    before = frame.set_index("row").loc[after["row"]]
    if arguments["missing"] != "suppress" and arguments.get("small_strata") != "suppress":
        assert len(after) == len(frame)
    for name in kinds:
        given_values = {str(value) for value in frame[name].dropna()}
        found = {str(value) for value in after[name].dropna()}
        if name in ("text", "flag", "grade"):
            assert found <= given_values, name
        elif name in ("date", "moment") and found:
            assert after[name].dropna().min() >= frame[name].dropna().min()
            assert after[name].dropna().max() <= frame[name].dropna().max()
        present = before[name].notna().to_numpy() & (before[name].astype(str) != "").to_numpy()
        assert after[name].notna().to_numpy()[present].all(), "a value became blank"
    groups = release.partition.labels
    if arguments["strata"] and arguments["small_strata"] != "merge":
        regions = before["region"].fillna("-").groupby(groups).nunique()
        assert (regions == 1).all()
    assert 0 <= release.measures["il"] < 1e6


@settings(
    max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(cases())
def test_a_release_that_holds_or_an_error_of_ours(case):
    frame, kinds, arguments, kind = case
    before = frame.copy(deep=True)
    try:
        release = ma.protect(as_kind(frame, kind), quasi_identifiers=kinds, **arguments)
    except MicroaggError:
        return
    judge(frame, release, kinds, arguments)
    pd.testing.assert_frame_equal(frame, before)
    again = ma.protect(as_kind(frame, kind), quasi_identifiers=kinds, **arguments)
    assert again.partition == release.partition
    assert as_pandas(again.data).equals(as_pandas(release.data))

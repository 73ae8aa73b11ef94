"""Frames of mixed columns, blanks, weights, strata and limits: a checked release, or our error.

The checker is pandas alone: it knows nothing of how the release was made. MICROAGG_CASES sets how
many frames are tried; `make test-slow` tries 2,000.
"""

import os

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, event, given, seed, settings
from hypothesis import strategies as st

import microagg as ma
from microagg.errors import MicroaggError
from microagg.partition.refine.registry import refinements
from tests.examples import examples

CASES = int(os.environ.get("MICROAGG_CASES", examples(60)))
MANY, PARTS = 2000, 8
MIXED = [method.name for method in ma.methods() if method.mixed]
REFINEMENTS = [step.name for step in refinements() if step.mixed]
MASKINGS = [masking.name for masking in ma.maskings()]

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
    n = draw(st.integers(4, 24))
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
    frame["person"] = [f"p{i}" for i in draw(st.lists(st.integers(0, n), min_size=n, max_size=n))]
    rng = np.random.default_rng(draw(st.integers(0, 99)))  # lists of hypothesis often do not vary
    frame["ill"] = rng.choice(np.array(["x", "y", None]), n)
    frame["pay"] = rng.integers(0, 5, n)
    complete = not blanks and "text" not in kinds  # empty text is a missing value
    arguments = {
        "k": draw(st.integers(2, min(6, max(2, n // 3)))),
        "method": draw(st.sampled_from([*MIXED, *MIXED, *MIXED, "tfrp"])),
        "missing": draw(
            st.sampled_from(["error"] * complete + ["group", "keep", "impute", "suppress"])
        ),
        "weights": draw(st.sampled_from([None, "weight"])),
        "strata": draw(st.sampled_from([None, "region"])),
        "refine": draw(st.sampled_from([None, *REFINEMENTS])),
        "distance": draw(st.sampled_from(["euclidean", "gower"])),
        "seed": draw(st.integers(0, 3)),
    }
    if arguments["strata"]:
        arguments["small_strata"] = draw(st.sampled_from(["error", "merge", "merge", "suppress"]))
    if arguments["method"] in ("best", "lns"):
        arguments["parameters"] = {"time_limit": None, "max_iterations": 1}
    if draw(st.sampled_from([False, False, True])):
        arguments["unit"] = "person"
    if "number" in kinds:
        rules = st.sampled_from(["mean", "median", "trimmed"])
        arguments["aggregate"] = {"number": draw(rules)}
    style = draw(st.sampled_from(["groups", "groups", "limits", "limits", "hybrid", "masking"]))
    if style == "limits":
        arguments |= draw(limits())
    elif style != "groups" and draw(st.sampled_from([True] * 5 + [False])):
        kinds = [kind for kind in kinds if kind in ("number", "whole")]
        if not kinds:
            frame["whole"], kinds = pd.array(rng.integers(0, 10, n), dtype="Int64"), ["whole"]
        arguments = {"k": max(arguments["k"], 3), "seed": arguments["seed"], "method": "auto"}
        frame[kinds] = frame[kinds].fillna(0)
    if style == "hybrid":
        arguments["aggregate"] = "hybrid"
    elif style == "masking":
        arguments["method"] = draw(st.sampled_from(MASKINGS))
        arguments.pop("refine", None)
        if arguments["method"].startswith("dp-"):
            others = [name for name in frame.columns if name not in kinds]
            limits_of_columns = dict.fromkeys(kinds, (0.0, 10.0))
            arguments |= {"seed": 0, "identifiers": others}
            arguments["parameters"] = {"epsilon": 1.0, "bounds": limits_of_columns}
    return frame, kinds, arguments, draw(st.sampled_from(["pandas", "polars", "arrow"]))


@st.composite
def limits(draw):
    names = st.lists(st.sampled_from(["ill", "pay"]), min_size=1, max_size=2, unique=True)
    given_limits = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "l_diversity": st.integers(2, 3),
                "t_closeness": st.floats(0.2, 1.0),
            },
        )
    )
    return {"confidential": draw(names), **given_limits}


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
    """Raise AssertionError unless the release holds its limits, in strata, and of the same types."""
    after = as_pandas(release.data)
    removed = (*arguments.get("identifiers", ()), arguments.get("unit"))
    assert list(after.columns) == [name for name in frame.columns if name not in removed]
    assert 0 <= release.measures["il"] < 1e6
    if arguments["method"] in MASKINGS:
        for promise in release.promises:
            assert after.groupby(list(promise.columns)).size().min() >= promise.k
        return
    if arguments.get("aggregate") == "hybrid":
        groups = frame.groupby(release.partition.labels)[kinds].mean()
        synthetic = after.groupby(release.partition.labels)[kinds].mean()
        np.testing.assert_allclose(synthetic.astype(float), groups.astype(float), atol=1e-4)
        assert release.partition.sizes.min() >= arguments["k"]
        return
    groups = after.groupby(kinds, dropna=False, observed=True)
    assert groups.size().min() >= arguments["k"]
    judge_limits(after, groups, arguments)
    before = frame.set_index("row").loc[after["row"]]
    if "unit" in arguments:
        people = after.assign(person=before["person"].to_numpy())
        units = people.groupby(kinds, dropna=False, observed=True)["person"].nunique()
        assert units.min() >= arguments["k"]
    if arguments.get("missing") != "suppress" and arguments.get("small_strata") != "suppress":
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
        if arguments.get("missing") == "keep":
            blank = after[name].isna().to_numpy() | (after[name].astype(str) == "").to_numpy()
            assert blank[~present].all(), "a blank was filled in"
        else:
            assert after[name].notna().to_numpy()[present].all(), "a value became blank"
    groups = release.partition.labels
    if arguments.get("strata") and arguments["small_strata"] != "merge":
        regions = before["region"].fillna("-").groupby(groups).nunique()
        assert (regions == 1).all()


def judge_limits(after, groups, arguments):
    """Raise AssertionError unless every group holds the limits on the confidential columns."""
    fewest = arguments.get("l_diversity", 1)
    for name in arguments.get("confidential", ()):
        assert groups[name].nunique(dropna=False).min() >= fewest
        for _, inside in groups[name]:
            far = earth_mover(inside, after[name], ordered=name == "pay")
            assert far <= arguments.get("t_closeness", 1.0) + 1e-9


def earth_mover(inside, everywhere, ordered):
    shares = [column.value_counts(normalize=True, dropna=False) for column in (inside, everywhere)]
    p, q = shares[0].reindex(shares[1].index, fill_value=0.0), shares[1]
    if not ordered:
        return np.abs(p - q).sum() / 2
    gaps = (p - q).sort_index()
    return np.abs(gaps.cumsum()).sum() / max(gaps.size - 1, 1)


@pytest.mark.timeout(600)
@settings(
    max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(cases())
def test_a_release_that_holds_or_an_error_of_ours(case):
    check(case)


@pytest.mark.exhaustive
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("part", range(PARTS))
def test_many_releases_that_hold_or_an_error_of_ours(part):
    often = settings(
        max_examples=MANY // PARTS, deadline=None, suppress_health_check=list(HealthCheck)
    )
    seed(part)(often(given(cases())(check)))()


def check(case):
    """Raise AssertionError unless the release of a case holds, or one of our errors is raised."""
    frame, kinds, arguments, kind = case
    before = frame.copy(deep=True)
    try:
        release = ma.protect(as_kind(frame, kind), quasi_identifiers=kinds, **arguments)
    except MicroaggError:
        event("refused")
        return
    event("hybrid" if arguments.get("aggregate") == "hybrid" else "released")
    event(arguments["method"])
    event(f"{len({'l_diversity', 't_closeness'} & arguments.keys())} limits")
    judge(frame, release, kinds, arguments)
    pd.testing.assert_frame_equal(frame, before)
    if arguments["method"].startswith("dp-"):
        return
    again = ma.protect(as_kind(frame, kind), quasi_identifiers=kinds, **arguments)
    assert again.partition == release.partition
    assert as_pandas(again.data).equals(as_pandas(release.data))

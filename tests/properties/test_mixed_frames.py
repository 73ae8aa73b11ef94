"""Frames of mixed columns, blanks, weights, strata and limits: a checked release, or our error.

The checker is pandas and NumPy alone: it knows nothing of how the release was made, and computes the loss
by the formulas of docs/records.md. MICROAGG_CASES sets how
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
GRADES = ["low", "mid", "high", "top"]
APART = {"a": {"b": 1.0, "c": 2.0, "7 x": 4.0}, "b": {"c": 1.0, "7 x": 3.0}, "c": {"7 x": 2.5}}
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
    if draw(st.sampled_from([True, False, False])):  # more records, of which many are equal
        rows = np.random.default_rng(draw(st.integers(0, 99))).integers(0, n, 5 * n)
        frame, n = frame.iloc[rows].reset_index(drop=True), 5 * n
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))  # hypothesis prefers first choices
    frame["weight"] = rng.choice([1.0, 2.0, 0.5], n)
    frame["region"] = rng.choice(np.array(["n", "s", None]), n)
    frame["row"] = np.arange(n)
    frame["person"] = [f"p{i}" for i in rng.integers(0, rng.choice([n, n // 2 + 1]), n)]
    frame["ill"] = rng.choice(np.array(["x", "y", None]), n)
    frame["pay"] = rng.integers(0, 5, n)
    complete = not blanks and "text" not in kinds  # empty text is a missing value
    arguments = {
        "k": draw(st.integers(2, min(6, max(2, n // 3)))),
        "method": draw(st.sampled_from([*MIXED, *MIXED, *MIXED, "tfrp"])),
        "missing": str(
            rng.choice(["error"] * complete + ["group", "keep", "keep", "impute", "suppress"])
        ),
        "weights": "weight" if rng.random() < 0.4 else None,
        "strata": "region" if rng.random() < 0.4 else None,
        "refine": draw(st.sampled_from([None, *REFINEMENTS])),
        "distance": draw(st.sampled_from(["euclidean", "gower"])),
        "seed": draw(st.integers(0, 3)),
    }
    if arguments["strata"]:
        arguments["small_strata"] = str(rng.choice(["error", "merge", "merge", "suppress"]))
    if arguments["method"] in ("best", "lns"):
        arguments["parameters"] = {"time_limit": None, "max_iterations": 1}
    elif arguments["method"] == "blocks" and rng.random() < 0.5:
        arguments["parameters"] = {"block_size": 2 * arguments["k"]}
    if rng.random() < 0.2:
        arguments["column_weights"] = {kinds[0]: 3.0}
    if "text" in kinds and rng.random() < 0.3:
        arguments["distance_tables"] = {"text": APART}
    if rng.random() < 0.2:
        arguments["integers"] = "round"
    if rng.random() < 0.4:
        arguments["unit"] = "person"
    if "number" in kinds:
        rules = st.sampled_from(["mean", "median", "trimmed"])
        arguments["aggregate"] = {"number": draw(rules)}
    style = rng.choice(["groups", "limits", "hybrid", "masking"], p=[0.25, 0.55, 0.1, 0.1])
    if style == "limits":
        arguments |= limits(rng)
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
    amounts = {"number", "whole", "pay"} & {*kinds, *arguments.get("confidential", ())}
    arguments["kinds"] = dict.fromkeys(sorted(amounts), "continuous")  # they look like codes
    return frame, kinds, arguments, draw(st.sampled_from(["pandas", "polars", "arrow"]))


def limits(rng):
    """Return limits on one or two confidential columns: most of them can be satisfied, some cannot."""
    which = rng.choice(["l", "t", "both"])
    chosen = {"confidential": [["ill"], ["pay"], ["ill", "pay"]][rng.integers(3)]}
    if which != "t":
        chosen["l_diversity"] = int(rng.choice([2, 2, 3]))
    if which != "l":
        chosen["t_closeness"] = float(rng.uniform(0.1, 0.9))
    return chosen


def typed(name, values):
    if name == "grade":
        return pd.Categorical(values, categories=GRADES, ordered=True)
    plain = {"whole": "Int64", "flag": "boolean", "text": "string", "number": "float64"}
    return pd.array(values, dtype=plain[name]) if name in plain else pd.Series(values)


def as_kind(frame, kind):
    if kind == "pandas":
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if kind == "arrow":
        return table.replace_schema_metadata(None)
    ordered = pl.col("^grade$").cast(pl.Enum(GRADES))  # Polars reads ordered categories as others
    return pl.from_arrow(table).with_columns(ordered)


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
    assert release.measures["k"] == groups.size().min() >= arguments["k"]
    judge_limits(after, groups, release, arguments)
    before = frame.set_index("row").loc[after["row"]]
    judge_loss(before, after, kinds, release, arguments)
    if "unit" in arguments:
        people = after.assign(person=before["person"].to_numpy())
        units = people.groupby(kinds, dropna=False, observed=True)["person"].nunique()
        assert release.measures["k-units"] == units.min() >= arguments["k"]
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
        jointly = after.groupby([*kinds, "region"], dropna=False, observed=True)
        assert jointly.size().min() >= arguments["k"]


def judge_limits(after, groups, release, arguments):
    """Raise AssertionError unless every group satisfies the limits, as the release reports."""
    names = arguments.get("confidential", ())
    if "l_diversity" in arguments:
        fewest = min(groups[name].nunique(dropna=False).min() for name in names)
        assert release.measures["l-diversity"] == fewest >= arguments["l_diversity"]
    if "t_closeness" in arguments:
        farthest = max(
            earth_mover(inside, after[name], ordered=name == "pay")
            for name in names
            for _, inside in groups[name]
        )
        assert release.measures["t-closeness"] == pytest.approx(farthest, abs=1e-9)
        assert farthest <= arguments["t_closeness"] + 1e-9


def judge_loss(before, after, kinds, release, arguments):
    """Raise AssertionError unless the loss of complete records is that of the released values."""
    if (
        arguments.get("distance") == "gower"
        or "distance_tables" in arguments
        or {"date", "moment"} & set(kinds)  # which are rounded afterwards
        or (before[kinds].isna() | (before[kinds].astype(str) == "")).any(axis=None)
    ):
        return
    masses = before["weight"].to_numpy() if arguments.get("weights") else np.ones(len(before))
    sse = sst = 0.0
    for name in kinds:
        factor = arguments.get("column_weights", {}).get(name, 1.0)
        lost, total = lost_in(name, before[name], after[name], masses)
        sse, sst = sse + factor * lost, sst + factor * total
    il = 100 * sse / sst if sst else 0.0
    event("loss computed")
    assert release.measures["il"] == pytest.approx(il, rel=1e-6, abs=1e-6)


def lost_in(name, before, after, masses):
    """Return the squared error of a column, and that of a single value for all records."""
    if name in ("text", "flag"):
        shares = pd.Series(masses).groupby(before.astype(str).to_numpy()).sum() / masses.sum()
        apart = 2 / (1 - (shares**2).sum()) if len(shares) > 1 else 0.0
        changed = before.astype(str).to_numpy() != after.astype(str).to_numpy()
        return apart * masses[changed].sum(), apart * masses.sum() * (1 - shares.max())
    x, y = before, after
    if name == "grade":
        x, y = (side.astype(str).map(GRADES.index) for side in (before, after))
    x, y = (side.to_numpy(dtype=float) for side in (x, y))
    variance = np.average((x - np.average(x, weights=masses)) ** 2, weights=masses)
    if variance == 0.0:
        return 0.0, 0.0
    whole = np.average(x, weights=masses)
    return masses @ (x - y) ** 2 / variance, masses @ (x - whole) ** 2 / variance


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


def judge_baseline(frame, release, kinds, arguments):
    """Raise AssertionError if `auto` with limits loses more than `mdav-nc` with the same limits."""
    limited = {"l_diversity", "t_closeness", "unit"} & arguments.keys()
    if arguments["method"] != "auto" or not limited or arguments.get("refine"):
        return
    if {"date", "moment"} & set(kinds) or arguments.get("integers") == "round":
        return  # what is rounded after the choice
    plain = ma.protect(frame, quasi_identifiers=kinds, **{**arguments, "method": "mdav-nc"})
    event("compared with mdav-nc")
    if not all(pd.api.types.is_numeric_dtype(frame[name]) for name in kinds):
        assert release.measures["il"] <= plain.measures["il"] * (1 + 1e-9) + 1e-9


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
    event(f"{len({'l_diversity', 't_closeness', 'unit'} & arguments.keys())} limits")
    judge(frame, release, kinds, arguments)
    pd.testing.assert_frame_equal(frame, before)
    if arguments["method"].startswith("dp-"):
        return
    judge_baseline(frame, release, kinds, arguments)
    again = ma.protect(as_kind(frame, kind), quasi_identifiers=kinds, **arguments)
    assert again.partition == release.partition
    assert as_pandas(again.data).equals(as_pandas(release.data))

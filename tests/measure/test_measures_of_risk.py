"""Interval disclosure and uniqueness against plain loops."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microagg as ma
from microagg.measure.pair import pair_of
from microagg.measure.registry import evaluate


def value(pair, name):
    return evaluate(pair, [name])[0].value


def disclosed(X, Y, percent):
    """One record, one column, one rank at a time, straight from the definition."""
    n, reach, count = len(X), percent * len(X) // 100, 0.0
    for x, y in zip(X, Y, strict=True):
        chance = 1.0
        for j in range(X.shape[1]):
            ranked = sorted(Y[:, j])
            ranks = [rank for rank, value in enumerate(ranked) if value == y[j]]
            inside = [ranked[max(rank - reach, 0)] <= x[j] <= ranked[min(rank + reach, n - 1)]
                      for rank in ranks]  # fmt: skip
            chance *= sum(inside) / len(ranks)
        count += chance
    return count / n


def test_interval_disclosure_as_by_the_definition(cases):
    rng = np.random.default_rng(0)
    for _ in cases:
        X = rng.integers(0, 20, size=(24, 2)).astype(float)
        Y = X + rng.integers(-2, 3, size=(24, 2))
        frames = [pa.table({"a": v[:, 0], "b": v[:, 1]}) for v in (X, Y)]
        expected = 100 * np.mean([disclosed(X, Y, percent) for percent in range(1, 11)])
        assert value(pair_of(*frames, ["a", "b"]), "interval-disclosure") == pytest.approx(expected)


def test_a_missing_value_is_disclosed_by_a_missing_one_only():
    before = pa.table({"a": [1.0, 2.0, None, None]})
    after = pa.table({"a": [1.0, None, 2.0, None]})
    assert value(pair_of(before, after), "interval-disclosure") == 50


def test_uniqueness_as_by_pandas(cases):
    rng = np.random.default_rng(1)
    for _ in cases:
        frame = pd.DataFrame(rng.integers(0, 4, size=(12, 2)), columns=["a", "b"]).astype("Float64")
        frame[rng.random(frame.shape) < 0.2] = pd.NA
        counts = frame.groupby(["a", "b"], dropna=False).size()
        pair = pair_of(frame, frame, ["a", "b"])
        expected = 100 * (counts == 1).sum() / 12
        assert value(pair, "uniqueness-before") == pytest.approx(expected)
        assert value(pair, "uniqueness-after") == pytest.approx(expected)
        assert value(pair, "k") == counts.min()
        assert value(pair, "reidentification") == pytest.approx(100 * len(counts) / 12)


def test_a_release_has_the_risks_that_assess_has():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"]).assign(
        ill=rng.integers(0, 2, 60)
    )
    roles = {"quasi_identifiers": ["a", "b"], "confidential": ["ill"]}
    release = ma.protect(frame, k=3, method="mdav", **roles)
    judged = ma.assess(frame, release.data, **roles).measures
    for name in ("k", "il", "reidentification", "homogeneity"):
        assert release.measures[name] == pytest.approx(judged[name])
    assert release.measures["homogeneity"] > 0


def test_unique_records_that_are_released_as_they_are(cases):
    rng = np.random.default_rng(9)
    for _ in cases:
        n = int(rng.integers(2, 20))
        before = pd.DataFrame({"a": rng.integers(0, 5, n), "b": rng.choice(list("xyz"), n)})
        after = before.sample(n, replace=True, random_state=int(rng.integers(1 << 30)))
        after = after.reset_index(drop=True).astype({"a": float})
        counts = [frame.astype({"a": float}).value_counts(["a", "b"]) for frame in (before, after)]
        alone = [set(c[c == 1].index) for c in counts]
        found = evaluate(pair_of(before, after, ["a", "b"]), ["uniques-released"])[0].value
        assert found == pytest.approx(100 * len(alone[0] & alone[1]) / n)

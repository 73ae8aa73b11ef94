"""Exposure: what unchanged columns add to the quasi-identifiers, counted on the release."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import microagg as ma
from microagg.measure.classes import EquivalenceClasses
from microagg.measure.exposure import exposure_of
from microagg.report.html import render
from microagg.report.of_release import page_of_release

POOLS = ([0.0, -0.0, 1.5, None], ["x", "y", "", None, "None"], [1, 2, None])


@given(st.integers(1, 40), st.integers(0, 3), st.integers(2, 6), st.integers(0, 10**6))
def test_the_counts_are_those_of_plain_tuples(n, extra, k, seed):
    rng = np.random.default_rng(seed)
    columns = {
        f"c{j}": [POOLS[j % 3][i] for i in rng.integers(0, len(POOLS[j % 3]), n)]
        for j in range(1 + extra)
    }
    keys, unchanged = ["c0"], [f"c{j}" for j in range(1, 1 + extra)]
    found = exposure_of(EquivalenceClasses(pa.table(columns)), keys, unchanged, k)

    def below(names, size):
        rows = list(zip(*(map(repr, columns[name]) for name in names), strict=True))
        counts = Counter(rows)
        return sum(counts[row] < size for row in rows)

    assert found.by_column == {name: below([*keys, name], k) for name in unchanged}
    assert found.below_k == (below([*keys, *unchanged], k) if unchanged else 0)
    assert found.unique == (below([*keys, *unchanged], 2) if unchanged else 0)
    assert found.records == n


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_kind_of_frame(kind):
    frame = kind({"age": [1, 1, 2, 2], "city": ["a", "b", "c", "c"], "day": [True] * 4})
    found = exposure_of(EquivalenceClasses(frame), ["age"], ["city", "day"], k=2)
    assert (found.unique, found.below_k, found.worst) == (2, 2, ("city",))


def test_the_worst_columns_come_first_and_are_three_at_most():
    table = pa.table(
        {"q": [0] * 12, **{f"c{m}": [i % m for i in range(12)] for m in (2, 4, 6, 12)}}
    )
    found = exposure_of(EquivalenceClasses(table), ["q"], ["c2", "c4", "c6", "c12"], k=4)
    assert found.worst == ("c4", "c6", "c12")
    assert found.by_column["c2"] == 0


def test_nested_columns_are_counted():
    """Nothing else tells that they single records out, unless every value is unique."""
    table = pa.table({"q": [1, 1, 1, 1], "list": [[1], [1], [2], [None]]})
    found = exposure_of(EquivalenceClasses(table), ["q"], ["list"], k=2)
    assert (found.columns, found.unique, found.below_k) == (("list",), 2, 2)


def test_a_column_that_cannot_be_compared_is_named():
    kind = pa.list_(pa.timestamp("s"))
    column = pa.array([[10**12], [10**12], [10**12 + 1]] * 4, kind)
    table = pa.table({"q": [1.0, 2.0, 3.0] * 4, "far": column})
    found = exposure_of(EquivalenceClasses(table), ["q"], ["far"], k=2)
    assert (found.columns, found.not_compared, found.below_k) == ((), ("far",), 0)
    options = {"quasi_identifiers": ["q"], "method": "mdav"}
    release = ma.protect(table, 3, **options)
    assert any("not counted together with the values of far," in c for c in release.cautions)
    page = render(page_of_release(release.outcome, table))
    assert "This does not include the risk that unchanged columns add." in page
    assert "No column is released unchanged" not in page
    with pytest.raises(ma.AnonymityError, match="values of far"):
        ma.protect(table, 3, strict=True, **options)


@pytest.fixture
def release():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 60), "ward": np.arange(60) % 7,
                          "ill": rng.integers(0, 2, 60)})  # fmt: skip
    return ma.protect(frame, 5, quasi_identifiers=["age"], confidential=["ill"], method="mdav")


def test_a_release_states_it_everywhere(release):
    exposure = release.outcome.exposure
    counts = release.data.groupby(["age", "ward"]).age.transform("size")
    assert exposure.columns == ("ward",)  # the confidential column does not count
    assert exposure.unique == (counts == 1).sum() > 0
    assert exposure.below_k == (counts < 5).sum()
    assert release.provenance["result"]["exposure"]["records_unique"] == exposure.unique
    assert release.provenance["result"]["exposure"]["worst_columns"] == ["ward"]
    text = release.summary()
    assert text.startswith(
        "CAUTION: On the quasi-identifiers and the unchanged columns together, all 60 records are in "
        "classes of fewer than"
    )
    assert exposure.below_k == 60
    assert "(the column that exposes the most records: ward)" in text
    assert f"{exposure.unique} records ({exposure.unique / 0.6:.1f} %) are unique" in text


def test_nothing_is_said_of_it_where_every_column_is_replaced_or_confidential():
    frame = pd.DataFrame({"age": [30, 32, 60, 64], "ill": [0, 1, 0, 0]})
    release = ma.protect(frame, 2, quasi_identifiers=["age"], confidential=["ill"])
    assert release.outcome.exposure.columns == ()
    assert "CAUTION" not in release.summary()
    assert "confidential role" not in release.summary()

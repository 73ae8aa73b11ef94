"""anonymity: counted on released values alone, and never more than there is."""

from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import AnonymityError, DataError, ParameterError
from microagg.measure.anonymity import Promise
from microagg.measure.classes import EquivalenceClasses

KINDS = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("kind", KINDS)
def test_counts(kind):
    frame = kind({"a": [1, 1, 1, 2, 2, 2, 2], "b": [0.5, 0.5, 0.5, 0.5, 0.5, 7.0, 7.0]})
    found = ma.anonymity(frame, ["a", "b"])
    assert (found.k, found.n_classes, found.class_sizes) == (2, 3, {2: 2, 3: 1})
    assert ma.anonymity(frame, ["a"]).k == 3
    assert ma.anonymity(frame, ["b"]).k == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_value_is_a_value(kind):
    assert ma.anonymity(kind({"a": [1.0, 1.0, None]}), ["a"]).k == 1
    assert ma.anonymity(kind({"a": ["x", "x", None]}), ["a"]).k == 1
    assert ma.anonymity(kind({"a": [None, "x", None, "x"]}), ["a"]).class_sizes == {2: 2}
    assert ma.anonymity(kind({"a": [float("nan"), 1.0, float("nan"), 1.0]}), ["a"]).k == 2


@pytest.mark.parametrize("kind", [pl.DataFrame, pa.table])
def test_nan_is_not_null(kind):
    assert ma.anonymity(kind({"a": [float("nan"), float("nan"), None]}), ["a"]).k == 1


@pytest.mark.parametrize("kind", KINDS)
def test_minus_zero_is_not_zero_because_it_is_written_otherwise(kind):
    assert ma.anonymity(kind({"a": [0.0, 0.0, -0.0]}), ["a"]).k == 1


def test_values_that_differ_in_the_last_bit_differ():
    assert ma.anonymity(pa.table({"a": [0.3, 0.3, 0.1 + 0.2]}), ["a"]).k == 1


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["x", "x", None, None, None]),
        pa.array(["x", "x", None, None, None]).dictionary_encode(),
        pa.array([True, True, None, None, None]),
        pa.array([1, 1, None, None, None], pa.date32()),
        pa.array([b"x", b"x", None, None, None]),
        pa.array([1, 1, None, None, None]).cast(pa.decimal128(21, 2)),
        pa.chunked_array([["x"], ["x", None], [], [None, None]]),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_of_any_plain_type(column):
    assert ma.anonymity(pa.table({"a": column}), ["a"]).class_sizes == {2: 1, 3: 1}


def test_categories_with_missing_values():
    column = ["x", "x", None, None, None, "y", "y"]
    for frame in (
        pd.DataFrame({"a": pd.Categorical(column)}),
        pl.DataFrame({"a": column}, schema={"a": pl.Categorical}),
    ):
        assert ma.anonymity(frame, ["a"]).class_sizes == {2: 2, 3: 1}


def test_one_value_under_two_numbers_of_a_dictionary_is_one_value():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["x", "x"]))
    assert ma.anonymity(pa.table({"a": column}), ["a"]).k == 3


def test_a_column_of_nothing_but_missing_values():
    assert ma.anonymity(pa.table({"a": pa.nulls(3)}), ["a"]).k == 3


def test_the_index_does_not_count():
    frame = pd.DataFrame({"a": [1, 1, 2, 2]}, index=list("wxyz"))
    assert ma.anonymity(frame, ["a"]).k == 2


POOLS = [
    [0.0, -0.0, 1.5, None, float("nan")],
    ["x", "y", "", None, "nan", "None"],
    [1, 2, None],
    [True, False, None],
    [0.1 + 0.2, 0.3, 1e300],
]


@pytest.mark.parametrize("case", range(300))
def test_k_is_that_of_an_independent_count(case):
    rng = np.random.default_rng(case)
    n, d = int(rng.integers(1, 40)), int(rng.integers(1, 4))
    columns = {
        f"c{j}": [POOLS[pool][i % len(POOLS[pool])] for i in rng.integers(0, 6, size=n)]
        for j, pool in enumerate(rng.integers(0, len(POOLS), size=d))
    }
    counts = Counter(tuple(map(repr, row)) for row in zip(*columns.values(), strict=True))
    for kind in (pl.DataFrame, pa.table):
        found = ma.anonymity(kind(columns), list(columns))
        assert found.k == min(counts.values())
        assert found.class_sizes == dict(Counter(counts.values()))
    # pandas cannot tell NaN from null, nor does its groupby tell 0.0 from -0.0.
    frame = pd.DataFrame(columns)
    grouped = frame.groupby(list(columns), dropna=False).size()
    assert ma.anonymity(frame, list(columns)).k <= grouped.min()


@pytest.mark.parametrize(
    ("data", "names", "kind", "message"),
    [
        (pa.table({"a": pa.array([], pa.int64())}), ["a"], DataError, "no records"),
        (pa.table({"a": [1]}), [], DataError, "no quasi-identifiers"),
        (pa.table({"a": [1]}), "a", ParameterError, "must be a list of column names"),
        (pa.table({"age": [1]}), ["agee"], ParameterError, "'agee' that is not in the data"),
        (pa.table({"a": [[4711]]}), ["a"], DataError, "'a' contains list"),
        (pd.DataFrame({"a": ["4711", 4711]}), ["a"], DataError, "'a' contains values of more than"),
        ([[4711]], ["a"], ParameterError, "must be a DataFrame"),
    ],
)
def test_what_cannot_be_counted_is_refused(data, names, kind, message):
    with pytest.raises(kind) as caught:
        ma.anonymity(data, names)
    assert message in caught.value.message
    assert "4711" not in str(caught.value)


def test_too_few_is_an_error_that_counts_the_records():
    classes = EquivalenceClasses(pa.table({"a": [1, 1, 1, 2, 3, 3]}))
    assert Promise(("a",), 1).require(classes).k == 1
    with pytest.raises(AnonymityError) as caught:
        Promise(("a",), 3).require(classes)
    assert caught.value.message == (
        "3 released records are in classes of fewer than k=3 records with the same quasi-identifiers "
        "(the smallest class has 1). Nothing was released."
    )

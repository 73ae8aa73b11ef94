"""partition(): any two-dimensional numbers in, checked groups out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import microagg as ma
from microagg.errors import DataError, ParameterError

X = np.random.default_rng(0).normal(size=(20, 2))


@pytest.mark.parametrize(
    "other",
    [
        X.tolist(),
        X.astype(object),
        np.asfortranarray(X),
        X[::1, ::-1][:, ::-1],
        np.ma.array(X),
        pd.DataFrame(X),
        pd.DataFrame(X, columns=["a", "b"], index=[0] * 20),
        pl.DataFrame(X),
        pa.table({"a": X[:, 0], "b": X[:, 1]}),
    ],
    ids=lambda other: type(other).__name__,
)
def test_any_two_dimensional_numbers(other):
    part = ma.partition(other, 3, "mdav")
    assert part == ma.partition(X, 3, "mdav")
    assert ma.information_loss(other, part).il == ma.information_loss(X, part).il


def test_the_input_stays_as_it_was():
    before = X.copy()
    ma.partition(X, 3, "mdav")
    assert np.array_equal(X, before)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "two-dimensional"),
        ([1, 2, 3], "two-dimensional"),
        (np.zeros((2, 2, 2)), "two-dimensional"),
        (np.empty((0, 2)), "0 rows"),
        (np.empty((5, 0)), "0 columns"),
        (pd.DataFrame(index=range(4)), "no rows or no columns"),
        (pd.DataFrame({"a": []}), "no rows or no columns"),
        ([["a"], ["b"]], "must be numbers"),
        ([[1], [2, 3]], "must be numbers"),
        ({"a": [1, 2]}, "must be numbers"),
        (np.array([[1 + 2j], [3]]), "must be numbers"),
        (np.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[D]"), "must be numbers"),
        ([[1.0], [np.nan]], "'0' has 1 missing value, the first in data row 2"),
        ([[1.0], [None]], "'0' has 1 missing value"),
        (np.ma.array([[1.0], [2.0]], mask=[[1], [0]]), "'0' has 1 missing value"),
        ([[1.0, 2.0], [3.0, np.inf]], "'1' has 1 infinite value, the first in data row 2"),
        ([[1.0], [-1e200]], "'0' has 1 value"),
        (pl.DataFrame({"a": ["x", "y"]}), "'a' contains text"),
        ([[1.0, 2.0]], "only 1 record"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_matrix_of_numbers_is_refused(data, message):
    with pytest.raises(DataError) as caught:
        ma.partition(data, 2, "mdav")
    assert message in caught.value.message


def test_a_lazy_frame_is_refused():
    with pytest.raises(ParameterError, match="in memory"):
        ma.partition(pl.LazyFrame({"a": [1.0, 2.0]}), 2, "mdav")


@pytest.mark.parametrize("k", [0, 1, -3, 21, 2.5, 3.0, "3", None, True, np.nan, [3], X])
def test_k_must_be_a_whole_number_from_2_to_n(k):
    with pytest.raises(ParameterError, match="integer from 2 to n=20") as caught:
        ma.partition(X, k, "mdav")
    assert "'k' parameter of mdav" in caught.value.message
    assert "0.12" not in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 0.5, None, "1"])
def test_seed_must_be_a_whole_number(seed):
    with pytest.raises(ParameterError, match="'seed' parameter of mdav"):
        ma.partition(X, 3, "mdav", seed=seed)


def test_numpy_integers_are_integers():
    assert ma.partition(X, np.int8(3), "mdav", seed=np.uint64(1)) == ma.partition(X, 3, "mdav")


def test_scale_changes_what_is_near():
    stretched = X * [1, 1000]
    assert ma.partition(stretched, 3, "mdav") == ma.partition(X, 3, "mdav")
    assert ma.partition(stretched, 3, "mdav", scale="none") != ma.partition(
        X, 3, "mdav", scale="none"
    )


def test_the_default_method_is_that_of_protect():
    assert ma.partition(X, 3).method == "auto (lns)"

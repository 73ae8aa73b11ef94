"""Two files become one pair: which columns, of which kind, with what missing."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from microagg.errors import DataError, ParameterError
from microagg.measure.pair import pair_of


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_keys_are_what_was_changed(kind):
    before = kind({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [1.0, 2.0, 3.0]})
    after = kind({"a": [2.0, 2.0, 2.0], "b": ["x", "x", "x"], "c": [1.0, 2.0, 3.0]})
    pair = pair_of(before, after)
    assert pair.keys == ("a", "b")
    assert pair.names == ("a",)
    assert pair.categories["b"].original.tolist() == [0, 1, 2]
    assert pair.categories["b"].released.tolist() == [0, 0, 0]


def test_all_common_columns_when_nothing_was_changed():
    table = pa.table({"a": [1, 2], "b": [None, 1.5]})
    assert pair_of(table, table.append_column("new", [[1, 2]])).keys == ("a", "b")


def test_the_kind_can_be_said():
    before, after = pa.table({"grade": [1, 5, 9]}), pa.table({"grade": [5, 5, 9]})
    pair = pair_of(before, after, kinds={"grade": "ordinal"})
    assert pair.names == ()
    assert pair.categories["grade"].ordinal
    assert pair.categories["grade"].original.tolist() == [0, 1, 2]


def test_missing_is_a_category_of_its_own():
    before, after = pa.table({"a": ["x", None, "None"]}), pa.table({"a": ["x", "x", None]})
    column = pair_of(before, after).categories["a"]
    assert len({*column.original.tolist()}) == 3
    assert column.released[2] == column.original[1]


def test_missing_numbers_are_nan():
    pair = pair_of(pa.table({"a": [1, None, 3]}), pa.table({"a": [1.0, 2.0, None]}))
    assert np.isnan(pair.original[0]).tolist() == [False, True, False]
    assert np.isnan(pair.released[0]).tolist() == [False, False, True]


def test_what_cannot_be_paired():
    with pytest.raises(DataError, match="has 2 records and the release 1"):
        pair_of(pa.table({"a": [1, 2]}), pa.table({"a": [1]}))
    with pytest.raises(DataError, match="no columns in common"):
        pair_of(pa.table({"a": [1]}), pa.table({"b": [1]}))
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        pair_of(pa.table({"age": [1]}), pa.table({"age": [1]}), ["agee"])
    with pytest.raises(DataError, match="infinite"):
        pair_of(pa.table({"a": [1.0, np.inf]}), pa.table({"a": [1.0, 2.0]}))


def test_k_is_never_overstated():
    """A record with a blank is alone; 0.0 and -0.0, NaN and null look different in a file."""
    blank = pa.table({"a": [1.0, 1.0, None], "b": [1, 1, 1]})
    assert pair_of(blank, blank, ["a", "b"]).anonymity.k == 1
    zeros = pa.table({"a": [0.0, 0.0, -0.0]})
    assert pair_of(zeros, zeros).anonymity.k == 1
    assert pair_of(zeros, zeros).released_classes.tolist() == [0, 0, 1]

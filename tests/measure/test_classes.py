"""Equivalence classes of codes and numbers: numbered in the order of the columns."""

import numpy as np
import pyarrow as pa

from microagg.measure.classes import classes_of, classes_of_codes, classes_of_numbers


def test_classes_are_numbered_in_the_order_of_the_columns(cases):
    """Also where a column does not separate the records of any class, and is passed over."""
    rng = np.random.default_rng(1)
    for _ in cases:
        d, n = rng.integers(1, 5), rng.integers(1, 40)
        codes = rng.integers(-1, 3, size=(d, n)).astype(np.int32)
        codes[rng.integers(d)] = codes[0] // 2  # follows from the first column
        expected = np.unique(codes, axis=1, return_inverse=True)[1].ravel()
        assert np.array_equal(classes_of_codes(codes), expected)
        assert np.array_equal(classes_of_numbers(list(codes.astype(float))), expected)


def test_a_missing_number_is_a_number_like_any_other():
    columns = [np.array([1.0, np.nan, np.nan, 1.0]), np.array([np.nan, 2.0, np.nan, np.nan])]
    assert classes_of_numbers(columns).tolist() == [0, 1, 2, 0]


def test_values_that_look_different_are_different():
    table = pa.table({"a": [1.0, 1.0, None, None], "b": [0.0, -0.0, 0.0, 0.0]})
    assert classes_of(table).tolist() == [0, 1, 2, 2]

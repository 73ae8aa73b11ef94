"""The mixed distance: weights of columns, tables, hierarchies, blanks and strata."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.data.categories import Categories, categories
from microagg.data.tables_of_distances import (
    by_hierarchy,
    by_table,
    hierarchy_rows,
    table_entries,
)
from microagg.errors import DataError, ParameterError
from microagg.prepare.column import Column
from microagg.prepare.missing import imputed
from microagg.prepare.prepared import prepare
from microagg.prepare.records import euclidean, patterns_of, prepare_records
from microagg.prepare.strata import merged, refuse_small, strata_of

RNG = np.random.default_rng(0)


def test_two_categories_weigh_what_zeros_and_ones_weigh():
    values = (RNG.random(50) < 0.3).astype(float)
    nominal = prepare_records([Column("x", "nominal", values, ("a", "b"))]).measures[0]
    number = prepare_records([Column("x", "continuous", values)]).measures[0]
    assert nominal.strength == pytest.approx((1 / number.scale) ** 2)
    assert nominal.share == pytest.approx(1.0)
    assert number.share == pytest.approx(1.0)


@pytest.mark.parametrize("scale", ["zscore", "range", "none"])
def test_complete_numbers_are_scaled_as_ever(scale):
    values = RNG.normal(size=(2, 30)) * [[3.0], [0.1]] + 5
    columns = [Column("x", "continuous", values[0]), Column("y", "continuous", values[1])]
    mixed = prepare_records(columns, scale=scale, column_weights={"y": 4.0}).arrays()["numbers"]
    plain = prepare(list(values), ["x", "y"], scale=scale, column_weights={"y": 4.0}).columns
    assert np.allclose(mixed, plain, rtol=1e-12, atol=1e-12)
    assert np.allclose(plain[1], 2 * prepare(list(values), ["x", "y"], scale=scale).columns[1])


def test_a_table_of_ones_is_equality():
    values = RNG.integers(0, 3, 40).astype(float)
    plain = prepare_records([Column("x", "nominal", values, tuple("abc"))]).measures[0]
    ones = Column("x", "nominal", values, tuple("abc"), 1.0 - np.eye(3))
    by_ones = prepare_records([ones]).measures[0]
    assert by_ones.table[0, 1] == pytest.approx(plain.strength)
    assert by_ones.share == pytest.approx(plain.share)


def test_impossible_distances_are_mended_and_keep_their_order():
    given = np.array([[0.0, 1.0, 9.0], [1.0, 0.0, 1.5], [9.0, 1.5, 0.0]])
    corrected = euclidean(given)
    centering = np.eye(3) - 1 / 3
    assert np.linalg.eigvalsh(-0.5 * centering @ corrected @ centering)[0] > -1e-9
    assert corrected[0, 1] < corrected[1, 2] < corrected[0, 2]
    assert np.array_equal(euclidean(1.0 - np.eye(4)), 1.0 - np.eye(4))


def test_hierarchies_that_cannot_be_used(tmp_path):
    with pytest.raises(ParameterError, match="rows of equal length"):
        hierarchy_rows([["a", "b"], ["c"]], "x")
    with pytest.raises(ParameterError, match="more than once"):
        hierarchy_rows([["a", "*"], ["a", "*"]], "x")
    with pytest.raises(ParameterError, match="CSV file or a list of rows"):
        hierarchy_rows(7, "x")
    rows = hierarchy_rows([["a", "u"], ["b", "v"]], "x")
    assert by_hierarchy(rows, ["a", "b"], "x")[0, 1] == 2.0  # they never meet
    with pytest.raises(ParameterError, match="lacks 1 of the 2 categories"):
        by_hierarchy(rows, ["a", "secret"], "x")


def test_tables_that_cannot_be_used(tmp_path):
    path = tmp_path / "km.csv"
    path.write_text(",a,b\na,0,3\nb,3,0\n")
    assert by_table(table_entries(path, "x"), ["a", "b"], "x").tolist() == [[0, 3], [3, 0]]
    for entries, message in [
        ({"a": {"b": 1}, "b": {"a": 2}}, "not symmetric"),
        ({"a": {"b": -1}}, "of at least 0"),
        ({"a": {"b": float("nan")}}, "finite"),
        ({"a": {"a": 1, "b": 1}}, "0 between a category and itself"),
        ({"a": {}, "b": {}}, "lacks a pair"),
    ]:
        with pytest.raises(ParameterError, match=message):
            by_table(table_entries(entries, "x"), ["a", "b"], "x")
    with pytest.raises(ParameterError, match="must contain only numbers"):
        table_entries({"a": {"b": "near"}}, "x")
    with pytest.raises(ParameterError, match="mapping of mappings"):
        table_entries([1], "x")


def test_categories_in_the_order_of_their_values():
    import pyarrow as pa

    found = categories(pa.chunked_array([[3, None, 1], [2]]), "x")
    assert found.labels == ("1", "2", "3")
    assert found.codes.tolist()[2:] == [0.0, 1.0]
    assert categories(pa.chunked_array([["", "b"]]), "x").labels == ("b",)
    assert np.isnan(categories(pa.chunked_array([pa.nulls(3)]), "x").codes).all()


def test_nothing_can_be_filled_in_from_nothing():
    with pytest.raises(DataError, match="contains only missing values"):
        imputed([Column("x", "continuous", np.full(3, np.nan))], RNG)


def test_small_strata_are_joined_and_take_the_smallest_other_if_need_be():
    region = Categories(np.repeat([0.0, 1.0, 2.0, 3.0], [9, 6, 1, 1]), tuple("abcd"))
    strata = strata_of([region])
    joined = merged(strata, 3)
    assert sorted(joined.sizes) == [8, 9]  # c and d are two, so b joins them
    assert sorted(merged(strata, 2).sizes) == [2, 6, 9]
    with pytest.raises(DataError, match=r"2 of 4 strata have fewer than k=2 records[.]"):
        refuse_small(strata, 2)
    assert merged(joined, 3) is joined


@given(
    present=arrays(
        np.bool_, st.tuples(st.integers(1, 20), st.integers(0, 30)), elements=st.booleans()
    )
)
def test_patterns_are_the_different_columns_in_order(present):
    patterns, which = patterns_of(present)
    expected, inverse = np.unique(present, axis=1, return_inverse=True)
    assert np.array_equal(patterns, expected)
    assert np.array_equal(which, inverse.reshape(-1))

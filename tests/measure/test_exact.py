"""Confidential values are told apart to the last digit, and blanks are one value."""

import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microagg as ma
from microagg.data.frames import Frame
from microagg.errors import AnonymityError
from microagg.measure.exact import coded
from microagg.measure.keys import same_values

PAIRS = {
    "int64": pa.array([2**53, 2**53 + 1] * 4),
    "uint64": pa.array([2**64 - 1, 2**64 - 2] * 4, pa.uint64()),
    "decimal": pa.array([Decimal("1.00000000000000000001"), Decimal(1)] * 4, pa.decimal128(30, 20)),
    "text": pa.array(["a", "a\0"] * 4),
    "dictionary": pa.array(["a", "a\0"] * 4).dictionary_encode(),
    "numerals": pa.array(["9007199254740992", "9007199254740993"] * 4),
    "long numerals": pa.array(["0.1" + "0" * 40 + "1", "0.1"] * 4),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("kind", [None, "continuous", "nominal"])
def test_values_that_differ_in_the_last_digit_are_two(name, kind):
    codes, _ = coded(Frame(pa.table({"x": PAIRS[name]})), "x", kind)
    assert np.unique(codes).size == 2


@pytest.mark.parametrize("name", PAIRS)
def test_limits_hold_for_exact_values(name):
    """Groups by age alone have one value each, which rounding would not see."""
    table = pa.table({"age": [1, 50, 2, 51, 1, 50, 2, 51], "x": PAIRS[name]})
    kinds = {"x": "continuous"} if "numerals" in name else {}
    release = ma.protect(
        table, 2, quasi_identifiers=["age"], confidential=["x"], kinds=kinds, t_closeness=0.1
    )
    released = pd.DataFrame({"age": release.data["age"].to_pylist(), "x": table["x"].to_pylist()})
    assert all(group["x"].nunique() == 2 for _, group in released.groupby("age"))
    diverse = ma.protect(table, 2, quasi_identifiers=["age"], confidential=["x"], l_diversity=2)
    assert diverse.outcome.limits[0].achieved == 2


def test_order_is_that_of_the_numbers():
    texts = ["10", "9.5", " 9.50 ", "-1e2", "inf", "", "nan", "1E1"]
    codes, ordered = coded(Frame(pa.table({"x": texts})), "x", "continuous")
    assert ordered
    assert codes.tolist() == [2, 1, 1, 0, 3, 4, 4, 2]


@pytest.mark.parametrize("values", [[1.5, None, float("nan"), -0.0, 0.0], [b"a", b"", None, b"b"]])
def test_blanks_are_one_value_after_all_others(values):
    codes, _ = coded(Frame(pa.table({"x": values})), "x", None)
    blank = [i for i, value in enumerate(values) if value is None or value != value]
    assert len({codes[i] for i in blank}) == 1
    assert codes[blank[0]] == codes.max()


def test_empty_text_is_a_name_but_no_number():
    names, _ = coded(Frame(pa.table({"x": ["a", "", None]})), "x", None)
    assert names.tolist() == [1, 0, 2]
    numbers, _ = coded(Frame(pa.table({"x": ["7", "", None]})), "x", "continuous")
    assert numbers.tolist() == [0, 1, 1]


def test_what_a_file_of_text_cannot_tell_apart_is_not_promised_of_it(tmp_path):
    """Empty text and null are two values in memory, and one in a file of text."""
    table = pa.table({"age": [1, 1, 50, 50], "x": ["", None, "", None]})
    release = ma.protect(table, 2, quasi_identifiers=["age"], confidential=["x"], l_diversity=2)
    with pytest.raises(AnonymityError, match="l-diversity 1, but 2 is promised"):
        release.write({"data": tmp_path / "release.csv"})
    release.write({"data": tmp_path / "release.parquet"})


def test_decimal_commas_and_thousands():
    commas = Frame(pa.table({"x": ["1,5", "10,25", "9"]}))
    assert coded(commas, "x", "continuous")[0].tolist() == [0, 2, 1]
    thousands = Frame(pa.table({"x": ["1,500", "999", "2"]}))
    assert not coded(thousands, "x", "continuous")[1]


@pytest.mark.parametrize("blanks", [1, 5])
def test_a_blank_leaves_a_numeric_column_ordered(blanks, tmp_path):
    """In a file of text a blank is an empty field, and the others are still numbers."""
    rng = np.random.default_rng(1)
    pay = rng.normal(1000, 300, 60).round(2)
    pay[:blanks] = np.nan
    frame = pd.DataFrame({"age": rng.integers(20, 60, 60), "pay": pay})
    release = ma.protect(
        frame, 5, quasi_identifiers=["age"], confidential=["pay"], t_closeness=0.4, seed=1
    )
    release.save(tmp_path / "out")  # which counts again on the written file
    texts = frame.astype({"pay": object}).assign(pay=[("" if v != v else str(v)) for v in pay])
    again = ma.protect(
        texts,
        5,
        quasi_identifiers=["age"],
        confidential=["pay"],
        kinds={"pay": "continuous"},
        t_closeness=0.4,
        seed=1,
    )
    assert release.partition.n_groups > 3
    assert (again.partition.labels == release.partition.labels).all()


def test_columns_that_differ_beyond_float64_are_not_the_same():
    one, other = pa.chunked_array([[2**53]]), pa.chunked_array([[2**53 + 1]])
    assert not same_values(one, other)
    assert same_values(one, one.cast(pa.float64()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same_values(pa.chunked_array([[1.5, None]]), pa.chunked_array([[1.5, float("nan")]]))

"""Nominal columns in which no two records agree."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.partition.rules.unique_names import telling_columns, with_columns
from microagg.prepare.column import Column
from microagg.prepare.prepared import Prepared
from microagg.prepare.records import prepare_records

N = 3_000


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    own = Column("own", "nominal", rng.permutation(N).astype(float), tuple(map(str, range(N))))
    town = Column("town", "nominal", rng.integers(0, 5, N).astype(float), tuple("abcde"))
    pay = Column("pay", "continuous", rng.normal(size=N))
    return own, town, pay


def test_only_columns_without_two_equal_values_are_left_out(columns):
    own, town, pay = columns
    assert telling_columns(prepare_records([own, town, pay])) == [1, 2]
    twice = own.filled(np.where(own.values == 0, 1.0, own.values))
    assert telling_columns(prepare_records([twice, town, pay])) == [0, 1, 2]
    blank = own.filled(np.where(own.values == 0, np.nan, own.values))
    assert telling_columns(prepare_records([blank, town, pay])) == [0, 1, 2]


def test_weights_keep_all_columns(columns):
    weights = np.random.default_rng(1).uniform(1, 2, N)
    assert telling_columns(prepare_records(columns, weights=weights)) == [0, 1, 2]


def test_what_is_left_is_numbers_or_mixed(columns):
    records = prepare_records(columns)
    numbers = with_columns(records, [2])
    assert isinstance(numbers, Prepared)
    assert np.array_equal(numbers.columns, records.arrays()["numbers"])
    mixed = with_columns(records, [1, 2])
    assert mixed.names == ("town", "pay")
    assert np.array_equal(mixed.arrays()["codes"][0], records.columns[1].values)


def test_auto_groups_on_the_other_columns_and_says_so(columns):
    own, _, pay = columns
    frame = pd.DataFrame({"own": [f"c{int(v)}" for v in own.values], "pay": pay.values})
    release = ma.protect(frame, 5, quasi_identifiers=["own", "pay"])
    alone = ma.partition(pay.values[:, None], k=5, method="mdav-nc", refine="swap-shift")
    assert np.array_equal(release.partition.labels, alone.labels)
    assert release.partition.facts.columns == ("pay",)


def test_auto_groups_in_the_order_of_rows_where_no_column_is_left(columns):
    frame = pd.DataFrame({"own": [f"c{int(v)}" for v in columns[0].values]})
    release = ma.protect(frame, 7, quasi_identifiers=["own"])
    sizes = np.bincount(release.partition.labels)
    assert sizes.min() == 7
    assert sizes.max() < 14
    assert np.all(np.diff(release.partition.labels) >= 0)

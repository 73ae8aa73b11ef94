"""Nominal columns in which no two records agree."""

import numpy as np
import pandas as pd
import pytest

import microagg as ma
from microagg.partition.grouping import Facts
from microagg.partition.rules.unique_names import telling_columns, with_columns
from microagg.prepare.column import Column
from microagg.prepare.coordinates import MOST, coordinates
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


def test_many_categories_share_coordinates(columns):
    assert coordinates(prepare_records(columns)).shape == (N, MOST + 5 + 1)


@pytest.mark.parametrize("towns", [0, 3, 12])
def test_auto_loses_no_more_than_mdav(columns, towns):
    rng, pay = np.random.default_rng(2), columns[2].values
    frame = pd.DataFrame({"own": [f"c{i}" for i in range(N)], "pay": pay})
    if towns:
        frame["town"] = [f"t{code}" for code in rng.integers(0, towns, N)]
    keys = list(frame.columns)
    ours, mdav = (
        ma.protect(frame, 5, quasi_identifiers=keys, method=method) for method in ("auto", "mdav")
    )
    assert ours.measures["il"] <= mdav.measures["il"]
    assert ours.partition.facts.columns is None


def test_auto_draws_groups_at_random_where_no_column_is_left(columns):
    frame = pd.DataFrame({"own": [f"c{int(v)}" for v in columns[0].values]})
    release = ma.protect(frame, 7, quasi_identifiers=["own"])
    labels = release.partition.labels
    sizes = np.bincount(labels)
    assert sizes.min() == 7
    assert sizes.max() < 14
    assert not np.all(np.diff(labels) >= 0)
    assert np.array_equal(labels, ma.protect(frame, 7, quasi_identifiers=["own"]).partition.labels)
    assert (
        "so all groups have the same loss, and records were assigned to them" in release.summary()
    )


def test_strata_say_only_what_holds_for_all_of_them():
    some, other = Facts(columns=("age",), remark="Yes."), Facts(columns=None, remark=None)
    for parts in ([some, other], [other, some]):
        found = {"strata": 2, "remark": "In 1 of 2 strata: Yes."}
        assert Facts.of_parts(parts).as_dict() == found
    assert Facts.of_parts([some, some]).as_dict() == {
        "columns": ["age"],
        "remark": "Yes.",
        "strata": 2,
    }

"""Kernels on mixed records: the labels of their twins, and the distances of an explicit embedding."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from microagg.kernels.mixed.near import representatives
from microagg.kernels.mixed.query import distance_to, new_query, set_to_row
from microagg.kernels.mixed.records import (
    MANY_SLOTS,
    TOUCHED,
    Mixture,
    add_record,
    clear,
    new_sums,
)
from microagg.partition.driver import group
from microagg.partition.registry import find
from microagg.prepare.column import Column
from microagg.prepare.records import LARGEST_BLOCK, prepare_records
from tests.twins.mixed import Mixed
from tests.twins.registry import MIXED_TWINS

LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


def some_records(n, seed, *, gower=False, blanks=0.0, weighted=False, table=False, names=400):
    rng = np.random.default_rng(seed)

    def with_blanks(values):
        return np.where(rng.random(n) < blanks, np.nan, values)

    columns = [
        Column("a", "continuous", with_blanks(rng.normal(size=n))),
        Column("b", "ordinal", with_blanks(rng.integers(0, 5, n)), tuple("abcde")),
        Column("c", "nominal", with_blanks(rng.integers(0, 3, n)), tuple("abc")),
        Column("d", "nominal", with_blanks(rng.integers(0, 4, n)), tuple("abcd"),
               LINE if table else None),
        Column("e", "nominal", with_blanks(rng.integers(0, names, n)),
               tuple(map(str, range(names)))),
    ]  # fmt: skip
    weights = rng.random(n) + 0.5 if weighted else None
    return prepare_records(columns, gower=gower, weights=weights, column_weights={"a": 2.0})


def defaults(method):
    """Parameters that the method takes on mixed records too."""
    takes = inspect.signature(method.mixed).parameters
    return {name: value for name, value in method.parameters.items() if name in takes}


@pytest.mark.parametrize("name", MIXED_TWINS)
@pytest.mark.parametrize("gower", [False, True])
@pytest.mark.parametrize(("blanks", "weighted", "table"), [(0, False, True), (0.3, True, False),
                                                           (0.8, True, True)])  # fmt: skip
def test_the_labels_of_the_twin(name, gower, blanks, weighted, table):
    method, _ = find(name)
    choices = [{}, {"leftovers": "group"}, {"leftovers": "nearest"}, {"gamma": 1.1}]
    for n, k in ((9, 2), (23, 3), (47, 7)):
        records = some_records(n, n, gower=gower, blanks=blanks, weighted=weighted, table=table)
        for chosen in choices:
            if chosen.keys() <= method.parameters.keys():
                twin = {**defaults(method), **chosen}
                expected = MIXED_TWINS[name](records, k, None, **twin)
                assert np.array_equal(group(records, k, name, parameters=chosen).labels, expected)


def test_more_records_than_a_tile():
    records = some_records(1300, 4, blanks=0.1, weighted=True)
    for name in ("mdav", "mdav-nc"):
        method, _ = find(name)
        twin = MIXED_TWINS[name](records, 30, None, **defaults(method))
        assert np.array_equal(group(records, 30, name).labels, twin)


@pytest.mark.parametrize("name", MIXED_TWINS)
@pytest.mark.parametrize("gower", [False, True])
@pytest.mark.parametrize("blanks", [0, 0.3])
def test_columns_of_many_categories_have_no_tables(name, gower, blanks):
    assert LARGEST_BLOCK <= MANY_SLOTS  # such a column shares no table with others
    for names in (MANY_SLOTS, MANY_SLOTS + 1):
        records = some_records(60, 2, gower=gower, blanks=blanks, weighted=True, names=names)
        few = np.random.default_rng(3).integers(0, 20, 60) * 50.0  # some agree
        column = records.columns[4]
        column = column.filled(np.where(column.blank, np.nan, few))
        records = replace(records, columns=(*records.columns[:4], column))
        method, _ = find(name)
        expected = MIXED_TWINS[name](records, 4, None, **defaults(method))
        assert np.array_equal(group(records, 4, name).labels, expected)


def test_the_mode_of_many_categories_is_the_first_of_the_most_frequent():
    modes = []
    for names in (MANY_SLOTS, MANY_SLOTS + 1):
        records = some_records(300, 5, blanks=0.3, names=names)
        values = np.random.default_rng(4).integers(0, 7, 300) * 9.0
        column = replace(
            records.columns[4], values=np.where(records.columns[4].blank, np.nan, values)
        )
        records = replace(records, columns=(*records.columns[:4], column))
        members = np.arange(300).reshape(30, 10)
        middles = representatives(Mixture(**records.arrays()), members, np.full(30, 10))
        present = middles.known[middles.patterns, 4]
        modes.append(np.where(present, middles.codes[2], -1))
    assert np.array_equal(*modes)


def test_sums_of_many_categories_are_cleared_whether_or_not_all_were_noted():
    records = some_records(TOUCHED + 100, 6, names=MANY_SLOTS + 1)
    mix = Mixture(**records.arrays())
    sums = new_sums(mix)
    for count in (5, records.n):
        for row in range(count):
            add_record(mix, row, 1, sums)
        assert sums.counts.sum() == pytest.approx(3 * count)
        clear(mix, sums)
        assert not sums.counts.any()
        assert not sums.squares.any()


def embedding(records):
    """Return the records as points, one coordinate for each number and each category."""
    points = []
    for column, measure in zip(records.columns, records.measures, strict=True):
        if column.nominal:
            corners = np.eye(len(column.labels))[column.values.astype(int)]
            points.extend(corners.T * np.sqrt(measure.strength / 2))
        else:
            points.append((column.values - measure.center) / measure.scale)
    return np.array(points)


def test_codes_and_tables_give_the_distances_of_the_embedding():
    records = some_records(40, 7)
    points, mixed = embedding(records), Mixed(records.arrays())
    everyone = np.arange(40)
    for members in ([3], [1, 2], list(range(10, 25)), list(everyone)):
        centre = points[:, members].mean(axis=1, keepdims=True)
        expected = ((points - centre) ** 2).sum(axis=0)
        assert np.allclose(mixed.distances(everyone, mixed.centre(members)), expected, atol=1e-9)


@pytest.mark.slow
def test_one_record_at_a_time_is_as_a_whole_tile():
    records = some_records(30, 8, blanks=0.4, table=True)
    mix, mixed = Mixture(**records.arrays()), Mixed(records.arrays())
    query = new_query(mix, new_sums(mix))
    set_to_row(mix, 5, query)
    one_by_one = [distance_to(mix, row, query) for row in range(30)]
    assert np.array_equal(one_by_one, mixed.distances(np.arange(30), mixed.centre([5])))


def test_distances_are_over_what_is_present_with_the_right_scale():
    nan = np.nan
    columns = [
        Column("x", "continuous", np.array([0.0, 2.0, 4.0, nan])),
        Column("y", "continuous", np.array([0.0, nan, 3.0, nan])),
        Column("z", "nominal", np.array([0.0, 1.0, nan, nan]), ("p", "q")),
    ]
    records = prepare_records(columns, gower=True, column_weights={"z": 2.0})
    mixed = Mixed(records.arrays())
    found = mixed.distances(np.arange(4), mixed.centre([0]))
    # Gower, times the weights of all columns (4): over x and z, over x and y, over nothing.
    assert found[:3] == pytest.approx([0.0, 4 * (0.5 + 2.0) / 3, 4 * (1.0 + 1.0) / 2])
    assert found[3] == records.apart > 0
    columns = [column.filled(column.values) for column in columns[:2]]
    mixed = Mixed(prepare_records(columns).arrays())
    x = (2.0 / np.std([0.0, 2.0, 4.0])) ** 2
    assert mixed.distances(np.arange(2), mixed.centre([0]))[1] == pytest.approx(2 * x)

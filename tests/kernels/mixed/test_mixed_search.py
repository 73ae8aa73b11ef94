"""The search in leaves of mixed records: the nearest and the farthest of a scan, ties included."""

import numpy as np
import pytest

from microagg.kernels.mixed.pool import new_mixed_pool, take_out
from microagg.kernels.mixed.query import new_query, set_to_row, set_to_sums
from microagg.kernels.mixed.records import MANY_SLOTS, Mixture, add_record, clear, new_sums
from microagg.kernels.mixed.search import farthest_mixed, nearest_mixed
from tests.kernels.mixed.test_mixed_twins import some_records
from tests.twins.mixed import Mixed


@pytest.mark.slow  # compiles for ten seconds
@pytest.mark.parametrize("gower", [False, True])
@pytest.mark.parametrize(("blanks", "table"), [(0, True), (0.05, False), (0.6, True)])
@pytest.mark.parametrize("names", [5, 400, MANY_SLOTS + 1])
def test_leaves_that_are_passed_over_have_no_record_that_counts(gower, blanks, table, names):
    n = 1500
    records = some_records(
        n, 3, gower=gower, blanks=blanks, weighted=True, table=table, names=names
    )
    rng = np.random.default_rng(5)
    mix, twin = Mixture(**records.arrays()), Mixed(records.arrays())
    pool, query = new_mixed_pool(mix), new_query(mix, new_sums(mix))
    left = np.arange(n)
    while left.size > 40:
        gone = np.sort(rng.choice(left, left.size // 10, replace=False))
        left = np.setdiff1d(left, gone)
        for row in gone:
            take_out(mix, pool, row)
        members = rng.choice(n, int(rng.integers(1, 4)), replace=False)
        if members.size == 1:  # the categories of a single record have bounds of their own
            set_to_row(mix, members[0], query)
        else:
            clear(mix, query.sums)
            for row in members:
                add_record(mix, row, 1, query.sums)
            set_to_sums(mix, query)
        centre = twin.centre(members)
        for wanted in (1, 7, 100):
            rows = np.empty(wanted, dtype=np.int64)
            nearest_mixed(mix, pool, query, np.empty(wanted), rows)
            assert np.array_equal(rows[rows >= 0], twin.nearest(left, centre, wanted))
        assert farthest_mixed(mix, pool, query) == twin.farthest(left, centre)


def test_equal_records_are_found_in_order_of_their_rows():
    records = some_records(200, 1).subset(np.zeros(200, dtype=np.int64))
    mix = Mixture(**records.arrays())
    pool, query = new_mixed_pool(mix), new_query(mix, new_sums(mix))
    set_to_row(mix, 7, query)
    rows = np.empty(90, dtype=np.int64)
    nearest_mixed(mix, pool, query, np.empty(90), rows)
    assert rows.tolist() == list(range(90))
    assert farthest_mixed(mix, pool, query) == 0

"""The nearest group that is kept is the nearest group there is, whatever changed in between."""

import numpy as np
import pytest

import microagg as ma
from microagg.kernels.refine.decompose import ORDERS
from microagg.kernels.refine.groups import add_members, members, new_groups, set_members, shift
from microagg.kernels.refine.near_groups import has_changed, hear, new_near_groups, seek, tell_all
from microagg.kernels.refine.refine import refine_decompose_shrink
from microagg.kernels.refine.split import RULES
from microagg.kernels.space.scan import FARTHER_THAN_ALL
from tests.twins import refine as plain

pytestmark = pytest.mark.slow  # it compiles functions that are otherwise parts of one kernel


def nearest(groups, row):
    gaps = np.sum((groups.means - groups.points[row]) ** 2, axis=1)
    gaps[(groups.sizes == 0) | (np.arange(gaps.size) == groups.labels[row])] = np.inf
    return int(np.argmin(gaps)), gaps.min()


def change_something(rng, groups, cache, turn):
    row, target = int(rng.integers(200)), int(rng.choice(np.flatnonzero(groups.sizes > 0)))
    source = int(groups.labels[row])
    if target == source or groups.sizes[source] < 2:
        return
    if turn % 10 == 0:  # give up the whole group
        rows = members(groups, source)
        set_members(groups, source, rows[:0])
        add_members(groups, target, rows)
    else:
        shift(groups, row, target)
    has_changed(cache, groups, source)
    has_changed(cache, groups, target)


@pytest.mark.parametrize("told_every", [1, 7, 1000])
@pytest.mark.parametrize("asked", [2, 20])
def test_seek_after_random_changes(told_every, asked):
    rng = np.random.default_rng(1)
    columns = np.ascontiguousarray(rng.normal(size=(3, 200)))
    groups = new_groups(columns, np.repeat(np.arange(40), 5).astype(np.int32), 5)
    cache = new_near_groups(groups)
    for turn in range(120):
        for row in rng.integers(0, 200, size=asked).tolist():
            group, gap = nearest(groups, row)
            limit = rng.choice([FARTHER_THAN_ALL, rng.exponential()])
            hear(cache, groups, groups.labels[row])
            found = seek(cache, groups, row, limit)
            assert found == group if gap < limit else found in (-1, group)
        change_something(rng, groups, cache, turn)
        if turn % told_every == 0:
            tell_all(cache, groups)


@pytest.mark.parametrize("far", [1e9, 1e60, 1e149])
@pytest.mark.parametrize("k", [2, 3])
def test_records_beyond_all_bounds_are_refined_as_by_the_twin(far, k):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(80, 2)), far * rng.normal(size=(9, 2))])
    columns = np.ascontiguousarray(X.T)
    labels = ma.partition(X, k, "mdav", scale="none").labels
    ticker = np.zeros(2, dtype=np.int64)
    refined = refine_decompose_shrink(columns, labels, k, ORDERS["number"], RULES["cbfs"], ticker)
    expected = plain.decompose_shrink(columns, labels, k, "number", "cbfs")
    assert np.array_equal(
        *(np.unique(found, return_inverse=True)[1] for found in (refined, expected))
    )

"""Enumeration lists every group below the threshold, or says that there are too many."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.partition.bounds import enumeration
from microagg.partition.bounds.cuts import GroupCuts, entries_of
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.enumeration import list_below
from microagg.partition.bounds.pool import errors_of
from tests.examples import examples
from tests.some_cuts import cuts_of

GO = np.zeros(2, dtype=np.int64)
NO_CUTS = GroupCuts.of(0)


def reduced_costs(points, duals, cuts, size):
    """Return the reduced cost of every group of one size."""
    return {
        rows: errors_of(points[list(rows)][np.newaxis])[0]
        - duals.prices[list(rows)].sum()
        + (entries_of([np.array(rows)], cuts, len(points)).toarray()[0, len(points) :])
        @ duals.charges
        for rows in combinations(range(len(points)), size)
    }


@st.composite
def priced(draw):
    n, d = draw(st.integers(6, 10)), draw(st.integers(1, 3))
    points = draw(arrays(np.float64, (n, d), elements=st.floats(-3, 3, width=16)))
    prices = draw(arrays(np.float64, n, elements=st.floats(-0.5, 2, width=16)))
    cuts = draw(cuts_of(n, 4))
    charges = draw(arrays(np.float64, len(cuts), elements=st.floats(0, 1, width=16)))
    return points, Duals(prices, charges), cuts


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(priced(), st.floats(0.01, 4))
def test_every_group_below_the_threshold_is_listed(case, threshold):
    points, duals, cuts = case
    sizes = range(3, 6)
    listed = list_below(points, sizes, duals, cuts, threshold, 10_000, GO)
    assert threshold - 1e-6 <= listed.threshold <= threshold
    for size, groups in zip(sizes, listed.groups, strict=True):
        ours = {tuple(sorted(rows)) for rows in groups.tolist()}
        costs = reduced_costs(points, duals, cuts, size)
        assert {rows for rows, cost in costs.items() if cost < listed.threshold} <= ours
        assert max((costs[rows] for rows in ours), default=0.0) < threshold + 1e-9


def test_too_many_groups_are_not_listed_in_part():
    points, duals = np.random.default_rng(0).normal(size=(20, 2)), Duals(np.ones(20), np.empty(0))
    every = list_below(points, [3, 4], duals, NO_CUTS, 1.0, 10_000, GO)
    many = sum(map(len, every.groups))
    assert list_below(points, [3, 4], duals, NO_CUTS, 1.0, many, GO) is not None
    assert list_below(points, [3, 4], duals, NO_CUTS, 1.0, many - 1, GO) is None
    assert list_below(points, [3, 4], duals, NO_CUTS, 1.0, many, np.array([0, 1])) is None


@pytest.mark.parametrize("limit", ["MOST_OF_A_ROOT", "WORK", "WIDEST"])
def test_a_root_that_is_not_exhausted_lists_nothing(monkeypatch, limit):
    monkeypatch.setattr(enumeration, limit, 3)
    monkeypatch.setattr(enumeration, "SHARE_OF_A_ROOT", 0.0)
    points, duals = np.random.default_rng(0).normal(size=(20, 2)), Duals(np.ones(20), np.empty(0))
    assert list_below(points, [3, 4], duals, NO_CUTS, 1.0, 10_000, GO) is None

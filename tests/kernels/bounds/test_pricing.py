"""Pricing lists every group below the limit, each once, with or without cuts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.kernels.bounds import degrees
from microagg.kernels.bounds.pricing import PricedGroups, half_sums, price
from microagg.partition.bounds.cuts import GroupCuts
from microagg.partition.bounds.duals import Duals
from microagg.partition.bounds.pricing import kernel_prices
from tests.examples import examples
from tests.some_cuts import cuts_of
from tests.twins.bounds import groups_below, prices_of_values

KEPT = 500
LIMIT = -1e-9


def found_groups(points, prices, size, width, work):
    n = len(points)
    halves, roots = np.empty((n, size)), np.arange(n)
    ticker = np.zeros(2, dtype=np.int64)
    half_sums(points, prices, roots, size, halves, ticker)
    priced = PricedGroups(
        np.empty((n, KEPT, size), dtype=np.int64),
        np.empty((n, KEPT)),
        np.zeros(n, dtype=np.int64),
        np.zeros(n),
        np.zeros(n, dtype=bool),
    )
    price(points, prices, halves, roots, size, LIMIT, width, work, priced, ticker)
    kept = np.arange(KEPT) < priced.counts[:, np.newaxis]
    rows = [tuple(sorted(rows)) for rows in priced.rows[kept].tolist()]
    # On near ties a group may be priced on two ways; the pool keeps one of them.
    return dict(zip(rows, priced.costs[kept].tolist(), strict=True)), priced


@st.composite
def priced_records(draw):
    n, d = draw(st.integers(5, 10)), draw(st.integers(1, 3))
    values = draw(st.sampled_from([st.integers(0, 2).map(float), st.floats(-3, 3, width=16)]))
    points = draw(arrays(np.float64, (n, d), elements=values))
    records = draw(arrays(np.float64, n, elements=st.floats(-0.5, 3, width=16)))
    cuts = draw(cuts_of(n, 6))
    charges = draw(arrays(np.float64, len(cuts), elements=st.floats(0, 2, width=16)))
    return points, kernel_prices(Duals(records, charges), cuts, n)


@settings(max_examples=examples(400), deadline=None)
@given(priced_records(), st.integers(2, 5))
def test_exact_pricing_lists_every_group(case, size):
    points, prices = case
    ours, priced = found_groups(points, prices, size, 2**62, 2**62)
    # Groups at the very limit may fall on either side of it by rounding.
    sure, possible = (groups_below(points, prices, size, LIMIT + e) for e in (-1e-12, 1e-12))
    assert sure.keys() <= ours.keys() <= possible.keys()
    assert all(cost == pytest.approx(possible[rows], abs=1e-12) for rows, cost in ours.items())
    assert priced.exhausted.all()
    for row in range(len(points)):
        costs = [cost / size for rows, cost in ours.items() if row in rows]
        assert priced.least[row] == pytest.approx(min(costs, default=0.0), abs=1e-12)


@settings(max_examples=examples(100), deadline=None)
@given(priced_records(), st.integers(3, 5), st.integers(2, 6), st.integers(0, 40))
def test_pricing_in_part_finds_some_and_says_so(case, size, width, work):
    points, prices = case
    ours, priced = found_groups(points, prices, size, width, work)
    possible = groups_below(points, prices, size, LIMIT + 1e-12)
    assert ours.keys() <= possible.keys()
    if priced.exhausted.all():
        assert groups_below(points, prices, size, LIMIT - 1e-12).keys() <= ours.keys()


def test_the_cheapest_groups_are_kept(monkeypatch):
    rng = np.random.default_rng(0)
    points, prices = rng.normal(size=(14, 2)), np.full(14, 2.0)
    case = kernel_prices(Duals(prices, np.empty(0)), GroupCuts.of(0), 14)
    every, _ = found_groups(points, case, 3, 2**62, 2**62)
    monkeypatch.setattr(f"{__name__}.KEPT", 5)
    few, _ = found_groups(points, case, 3, 2**62, 2**62)
    assert len(few) < len(every)
    assert min(every.values()) == min(few.values())


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_prices_of_values_count_every_pair_once(data):
    n, d = data.draw(st.integers(2, 12)), data.draw(st.integers(1, 3))
    k = data.draw(st.integers(2, 5))
    points = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 3).map(float)))
    values = data.draw(arrays(np.float64, n, elements=st.floats(0, 4, width=16)))
    squared = np.sum((points[:, np.newaxis] - points[np.newaxis]) ** 2, axis=2)
    others = ~np.eye(n, dtype=bool)
    near = np.tile(np.arange(n), (n, 1))[others].reshape(n, n - 1)
    gaps = squared[others].reshape(n, n - 1)
    prices, surplus = np.empty(n), np.empty(n)
    degrees.prices_of_values(values, k, gaps, near, degrees.once(near), prices, surplus)
    assert prices == pytest.approx(prices_of_values(points, values, k), abs=1e-9)

"""Paths by the nearest point next, their neighbours, and shorter trips."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from microagg.kernels.path.tour import improve, open_at_longest, shorten
from microagg.kernels.path.walk import first_of_farthest, near_lists, walk
from tests.examples import examples, frozen
from tests.twins import path as plain


def ticker():
    return np.zeros(2, dtype=np.int64)


def data(n, d):
    rng = np.random.default_rng(n + d)
    yield rng.normal(size=(n, d))
    yield rng.integers(0, 3, size=(n, d)).astype(float)


def length(points, trip):
    return np.sqrt(np.sum((points[trip] - points[np.roll(trip, 1)]) ** 2, axis=1)).sum()


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 3), (33, 2), (700, 3), (2300, 2)])
def test_walk(n, d):
    for points in data(n, d):
        for start in (0, n - 1):
            expected = plain.walk(points.T, start)
            assert np.array_equal(walk(points, start, ticker()), expected)


@pytest.mark.parametrize(("n", "d"), [(2, 1), (60, 2), (300, 5)])
def test_the_walk_starts_at_the_lower_of_the_farthest_two(n, d):
    for points in data(n, d):
        columns = np.ascontiguousarray(points.T)
        expected = plain.farthest_pair(columns)[0]
        assert first_of_farthest(frozen(columns), ticker()) == expected


def test_near_lists():
    for points in data(200, 2):
        near = near_lists(points, 5, ticker())
        for row in range(200):
            gaps = np.sum((points - points[row]) ** 2, axis=1)
            gaps[row] = np.inf
            assert near[row].tolist() == np.argsort(gaps, kind="stable")[:5].tolist()


@pytest.mark.parametrize("n", [8, 9, 40, 500])
def test_every_move_makes_the_trip_shorter(n):
    points = np.random.default_rng(n).uniform(size=(n, 2))
    near, tour = near_lists(points, min(8, n - 1), ticker()), np.arange(n)
    places, ends = tour.copy(), np.empty(6, dtype=np.int64)
    for point in range(min(n, 60)):
        before = length(points, tour)
        while improve(points, tour, places, near, point, ends):
            after = length(points, tour)
            assert after < before
            assert np.array_equal(tour[places], np.arange(n))
            before = after


@pytest.mark.parametrize(("n", "d"), [(8, 1), (50, 2), (3000, 2), (400, 6)])
def test_a_trip_made_shorter_visits_all(n, d):
    for points in data(n, d):
        first = walk(points, 0, ticker())
        trip = shorten(points, first, near_lists(points, 7, ticker()), ticker())
        assert np.array_equal(np.sort(trip), np.arange(n))
        assert length(points, trip) <= length(points, first) * (1 + 1e-12)
        path = open_at_longest(points, trip)
        edges = np.sum(np.diff(points[path], axis=0) ** 2, axis=1)
        assert edges.max() <= np.sum((points[path[0]] - points[path[-1]]) ** 2)


def test_a_good_trip_in_the_plane():
    points = np.random.default_rng(0).uniform(size=(4000, 2))
    first = walk(points, 0, ticker())
    trip = shorten(points, first, near_lists(points, 8, ticker()), ticker())
    shortest = 0.7124 * np.sqrt(4000)  # of random points in the unit square, for large n
    assert length(points, trip) < 1.11 * shortest < length(points, first)


@settings(max_examples=examples(200), deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(8, 60), d=st.integers(1, 3), even=st.booleans())
@example(seed=548, n=25, d=1, even=False)
@example(seed=1155, n=27, d=2, even=True)
@example(seed=1107, n=48, d=3, even=True)
def test_a_move_is_no_matter_of_rounding(seed, n, d, even):
    """Each makes the trip exactly shorter: among nearly equal points moves could go on for ever."""
    rng = np.random.default_rng(seed)
    points = np.exp(8 * rng.normal(size=(n, d)))
    if even:
        jitter = 10.0 ** -rng.integers(8, 16)
        points = rng.integers(0, 3, (n, d)) + jitter * rng.normal(size=(n, d))
        points[:3] *= 1e4
    near, tour = near_lists(points, min(8, n - 1), ticker()), walk(points, 0, ticker())
    places, ends = np.argsort(tour), np.empty(6, dtype=np.int64)
    before = exact_length(points, tour)
    for point in np.tile(np.arange(n), 6):
        while improve(points, tour, places, near, point, ends):
            after = exact_length(points, tour)
            assert after < before
            before = after


def exact_length(points, trip):
    """The sum of the edges as the kernel has them, none of it lost to rounding."""
    squares = np.zeros(trip.size)
    for column in points.T:
        squares += (column[trip] - column[np.roll(trip, 1)]) ** 2
    return sum(map(Fraction, np.sqrt(squares).tolist()))

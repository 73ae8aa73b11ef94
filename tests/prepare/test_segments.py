"""Automatic segments: each column once, sizes alike, correlated columns together."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.prepare.segments import correlated_segments
from microagg.prepare.select import correlations
from tests.examples import examples


def within(columns, segments):
    alike = correlations(columns) ** 2
    return sum(alike[np.ix_(s, s)].sum() / 2 for s in map(list, segments))


@given(st.integers(1, 14), st.integers(0, 99), st.data())
@settings(deadline=None, max_examples=examples(50))
def test_each_column_once_and_sizes_alike(d, seed, data):
    size = data.draw(st.integers(1, d))
    columns = list(np.random.default_rng(seed).normal(size=(d, 20)))
    segments = correlated_segments(columns, size)
    assert sorted(j for segment in segments for j in segment) == list(range(d))
    sizes = [len(segment) for segment in segments]
    assert max(sizes) <= size
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) == -(-d // size)


@pytest.mark.parametrize("seed", range(20))
def test_two_pairs_are_the_best_two_pairs(seed):
    columns = list(np.random.default_rng(seed).normal(size=(4, 10)))
    best = max(within(columns, [p[:2], p[2:]]) for p in permutations(range(4)))
    assert within(columns, correlated_segments(columns, 2)) == pytest.approx(best)


def test_columns_that_say_the_same_stay_together():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(3, 200))
    columns = [base[j % 3] + rng.normal(scale=0.2, size=200) for j in range(9)]
    assert correlated_segments(columns, 3) == ((0, 3, 6), (1, 4, 7), (2, 5, 8))
    assert correlated_segments([np.ones(5)] * 3, 2) == ((0, 1), (2,))

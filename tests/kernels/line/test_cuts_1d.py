"""Cuts at gaps, cuts that move, and strings of bits that are repaired."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.line import cuts_1d, genetic_1d
from microagg.partition.rules.random_cuts import random_cuts
from tests.examples import examples
from tests.twins.line import genetic_1d as plain


def ticker():
    return np.zeros(2, dtype=np.int64)


def all_cuts(n, k, begin=0):
    """Every way to cut n values into groups of at least k."""
    yield []
    for cut in range(begin + k, n - k + 1):
        for rest in all_cuts(n, k, cut):
            yield [cut, *rest]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.integers(0, 30), min_size=4, max_size=14), st.integers(2, 4))
def test_no_cuts_have_wider_gaps_together(values, k):
    ranked = np.sort(np.array(values, dtype=float))
    n = ranked.size
    labels = cuts_1d.cut_widest_sum(ranked, k, ticker())
    gaps = float(np.sum(np.diff(ranked)[np.diff(labels) > 0]))
    widest = max(sum(ranked[c] - ranked[c - 1] for c in cuts) for cuts in all_cuts(n, k))
    assert gaps == pytest.approx(widest)
    if n >= k:
        assert np.bincount(labels).min() >= min(k, n)


def test_the_widest_gap_is_cut_first():
    values = np.array([0.0, 1.0, 2.0, 9.0, 10.0, 11.0, 12.5, 13.0])
    order = 1 + np.argsort(-np.diff(values), kind="stable")
    labels = cuts_1d.cut_widest_gaps(order, 8, 2, ticker())
    assert labels.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]


def test_settled_cuts_cannot_be_moved_to_gain():
    rng = np.random.default_rng(0)
    values = np.sort(rng.normal(size=200))
    cuts = random_cuts(200, 4, rng)
    before = cuts.copy()
    loss = cuts_1d.settle(values, 4, cuts, np.zeros(2, dtype=np.int64))
    assert loss == pytest.approx(sum(np.var(values[a:b]) * (b - a) for a, b in pairwise(cuts)))
    assert loss < sum(np.var(values[a:b]) * (b - a) for a, b in pairwise(before))
    again = cuts.copy()
    cuts_1d.settle(values, 4, again, np.zeros(2, dtype=np.int64))
    assert np.array_equal(again, cuts)


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(0, 1), min_size=4, max_size=60), st.integers(2, 8))
def test_mended_strings_hold_k(bits, k):
    ours, twins = np.array(bits, dtype=np.uint8), np.array(bits, dtype=np.uint8)
    genetic_1d.repair(ours, k)
    plain.repair(twins, k)
    assert np.array_equal(ours, twins)
    sizes = np.diff([*np.flatnonzero(ours), ours.size])
    assert sizes.max() < 2 * k
    assert sizes.min() >= k or ours.size < 2 * k


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(4, 200), st.integers(2, 20), st.integers(0, 9))
def test_random_cuts_hold_k(n, k, seed):
    if n >= k:
        sizes = np.diff(random_cuts(n, k, np.random.default_rng(seed)))
        assert sizes.sum() == n
        assert sizes.min() >= k
        assert sizes.max() < 2 * k

"""The cut of a path is the best there is, and loses no digits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from microagg.kernels.path.path import cut_path
from tests.examples import examples, frozen
from tests.twins import path as plain


def ticker():
    return np.zeros(2, dtype=np.int64)


def error(columns, rows):
    return float(np.sum((columns[:, rows] - columns[:, rows].mean(axis=1, keepdims=True)) ** 2))


def error_of(columns, labels):
    return sum(error(columns, labels == label) for label in range(labels.max() + 1))


def all_cuts(n, k):
    """Yield the sizes of all ways to cut n records in a row into pieces of k to 2k-1."""
    if n == 0:
        yield []
    for size in range(k, min(2 * k, n + 1)):
        for rest in all_cuts(n - size, k):
            yield [size, *rest]


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data())
def test_no_cut_is_better(data):
    n, d = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
    k = data.draw(st.integers(2, n))
    columns = data.draw(arrays(np.float64, (d, n), elements=st.integers(-4, 4).map(float)))
    order = np.array(data.draw(st.permutations(range(n))))
    labels = cut_path(frozen(columns), order, k, ticker())
    sizes = np.bincount(labels)
    assert sizes.min() >= k
    assert sizes.max() < max(2 * k, n + 1 if n < 2 * k else 0)
    along = labels[order]
    assert (np.diff(along) >= 0).all()
    ends = [np.cumsum([0, *cut]) for cut in all_cuts(n, k)]
    best = min(sum(error(columns, order[a:b]) for a, b in itertools.pairwise(end)) for end in ends)
    assert error_of(columns, labels) == pytest.approx(best, abs=1e-9)
    assert np.array_equal(labels, plain.cut_path(columns, order, k))


def test_a_small_spread_far_from_zero_loses_nothing():
    rng = np.random.default_rng(0)
    near = rng.integers(0, 64, size=(2, 300)) / 64  # exact in both places
    order = rng.permutation(300)
    here = cut_path(frozen(near), order, 4, ticker())
    there = cut_path(frozen(near + 1e9), order, 4, ticker())
    assert error_of(near, there) == pytest.approx(error_of(near, here), rel=1e-7)

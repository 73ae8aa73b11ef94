"""The exact partition of sorted values: against brute force, a plain dynamic program, and far offsets."""

from functools import cache

import numpy as np
import pytest

from microagg.kernels.line.optimal_1d import optimal_1d
from tests.twins.line import optimal_1d as plain


def labels_of(values, k):
    return optimal_1d(np.asarray(values, dtype=np.float64), k, np.zeros(2, dtype=np.int64))


def sse(values, labels):
    groups = [values[labels == label] for label in range(labels.max() + 1)]
    return sum(float(np.sum((group - group.mean()) ** 2)) for group in groups)


@cache
def all_sizes(n, k):
    """Every way to write n as a sum of parts of at least k."""
    rest = [(first, *sizes) for first in range(k, n - k + 1) for sizes in all_sizes(n - first, k)]
    return [(n,), *rest] if n >= k else []


def brute_force(values, k):
    """The least sum of squares over every partition into consecutive groups."""
    n = len(values)
    squares = {
        (i, j): float(np.sum((values[i:j] - values[i:j].mean()) ** 2))
        for i in range(n)
        for j in range(i + k, n + 1)
    }
    least = np.inf
    for sizes in all_sizes(n, k):
        ends = np.cumsum(sizes).tolist()
        least = min(least, sum(squares[i, j] for i, j in zip([0, *ends], ends, strict=False)))
    return least


def dynamic_program(values, k):
    """The same in O(nk), with prefix sums: exact for small integers."""
    n = values.size
    sums, squares = (np.concatenate([[0], np.cumsum(x)]) for x in (values, values**2))
    best = np.full(n + 1, np.inf)
    best[0] = 0
    for j in range(k, n + 1):
        i = np.arange(max(0, j - 2 * k + 1), j - k + 1)
        within = squares[j] - squares[i] - (sums[j] - sums[i]) ** 2 / (j - i)
        best[j] = np.min(best[i] + within)
    return best[n]


@pytest.mark.parametrize("n", range(2, 15))
def test_brute_force(n):
    rng = np.random.default_rng(n)
    for k in range(2, n + 1):
        for values in (
            rng.normal(size=n),
            rng.integers(0, 5, n).astype(float),
            rng.standard_cauchy(n),
            np.ones(n),
        ):
            ranked = np.sort(values)
            labels = labels_of(ranked, k)
            assert np.bincount(labels).min() >= k
            least = brute_force(ranked, k)
            assert sse(ranked, labels) == pytest.approx(least, rel=1e-12, abs=1e-12)


@pytest.mark.slow
def test_thousands_of_integers_with_ties():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        n = int(rng.integers(2, 90))
        k = int(rng.integers(2, min(n, 25) + 1))
        values = np.sort(rng.integers(0, rng.integers(1, 200), n)).astype(float)
        labels = labels_of(values, k)
        sizes = np.bincount(labels)
        assert sizes.min() >= k
        assert sizes.max() < 2 * k
        assert sse(values, labels) == pytest.approx(dynamic_program(values, k), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("k", [2, 3, 7, 40])
def test_values_around_a_billion(k):
    """Unit spread in steps that survive the shift, so that shifted values are exactly as far apart."""
    values = np.sort(np.round(np.random.default_rng(k).normal(size=3000) * 2**20)) / 2**20
    assert np.array_equal(values + 1e9 - 1e9, values)
    near = sse(values, labels_of(values, k))
    far = sse(values, labels_of(values + 1e9, k))
    assert far == pytest.approx(near, rel=1e-12)


def test_each_of_two_far_clusters_is_grouped_as_if_alone():
    rng = np.random.default_rng(1)
    low = np.sort(rng.integers(0, 2000, 300)).astype(float)
    high = np.sort(rng.integers(0, 2000, 300)).astype(float)
    labels = labels_of(np.concatenate([low, high + 1e12]), 7)
    alone = sse(low, labels_of(low, 7)) + sse(high, labels_of(high, 7))
    both = sse(low, labels[:300]) + sse(high, labels[300:] - labels[300])
    assert labels[299] != labels[300]
    assert both == pytest.approx(alone, rel=1e-12)


def test_outliers_do_not_blur_the_rest():
    """Two lone outliers share a group of huge loss with others; the rest is still exact."""
    rng = np.random.default_rng(2)
    rest = np.sort(rng.integers(0, 5000, 400)).astype(float)
    values = np.concatenate([[-3e10, -2e10], rest])
    labels = labels_of(values, 5)
    begin = int(np.flatnonzero(labels == 10)[0])  # some groups away from the outliers
    tail = values[begin:]
    assert sse(tail, labels[begin:] - labels[begin]) == pytest.approx(
        sse(tail, labels_of(tail, 5)), rel=1e-9
    )


def test_a_large_k_equals_the_plain_program():
    values = np.sort(np.random.default_rng(3).integers(0, 10**6, 5000)).astype(float)
    for k in (100, 999, 2500):
        expected = dynamic_program(values, k)
        assert sse(values, labels_of(values, k)) == pytest.approx(expected, rel=1e-9)


def test_twin():
    values = np.sort(np.random.default_rng(4).integers(0, 40, 300)).astype(float)
    for k in (2, 3, 10, 149, 150, 151):
        assert np.array_equal(labels_of(values, k), plain.optimal_1d(values, k))

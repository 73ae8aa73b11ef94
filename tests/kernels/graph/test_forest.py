"""The forest of mu-Approx keeps what its proof needs, and the factor holds."""

import numpy as np
import pytest

import microagg as ma
from microagg.kernels.graph.forest import decompose_forest, nearest_forest
from tests.twins import graph as plain


def root(parents, row):
    while parents[row] >= 0:
        row = parents[row]
    return row


@pytest.mark.parametrize("k", [2, 3, 5, 9])
def test_edges_go_to_near_records_and_trees_have_k(k):
    for seed in range(4):
        points = np.random.default_rng(seed).normal(size=(120, 2)).round(1 + seed % 2)
        parents = nearest_forest(points, k, np.zeros(2, dtype=np.int64))
        assert np.array_equal(parents, plain.nearest_forest(points.T, k))
        roots = [root(parents, row) for row in range(120)]
        assert np.unique(roots, return_counts=True)[1].min() >= k
        for row in np.flatnonzero(parents >= 0):
            gaps = np.sort(np.sum((points - points[row]) ** 2, axis=1))
            assert np.sum((points[row] - points[parents[row]]) ** 2) <= gaps[k - 1]
        parts = decompose_forest(points, parents, k, np.zeros(2, dtype=np.int64))
        assert np.array_equal(parts, plain.decompose_forest(points.T, parents, k))
        assert np.bincount(parts).min() >= k
        assert np.bincount(parts).max() <= 3 * k - 3


def partitions(rows, k):
    """Yield all partitions of some rows into groups of at least k."""
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for bits in range(2 ** len(rest)):
        group = [first, *(row for i, row in enumerate(rest) if bits >> i & 1)]
        left = [row for row in rest if row not in group]
        if len(group) >= k and (not left or len(left) >= k):
            for others in partitions(left, k):
                yield [group, *others]


@pytest.mark.parametrize("k", [2, 3])
def test_the_proven_factor(k):
    for seed in range(5):
        X = np.random.default_rng(seed).standard_cauchy(size=(8, 2))
        part = ma.partition(X, k, "mu-approx", scale="none")
        sse = ma.information_loss(X, part, scale="none").sse
        best = min(
            sum(np.sum((X[rows] - X[rows].mean(axis=0)) ** 2) for rows in groups)
            for groups in partitions(list(range(8)), k)
        )
        assert best * (1 - 1e-9) <= sse <= k * (3 * k - 3) * (3 * k - 4) * best

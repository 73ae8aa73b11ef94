"""The spanning tree is the one of least length, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from microagg.kernels.graph.cut_tree import cut_longest
from microagg.kernels.graph.spanning import spanning_tree
from tests.examples import examples
from tests.twins import graph as plain


def edges(points):
    low, high, squares = spanning_tree(points, np.zeros(2, dtype=np.int64))
    assert (low < high).all()
    assert np.allclose(squares, np.sum((points[low] - points[high]) ** 2, axis=1))
    return set(zip(low.tolist(), high.tolist(), strict=True))


def kruskal(points):
    """All pairs by length, then rows; an edge that joins two parts stays."""
    low, high = np.triu_indices(len(points), 1)
    squares = np.sum((points[low] - points[high]) ** 2, axis=1)
    parts, found = np.arange(len(points)), set()
    for at in np.lexsort((high, low, squares)):
        if parts[low[at]] != parts[high[at]]:
            parts[parts == parts[high[at]]] = parts[low[at]]
            found.add((int(low[at]), int(high[at])))
    return found


@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 1), (33, 2), (700, 3), (900, 8)])
def test_equals_scipys(n, d):
    points = np.random.default_rng(n).normal(size=(n, d))
    tree = minimum_spanning_tree(cdist(points, points)).tocoo()
    ends = np.sort([tree.row, tree.col], axis=0).tolist()
    assert edges(points) == set(zip(*ends, strict=True))


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_ties_go_to_the_lowest_rows(data):
    n, d = data.draw(st.integers(1, 90)), data.draw(st.integers(1, 3))
    points = data.draw(arrays(np.float64, (n, d), elements=st.integers(0, 3).map(float)))
    assert edges(points) == kruskal(points)
    low, high, _ = plain.spanning_tree(points.T)
    assert edges(points) == set(zip(low.tolist(), high.tolist(), strict=True))


@settings(max_examples=examples(40), deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 6))
def test_no_further_edge_can_be_cut(seed, k):
    points = np.random.default_rng(seed).normal(size=(40, 2)).round(1)
    tree = spanning_tree(points, np.zeros(2, dtype=np.int64))
    parts = cut_longest(*tree, k, np.zeros(2, dtype=np.int64))
    assert np.array_equal(parts, plain.cut_longest(tree, 40, k))
    assert np.bincount(parts).min() >= k

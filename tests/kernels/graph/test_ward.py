"""The chain of nearest neighbours gives what merging the nearest pair of all gives."""

import numpy as np
import pytest

from microagg.kernels.graph.ward import cluster


def greedy(points, k):
    """Merge the pair of all that adds least error until every cluster has k."""
    order = np.argsort(points.sum(axis=1), kind="stable")
    ends = [order[:k].tolist(), order[-k:].tolist()]
    clusters = [*ends, *([row] for row in order[k:-k].tolist())]

    def added(a, b):
        if len(a) >= k and len(b) >= k:
            return np.inf
        gap = np.sum((points[a].mean(axis=0) - points[b].mean(axis=0)) ** 2)
        return len(a) * len(b) / (len(a) + len(b)) * gap

    while min(map(len, clusters)) < k:
        pairs = [(i, j) for j in range(len(clusters)) for i in range(j)]
        i, j = min(pairs, key=lambda pair: added(clusters[pair[0]], clusters[pair[1]]))
        clusters[i] = clusters[i] + clusters.pop(j)
    return {frozenset(rows) for rows in clusters}


@pytest.mark.slow  # compiled on its own
@pytest.mark.parametrize(
    ("n", "d", "k"), [(6, 1, 3), (20, 2, 2), (35, 3, 4), (40, 2, 7), (40, 1, 3)]
)
def test_cluster(n, d, k):
    for seed in range(3):
        points = np.random.default_rng(seed).normal(size=(n, d))
        names = cluster(points, k, np.zeros(2, dtype=np.int64))
        found = {frozenset(np.flatnonzero(names == name).tolist()) for name in np.unique(names)}
        assert found == greedy(points, k)
        assert len(found) >= 2

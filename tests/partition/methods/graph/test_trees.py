"""M-d, mu-Approx and k-Ward on data whose groups are plain to see."""

import numpy as np
import pytest

import microagg as ma

CENTERS = np.repeat(np.arange(12), 5)
CLUSTERS = np.stack([CENTERS % 4, CENTERS // 4], axis=1) + np.random.default_rng(0).normal(
    scale=1e-3, size=(60, 2)
)


@pytest.mark.parametrize("name", ["m-d", "m-c", "mu-approx", "k-ward"])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_natural_groups_are_found(name, k):
    rows = np.random.default_rng(1).permutation(60)
    labels = ma.partition(CLUSTERS[rows], k, name).labels
    assert all(len(set(labels[CENTERS[rows] == c])) == 1 for c in range(12))


def test_m_d_splits_what_is_too_large():
    X = np.vstack([CLUSTERS, np.random.default_rng(2).normal(size=(30, 2)) * 1e-3 + 9])
    assert ma.partition(X, 5, "m-d").sizes.max() < 10


@pytest.mark.parametrize("name", ["m-d", "mu-approx", "k-ward"])
def test_many_equal_records(name):
    X = np.repeat(np.random.default_rng(3).normal(size=(4, 2)), [1, 3, 40, 300], axis=0)
    part = ma.partition(X, 3, name)
    assert part.sizes.min() >= 3
    assert part.sizes.max() <= 5
    assert ma.partition(np.ones((600, 2)), 3, name).n_groups == 200

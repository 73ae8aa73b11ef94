"""hybrid: other records, the same means and covariances, whatever the size and rank of a group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.aggregate.hybrid import hybrid
from microagg.partition.partition import Partition
from tests.examples import examples


def moments(X, rows):
    return X[rows].mean(axis=0), np.cov(X[rows], rowvar=False, bias=True).reshape(X.shape[1], -1)


@settings(max_examples=examples(60), deadline=None)
@given(
    sizes=st.lists(st.integers(3, 9), min_size=1, max_size=6),
    d=st.integers(1, 7),
    seed=st.integers(0, 1000),
    offset=st.sampled_from([0.0, 1e3]),
)
def test_means_and_covariances_are_kept(sizes, d, seed, offset):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    part = Partition(labels, k=3)
    scale = 10.0 ** rng.integers(-3, 4, d)
    X = scale * (rng.standard_normal((labels.size, d)) @ rng.standard_normal((d, d)) + offset)
    if d > 1:
        X[:, 0] = np.round(X[:, 0] / scale[0])  # ties, and now and then a constant group
    if d > 2:
        X[:, 1] = 2 * X[:, 2]  # a covariance matrix that has no full rank
    new = hybrid({str(j): X[:, j] for j in range(d)}, part, np.random.default_rng(seed))
    Y = np.stack(list(new.values()), axis=1)
    for rows in part.groups():
        before, after = moments(X, rows), moments(Y, rows)
        spread = np.sqrt(np.diag(before[1]))
        np.testing.assert_allclose(after[0], before[0], rtol=1e-9, atol=1e-9 * spread.max())
        tolerance = 1e-9 * np.outer(spread, spread) + 1e-300
        assert (np.abs(after[1] - before[1]) <= tolerance).all()


def test_the_records_are_others_and_come_from_the_seed():
    X = np.random.default_rng(0).standard_normal(20)
    part = Partition(np.repeat([0, 1], 10), k=10)
    one, same, other = (
        hybrid({"x": X}, part, np.random.default_rng(seed))["x"] for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert not np.isclose(one, X).any()
    assert not np.isclose(one, other).any()


@pytest.mark.parametrize("d", [1, 3])
def test_a_constant_column_stays_exactly(d):
    X = {str(j): np.full(4, 0.1) for j in range(d)}
    X["moves"] = np.arange(4.0)
    new = hybrid(X, Partition([0, 0, 0, 0], k=3), np.random.default_rng(0))
    assert all((new[str(j)] == 0.1).all() for j in range(d))

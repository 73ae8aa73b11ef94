"""The search's kernel: its twin, what it keeps, and the pool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.lns import search as lns
from microagg.kernels.lns.pool import keep_group, new_pool
from tests.examples import examples, sample
from tests.twins import lns as plain


def normal(n, d, seed=0):
    return np.random.default_rng(seed * 10_000 + n * 100 + d).normal(size=(n, d))


LARGER = [(40, 1, 2, 150), (60, 3, 3, 100), (75, 4, 5, 25), (45, 2, 10, 10)]


def some_labels(n, k, seed=0):
    """Labels of random groups of k, the rest spread over them."""
    order = np.random.default_rng(seed).permutation(n)
    labels = np.empty(n, dtype=np.int32)
    labels[order] = np.arange(n) % (n // k)
    return labels


def anneal(X, labels, k, steps=200, seed=1, heats=(1.0, 0.05), sweeps=0, margin=0.0, capacity=0):
    pool, ticker = new_pool(capacity, k), np.zeros(2, dtype=np.int64)
    limits = steps, np.uint64(seed), np.array(heats), 6, 16, sweeps, margin
    found = lns.anneal(X, labels, k, *limits, pool, ticker)
    return found, pool


@pytest.mark.parametrize(
    ("n", "d", "k", "steps"),
    [
        (12, 2, 3, 150),
        (45, 2, 10, 5),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in LARGER),
    ],
)
@pytest.mark.parametrize(("heats", "sweeps"), sample([((1.0, 0.05), 0), ((0.0, 0.0), 2)]))
def test_kernel_equals_its_twin(n, d, k, steps, heats, sweeps):
    X, labels = normal(n, d), some_labels(n, k)
    ours, _ = anneal(X, labels, k, steps=steps, heats=heats, sweeps=sweeps)
    twins = plain.anneal(X, labels, k, steps, 1, heats, 6, 16, sweeps, lns.LOOK_AROUND)
    assert np.array_equal(ours[0], twins[0])
    assert np.array_equal(ours[1], twins[1])
    assert ours[2:] == twins[2:]


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_sizes_and_loss_hold_on_any_data(data):
    n, d, k = (
        data.draw(st.integers(2, 60)),
        data.draw(st.integers(1, 3)),
        data.draw(st.integers(2, 6)),
    )
    n = max(n, k)
    seed = data.draw(st.integers(0, 2**63))
    X = np.random.default_rng(seed).integers(0, 5, size=(n, d)).astype(np.float64)
    labels = some_labels(n, k, seed)
    (last, best, done, _), pool = anneal(
        X, labels, k, seed=seed, sweeps=1, margin=0.5, capacity=100
    )
    assert done == 200
    for found in (last, best):
        sizes = np.bincount(found)
        assert len(found) == n
        assert sizes[sizes > 0].min() >= k
        assert sizes.max() < 2 * k
    assert loss(X, best) <= loss(X, labels) * (1 + 1e-9) + 1e-12
    check_pool(pool, k, n)


def loss(X, labels):
    return sum(plain.error(X, np.flatnonzero(labels == g).tolist()) for g in set(labels))


def check_pool(pool, k, n):
    """Every group in order, padded, of k to 2k-1 different rows, and there once."""
    count = pool.filled[0]
    groups = [tuple(pool.members[i, : pool.sizes[i]].tolist()) for i in range(count)]
    assert len(set(groups)) == count
    for i, group in enumerate(groups):
        assert k <= len(group) < 2 * k
        assert list(group) == sorted(set(group))
        assert 0 <= group[0] <= group[-1] < n
        assert (pool.members[i, pool.sizes[i] :] == -1).all()


def test_pool_holds_the_groups_of_the_start_and_of_the_best():
    X, k = normal(80, 2), 3
    labels = some_labels(80, k)
    (_, best, _, _), pool = anneal(X, labels, k, steps=500, margin=0.5, capacity=10_000)
    check_pool(pool, k, 80)
    kept = {tuple(row[row >= 0].tolist()) for row in pool.members[: pool.filled[0]]}
    for found in (labels, best):
        assert {tuple(np.flatnonzero(found == g).tolist()) for g in set(found)} <= kept


def test_a_full_pool_takes_no_more_and_changes_nothing():
    X, labels = normal(80, 2), some_labels(80, 3)
    (_, best, _, _), pool = anneal(X, labels, 3, margin=0.5, capacity=30)
    assert pool.filled[0] == 30
    assert np.array_equal(best, anneal(X, labels, 3)[0][1])


def test_pool_knows_a_group_in_any_order():
    pool = new_pool(4, 3)
    for rows in ([5, 1, 9], [9, 5, 1], [1, 5, 8], [1, 5, 8, 9]):
        keep_group(pool, np.array([*rows, 0], dtype=np.int32), len(rows))
    assert pool.members[: pool.filled[0], :4].tolist() == [
        [1, 5, 9, -1],
        [1, 5, 8, -1],
        [1, 5, 8, 9],
    ]


def test_stop_is_heeded():
    X, labels, ticker = normal(80, 2), some_labels(80, 3), np.array([0, 1])
    pool = new_pool(0, 3)
    found = lns.anneal(X, labels, 3, 100, np.uint64(1), np.ones(2), 6, 16, 1, 0.0, pool, ticker)
    assert found[2] == 0
    assert np.array_equal(found[1], labels)


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3])
def test_a_spatial_index_finds_the_same_groups_as_scans(k):
    X = np.round(np.random.default_rng(k).normal(size=(400, 3)), 1)  # with many ties
    labels = (np.arange(len(X)) // k).astype(np.int32)
    labels[labels == len(X) // k] = len(X) // k - 1
    limits = 3000, np.uint64(1), np.array([1.0, 0.05]), 6, 16, 1, 0.0
    scanned, indexed = (
        lns.anneal_on(index, X, labels, k, *limits, new_pool(0, k), np.zeros(2, dtype=np.int64))
        for index in (None, True)
    )
    assert np.array_equal(scanned[0], indexed[0])
    assert np.array_equal(scanned[1], indexed[1])
    assert scanned[2:] == indexed[2:]

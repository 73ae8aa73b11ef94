"""The object-migrating automaton and its list of pairs, against their plain twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.learning.omma import omma
from microagg.kernels.learning.similar_pairs import ORDERS, similar_pairs
from tests.examples import examples
from tests.twins.learning import omma as plain


def columns_of(seed, n, d, *, ties=False):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (d, n)).astype(float) if ties else rng.normal(size=(d, n))
    return np.ascontiguousarray(X)


def ticker():
    return np.zeros(2, dtype=np.int64)


def groups(n, k, seed=0):
    labels = np.arange(n, dtype=np.int32) // k
    labels[labels == n // k] = 0
    return np.random.default_rng(seed).permutation(labels)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("width", "least"), [(1, 0), (4, 0), (19, 0), (4, 3), (19, 19), (1, 1)])
@pytest.mark.parametrize("d", [2, 30])
def test_pairs_are_those_of_the_twin(order, width, least, ties, d):
    columns = columns_of(width, 20, d, ties=ties)
    first, second = similar_pairs(columns, width, least, ORDERS[order], ticker())
    expected = plain.similar_pairs(columns, width, least, order)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == expected


def test_with_room_for_all_the_list_is_every_pair_within_half_the_largest_distance():
    columns = columns_of(1, 40, 3)
    gaps = np.sqrt(((columns[:, :, None] - columns[:, None, :]) ** 2).sum(axis=0))
    first, second = similar_pairs(columns, 39, 0, ORDERS["distance"], ticker())
    assert np.all(np.diff(gaps[first, second]) >= 0)
    below = np.argwhere(np.tril(gaps <= gaps.max() / 2, -1))
    assert first.size == len(below)
    listed = similar_pairs(columns, 39, 0, ORDERS["matrix"], ticker())
    assert np.array_equal(np.stack(listed, axis=1), below)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 5])
@pytest.mark.parametrize(("n", "k"), [(12, 3), (25, 4), (30, 2)])
@pytest.mark.parametrize("order", ORDERS)
def test_labels_are_those_of_the_twin(n, k, depth, ties, order):
    columns = columns_of(depth, n, 3, ties=ties)
    pairs = similar_pairs(columns, n - 1, 2, ORDERS[order], ticker())
    listed = list(zip(*(records.tolist() for records in pairs), strict=True))
    ours, _, _ = omma(columns, groups(n, k), depth, *pairs, 20, ticker())
    assert np.array_equal(ours, plain.omma(columns, groups(n, k), depth, listed, 20))


@settings(max_examples=examples(150), deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(6, 60),
    k=st.integers(2, 6),
    depth=st.integers(1, 6),
    order=st.sampled_from(list(ORDERS.values())),
    ties=st.booleans(),
)
def test_the_loss_falls_from_cycle_to_cycle_and_sizes_stay(seed, n, k, depth, order, ties):
    columns = columns_of(seed, n, 2, ties=ties)
    pairs = similar_pairs(columns, n - 1, 2, order, ticker())
    before = groups(n, k, seed)
    labels, errors, left = omma(columns, before, depth, *pairs, 50, ticker())
    assert np.all(np.diff(errors) <= 1e-12 * errors[0] + 1e-15)
    assert np.array_equal(np.bincount(labels), np.bincount(before))
    assert left <= pairs[0].size


def test_told_to_stop_it_keeps_what_it_has():
    columns = columns_of(0, 30, 2)
    stopped = np.array([0, 1], dtype=np.int64)
    first, second = similar_pairs(columns, 29, 4, 0, stopped)
    assert first.size >= 4
    assert set(first.tolist()) == {0}  # what was listed until then serves
    first, second = similar_pairs(columns, 29, 4, 0, ticker())
    labels, errors, _ = omma(columns, groups(30, 3), 5, first, second, 9, stopped)
    assert not np.array_equal(labels, groups(30, 3))  # a few pairs a record are always read
    assert np.array_equal(np.bincount(labels), np.bincount(groups(30, 3)))
    assert errors.size == 1


def test_any_number_of_cycles_may_be_asked_for():
    columns = columns_of(0, 30, 2)
    pairs = similar_pairs(columns, 29, 4, 0, ticker())
    _, errors, _ = omma(columns, groups(30, 3), 5, *pairs, 2**31 - 1, ticker())
    assert errors.size < 100

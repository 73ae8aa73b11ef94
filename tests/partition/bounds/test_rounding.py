"""Groups from the solution of a semidefinite relaxation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.partition.bounds.rounding import rounded
from microagg.partition.bounds.semidefinite import Semidefinite
from tests.examples import examples


def shared(labels, k):
    """Return Y = k Z of a partition."""
    same = labels[:, None] == labels
    return k * same / same.sum(axis=1, keepdims=True)


def is_same_partition(one, other):
    return (
        len(set(zip(one.tolist(), other.tolist(), strict=True)))
        == len(set(one.tolist()))
        == len(set(other.tolist()))
    )


@settings(max_examples=examples(100), deadline=None)
@given(seed=st.integers(0, 2**32), k=st.integers(2, 5), groups=st.integers(1, 8))
def test_a_partition_is_rounded_to_itself(seed, k, groups):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(groups), rng.integers(k, 2 * k, size=groups))
    labels = rng.permutation(labels)
    assert is_same_partition(rounded(shared(labels, k), k), labels)


@settings(max_examples=examples(100), deadline=None)
@given(seed=st.integers(0, 2**32), k=st.integers(2, 6), sparse=st.booleans())
def test_whatever_the_entries_are_groups_have_the_right_sizes(seed, k, sparse):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2 * k, 60))
    matrix = rng.random((n, n)) * (rng.random((n, n)) < (0.1 if sparse else 1.0))
    labels = rounded((matrix + matrix.T) / 2, k)
    if labels is not None:
        sizes = np.bincount(labels)
        assert labels.min() == 0
        assert k <= sizes.min() <= sizes.max() <= 2 * k - 1


def test_entries_that_show_no_groups_give_none():
    assert rounded(np.eye(3), 4) is None


@pytest.mark.parametrize("k", [3, 5])
def test_the_solution_of_far_clusters_is_rounded_to_the_clusters(k):
    rng = np.random.default_rng(k)
    labels = rng.permutation(np.repeat(np.arange(6), k))
    X = rng.normal(size=(6 * k, 2)) + 100 * np.stack((labels % 3, labels // 3), axis=1)
    state = Semidefinite(X, k)
    for _ in range(100):
        state.step()
    assert is_same_partition(state.rounded(), labels)

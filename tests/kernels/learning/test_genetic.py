"""The genetic search against its plain twin, which draws the same numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microagg.kernels.learning.genetic import genetic
from microagg.kernels.learning.repair import repair
from tests.examples import examples
from tests.twins.learning import genetic as plain

pytestmark = pytest.mark.slow


def ticker():
    return np.zeros(2, dtype=np.int64)


def start_of(n, k):
    labels = (np.arange(n) // k).astype(np.int32)
    return np.where(labels < n // k, labels, 0).astype(np.int32)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 3), (11, 3), (20, 4), (27, 3)])
def test_labels_are_those_of_the_twin(n, k, ties):
    rng = np.random.default_rng(n)
    X = rng.integers(0, 3, (2, n)).astype(float) if ties else rng.normal(size=(2, n))
    columns, start = np.ascontiguousarray(X), start_of(n, k)
    arguments = (columns, k, start, 8, 0.6, 0.1, 12, 9, 12345)
    ours, _ = genetic(*arguments[:-1], np.uint64(12345), True, ticker())
    assert np.array_equal(ours, plain.genetic(*arguments))


@settings(max_examples=examples(150), deadline=None)
@given(data=st.data(), seed=st.integers(0, 1000), k=st.integers(2, 5), ties=st.booleans())
def test_any_genes_are_repaired_to_sizes_of_k_to_2k_less_1(data, seed, k, ties):
    n = data.draw(st.integers(k, 30))
    n_groups = max(n // k, 1)
    labels = np.array(
        data.draw(st.lists(st.integers(0, n_groups - 1), min_size=n, max_size=n)), dtype=np.int64
    )
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 2, (n, 2)).astype(float) if ties else rng.normal(size=(n, 2))
    totals, sizes = np.empty((n_groups, 2)), np.empty(n_groups, dtype=np.int64)
    repair(records, labels, k, totals, sizes, np.full(1, seed, dtype=np.uint64), False, ticker())
    assert np.array_equal(np.bincount(labels, minlength=n_groups), sizes)
    used = sizes[sizes > 0]
    assert used.min() >= k
    assert used.max() < 2 * k
    means = np.array([records[labels == group].sum(axis=0) for group in range(n_groups)])
    assert np.allclose(totals, means)


@pytest.mark.parametrize("patience", [1, 4])
def test_it_ends_after_as_many_generations_without_a_better_one_as_it_has_patience(patience):
    equal = np.zeros((2, 12))  # no grouping is better than another
    rates = (5, 0.5, 0.1, 100, patience)
    _, generations = genetic(equal, 3, start_of(12, 3), *rates, np.uint64(1), True, ticker())
    assert generations == patience


def test_told_to_stop_it_keeps_the_best_of_what_it_has_seen():
    columns = np.random.default_rng(0).normal(size=(2, 20))
    stopped = np.array([0, 1], dtype=np.int64)
    labels, generations = genetic(
        columns, 3, start_of(20, 3), 5, 0.5, 0.1, 100, 100, np.uint64(1), True, stopped
    )
    assert generations == 0
    assert np.bincount(labels).min() >= 3


def test_told_to_stop_it_values_one_chromosome_and_no_more():
    columns = np.ascontiguousarray(np.random.default_rng(0).normal(size=(2, 12)))
    start = (np.arange(12) // 3).astype(np.int32)
    stopped = np.array([0, 1], dtype=np.int64)
    labels, generations = genetic(
        columns, 3, start, 500, 0.5, 0.02, 9, 9, np.uint64(1), True, stopped
    )
    assert np.array_equal(labels, start)  # not the best of 500
    assert generations == 0

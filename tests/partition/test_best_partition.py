"""No method beats the best partition, found by trying all of them."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import microagg as ma
from tests.examples import examples

NAMES = [method.name for method in ma.methods()]


def partitions(n: int, k: int) -> Iterator[list[int]]:
    """Yield the labels of every partition of n records into groups of at least k."""

    def grow(rows: tuple[int, ...], labels: list[int], label: int) -> Iterator[list[int]]:
        if not rows:
            yield labels.copy()
            return
        first, rest = rows[0], rows[1:]
        for size in range(k - 1, len(rest) + 1):
            for others in itertools.combinations(rest, size):
                for row in (first, *others):
                    labels[row] = label
                left = tuple(row for row in rest if row not in others)
                yield from grow(left, labels, label + 1)

    yield from grow(tuple(range(n)), [0] * n, 0)


def loss(X: np.ndarray, labels: list[int]) -> float:
    """Information loss of z-scores, written out in full."""
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread == 0, 1, spread)
    groups = [Z[np.array(labels) == label] for label in set(labels)]
    error = sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)
    total = (Z**2).sum()
    return 100 * error / total if total else 0.0


@pytest.mark.parametrize(("n", "k", "count"), [(4, 2, 4), (6, 3, 11), (6, 2, 41), (7, 3, 36)])
def test_all_partitions_are_tried(n, k, count):
    found = [tuple(labels) for labels in partitions(n, k)]
    assert len(found) == len(set(found)) == count


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_no_method_beats_the_best_partition(name, data):
    n, d = data.draw(st.integers(2, 8)), data.draw(st.integers(1, 3))
    k = data.draw(st.integers(2, min(n, 4)))
    value = st.integers(-4, 4)
    X = np.array(
        data.draw(st.lists(st.lists(value, min_size=d, max_size=d), min_size=n, max_size=n))
    )
    part = ma.partition(X, k, name)
    found = ma.information_loss(X, part).il
    assert found == pytest.approx(loss(X, part.labels.tolist()), abs=1e-9)
    best = min(loss(X, labels) for labels in partitions(n, k))
    assert found >= best - 1e-9
    if n < 2 * k:  # there is one partition only
        assert found == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_groups_far_apart_are_found(name):
    X = np.array([[0, 0], [9, 9], [0, 1], [9, 8], [1, 0], [8, 9]])
    assert ma.information_loss(X, ma.partition(X, 3, name)).il == pytest.approx(
        min(loss(X, labels) for labels in partitions(6, 3))
    )
